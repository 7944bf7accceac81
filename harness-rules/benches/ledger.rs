//! How long a process waits for the rules of a large workspace that it opens: opening, and the
//! ledger derived from the whole journal, since nobody's word is taken for a rule's status.
//!
//! `cargo bench -p harness-rules --bench ledger -- [--json]` prints one row a measurement:
//! `{"name","value","unit","n"}`. `value` is the median of five runs in milliseconds, `n` the
//! events of the journal.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "this program reports on standard output, and a defect in it is to stop it"
)]

use std::time::{Duration, Instant};

use harness_core::{MetricRegistry, SessionId, Signature, Timestamp};
use harness_rules::{Desks, Settings};
use harness_store::wire::event::{
    CloseReason, OriginDoc, Recovery, RuleAdd, SessionClosed, SessionOpened,
};
use harness_store::wire::sha256_hex;
use harness_store::{Halves, MAX_COMMIT, OpenOptions, WatchEvent, Workspace, WorkspacePaths};
use serde_json::json;

const EVENTS: usize = 1_000_000;
const RULES: usize = 10_000;
const RUNS: usize = 5;
const SOON: Duration = Duration::from_secs(120);

fn main() {
    let is_json = std::env::args().any(|argument| argument == "--json");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paths = WorkspacePaths {
        root: folder.path().join("root"),
        config_dir: folder.path().join("config"),
    };
    Workspace::init(&paths, Timestamp::EPOCH).expect("a workspace");
    fill(&open(&paths));
    // The first opening after the filling looks at everything once.
    drop(open(&paths));
    let (mut opening, mut with_ledger) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let began = Instant::now();
        let halves = open(&paths);
        opening.push(began.elapsed());
        let desks = Desks::of(halves, MetricRegistry::default(), Settings::default());
        let known = desks.book.ledger().expect("a ledger").rules().count();
        with_ledger.push(began.elapsed());
        assert_eq!(known, RULES);
    }
    for (name, times) in [
        ("cold open", opening),
        ("cold open with the ledger", with_ledger),
    ] {
        let millis = median(times);
        if is_json {
            let value = (millis * 1000.0).round() / 1000.0;
            let row = json!({ "name": name, "value": value, "unit": "ms", "n": EVENTS });
            println!("{row}");
        } else {
            println!("{name:32} {millis:12.3} ms n={EVENTS}");
        }
    }
}

fn open(paths: &WorkspacePaths) -> Halves {
    let options = OpenOptions {
        lock_wait: SOON,
        ..OpenOptions::default()
    };
    Workspace::open(paths, options).expect("an open workspace")
}

/// Rules, and sessions that open, recover from failures and close.
fn fill(halves: &Halves) {
    let rules: Vec<_> = (0..RULES).map(|at| rule(at).into()).collect();
    for commit in rules.chunks(MAX_COMMIT) {
        halves.repair.append(SOON, commit.to_vec()).expect("rules");
    }
    let mut commit: Vec<WatchEvent> = Vec::with_capacity(MAX_COMMIT);
    for at in RULES..EVENTS {
        let session = SessionId::parse(&format!("s-{}", at / 10)).expect("an id");
        commit.push(match at % 10 {
            0 => SessionOpened {
                session,
                origin: OriginDoc::Live,
                principal: None,
            }
            .into(),
            9 => SessionClosed {
                session,
                reason: CloseReason::Host,
                turns: 1,
            }
            .into(),
            _ => Recovery {
                session,
                signature: Signature::parse("breach:tool_correctness").expect("a signature"),
            }
            .into(),
        });
        if commit.len() == MAX_COMMIT || at + 1 == EVENTS {
            let events = std::mem::take(&mut commit);
            halves.watch.append(SOON, events).expect("events");
        }
    }
}

fn rule(at: usize) -> RuleAdd {
    let text = format!("Look order number {at} up by its id before answering.");
    let doc = json!({
        "id": format!("r-{at:010}"), "created_at": "2026-11-30T10:00:00Z", "rule": text,
        "rationale": "the same lookup failed three times", "status": "candidate",
        "tags": ["lookup"], "scope": "orders", "applicability": "topical",
    });
    RuleAdd {
        text_sha256: sha256_hex(text.as_bytes()),
        rule: serde_json::from_value(doc).expect("a rule"),
        episode: None,
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}
