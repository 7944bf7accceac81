//! What an episode costs without its model, beside 1,000 rules, and what the task tools cost a
//! prompt.
//!
//! `cargo bench -p harness-repair --bench repair -- [--json]` prints one row a measurement:
//! `{"name","value","unit","n","baseline","ratio"}`. `repair/episode` is the median on the disk of
//! temporary files, `repair/episode_without_syncs` the same where a sync costs nothing (memory),
//! which is its baseline: the difference is its fsyncs. A whole episode reads its notice, inspects
//! its trace, searches, proposes a rule and resolves; the proposal passes every check up to the
//! last, for which 1,000 candidates leave no room. `repair/task_tools` is the length of the four
//! schemas, four characters a token.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench may panic, and prints"
)]

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/it/failures.rs"]
mod failures;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/it/scripted.rs"]
mod scripted;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/it/workspace.rs"]
mod workspace;

use std::path::Path;
use std::time::Duration;

use harness_core::{RepairStatus, Timestamp};
use harness_repair::RepairBounds;
use harness_rules::task_tool_schemas;
use harness_store::wire::event::RuleAdd;
use harness_store::wire::rule::RuleDoc;
use harness_store::wire::sha256_hex;
use harness_store::{OpenOptions, RepairEvent, Workspace as Store, WorkspacePaths};
use serde_json::json;

use failures::{guessing, notice};
use scripted::{Scripted, calls, resolves};
use workspace::Workspace;

/// Live rules beside which the episodes go.
const RULES: usize = 1000;
/// Rules that are written at once.
const RULES_A_COMMIT: usize = 50;
/// How long a commit may wait.
const SOON: Duration = Duration::from_secs(120);
/// Episodes whose median is taken.
const EPISODES: u32 = 41;
/// Where a sync costs nothing.
const IN_MEMORY: &str = "/dev/shm";
/// Characters that stand for a token.
const CHARACTERS_A_TOKEN: usize = 4;

fn main() {
    let as_json = std::env::args().any(|argument| argument == "--json");
    let on_disk = tempfile::tempdir().unwrap();
    let in_memory = tempfile::tempdir_in(IN_MEMORY).ok();
    let free = in_memory.as_ref().map(|folder| episode(folder.path()));
    let synced = episode(on_disk.path());
    let row = |name: &str, value: f64, unit: &str, n: u32, baseline: Option<f64>| {
        let ratio = baseline.map(|baseline| value / baseline);
        if as_json {
            let row = json!({
                "name": name, "value": value, "unit": unit, "n": n, "baseline": baseline,
                "ratio": ratio,
            });
            println!("{row}");
        } else {
            println!("{name:40} {value:10.3} {unit}");
        }
    };
    match free {
        Some(free) => row("repair/episode_without_syncs", free, "ms", EPISODES, None),
        None => {
            println!("{{\"skipped\":\"repair/episode_without_syncs: {IN_MEMORY} is missing\"}}")
        }
    }
    row("repair/episode", synced, "ms", EPISODES, free);
    let characters: usize = task_tool_schemas()
        .iter()
        .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len())
        .sum();
    let tokens = characters.div_ceil(CHARACTERS_A_TOKEN);
    row(
        "repair/task_tools",
        f64::from(u32::try_from(tokens).unwrap()),
        "tokens",
        1,
        None,
    );
}

/// The median time of an episode without its model, in milliseconds.
fn episode(folder: &Path) -> f64 {
    fill(folder);
    let workspace = Workspace::at(folder);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    let mut times: Vec<Duration> = (0..EPISODES)
        .map(|at| {
            workspace.post(notice(at + 1000), guessing());
            let rule = "Before calling `read_file`, call `list_files` and use what it returned.";
            let model = Scripted::new([
                calls("harness_notice_read", json!({})),
                calls("harness_trace_inspect", json!({})),
                calls(
                    "harness_rules_search",
                    json!({ "query": "read_file not_found" }),
                ),
                calls(
                    "harness_rule_add",
                    json!({ "rule": rule, "rationale": "it was guessed" }),
                ),
                resolves("no_proposal"),
            ]);
            let began = std::time::Instant::now();
            let result = runtime.block_on(workspace.run(model.clone(), RepairBounds::default()));
            let took = began.elapsed();
            let result = result.unwrap();
            assert_eq!(result.status, RepairStatus::NoProposal);
            let refused = model.errors();
            assert!(
                refused.len() == 1 && refused[0].contains("on trial"),
                "{refused:?}"
            );
            took.saturating_sub(result.model_time)
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

/// Rules in the scope of the proposal, each of which it is compared with.
fn fill(folder: &Path) {
    let paths = WorkspacePaths {
        root: folder.join("root"),
        config_dir: folder.join("config"),
    };
    Store::init(&paths, Timestamp::from_micros(1_900_000_000_000_000)).unwrap();
    let log = Store::open(&paths, OpenOptions::default()).unwrap().repair;
    let rules: Vec<RepairEvent> = (0..RULES).map(|at| rule(at).into()).collect();
    for some in rules.chunks(RULES_A_COMMIT) {
        log.append(SOON, some.to_vec()).unwrap();
    }
}

fn rule(at: usize) -> RuleAdd {
    let text = format!("Look order number {at} up by its id before answering a customer.");
    let rule: RuleDoc = serde_json::from_value(json!({
        "id": format!("r-{at:010}"), "created_at": "2026-11-30T10:00:00Z", "rule": text,
        "rationale": "the same lookup failed three times", "status": "candidate",
        "tags": ["lookup"], "scope": "global", "applicability": "global",
    }))
    .unwrap();
    RuleAdd {
        text_sha256: sha256_hex(text.as_bytes()),
        rule,
        episode: None,
    }
}
