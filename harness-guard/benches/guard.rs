//! What the guard costs a call, on one core, without the audit's sync.
//!
//! `cargo bench -p harness-guard --bench guard -- [--json]` prints `{"machine","rows"}`, one row a
//! measurement: `value` is the median of `n` calls in microseconds. `baseline` is the median of the
//! same tool on a task of its own with its arguments parsed, measured turn by turn with it, and
//! `ratio` how many times longer than that the guarded call took.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench may panic, and prints"
)]

use std::hint::black_box;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use harness_core::SessionId;
use harness_guard::{
    Answer, ApprovalRequest, Approver, Audit, AuditError, CallContext, Executor, Folder, Guard,
    GuardSetup, Network, Permitted, Phase, ResolveError, Resolver, Role, ToolCall, ToolFailure,
    Tools, check_spelling, standard_specs,
};
use harness_store::GuardEvent;
use serde_json::{Value, json};

/// Calls of each measurement.
const CALLS: usize = 20_000;
/// Calls before it.
const WARM_UP: usize = 2_000;

/// Takes events and forgets them: what is left out is the sync.
struct Forgetful;

#[async_trait]
impl Audit for Forgetful {
    async fn record(&self, events: Vec<GuardEvent>) -> Result<(), AuditError> {
        black_box(events);
        Ok(())
    }
}

struct Agreeable;

#[async_trait]
impl Approver for Agreeable {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        Answer::Approve
    }
}

struct OneAddress;

#[async_trait]
impl Resolver for OneAddress {
    async fn resolve(&self, _: &str) -> Result<Vec<IpAddr>, ResolveError> {
        Ok(vec![IpAddr::from([8, 8, 8, 8])])
    }
}

#[derive(Clone)]
struct Constant;

const SAID: &str = "fn main() {\n    println!(\"a file of a few lines\");\n}\n";

#[async_trait]
impl Executor for Constant {
    async fn run(&self, call: Permitted) -> Result<String, ToolFailure> {
        drop(black_box(call));
        Ok(SAID.to_owned())
    }
}

fn main() {
    let as_json = std::env::args().any(|argument| argument == "--json");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut rows = runtime.block_on(measured());
    rows.push(spelling());
    if as_json {
        println!("{}", json!({"machine": machine(), "rows": rows}));
        return;
    }
    for row in rows {
        let ratio = row["ratio"].as_f64();
        let ratio = ratio.map_or_else(String::new, |ratio| format!("  {ratio:.1} x the bare tool"));
        let (name, value) = (
            row["name"].as_str().unwrap(),
            row["value"].as_f64().unwrap(),
        );
        println!("{name:28} {value:9.3} us{ratio}");
    }
}

async fn measured() -> Vec<Value> {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("main.rs"), SAID).unwrap();
    let guard = guard(place.path()).await;
    let phase = Phase::new("bench", Role::Worker)
        .unwrap()
        .network(Network::Allowed);
    let ctx = CallContext::new(phase, "Tidy the sources and say what was done");
    let mut rows = Vec::new();
    for (name, tool, arguments) in [
        (
            "guard/allowed_read",
            "read_file",
            json!({"path": "main.rs", "limit": 100}),
        ),
        (
            "guard/allowed_write",
            "write_file",
            json!({"path": "main.rs", "content": SAID}),
        ),
        (
            "guard/allowed_fetch",
            "webfetch",
            json!({"url": "https://example.org/a?b=c"}),
        ),
        ("guard/refused_schema", "read_file", json!({"path": 7})),
        (
            "guard/refused_path",
            "read_file",
            json!({"path": "../main.rs"}),
        ),
    ] {
        let call = ToolCall {
            id: "call-1".to_owned(),
            name: tool.to_owned(),
            arguments: arguments.to_string(),
        };
        let refused = name.contains("refused");
        let mut guarded = Vec::with_capacity(CALLS);
        let mut bare = Vec::with_capacity(CALLS);
        for at in 0..WARM_UP + CALLS {
            let started = Instant::now();
            let outcome = guard.call(&ctx, call.clone()).await;
            let took = started.elapsed();
            assert_eq!(outcome.refusal().is_some(), refused, "{name}: {outcome:?}");
            let started = Instant::now();
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            let task = tokio::spawn(async move {
                black_box(arguments);
                SAID.to_owned()
            });
            black_box(task.await.unwrap());
            let alone = started.elapsed();
            if at >= WARM_UP {
                guarded.push(took.as_secs_f64() * 1e6);
                bare.push(alone.as_secs_f64() * 1e6);
            }
        }
        let (value, baseline) = (median(guarded), median(bare));
        rows.push(json!({
            "name": name, "value": value, "unit": "us", "n": CALLS,
            "baseline": baseline, "ratio": value / baseline,
        }));
    }
    rows
}

fn spelling() -> Value {
    let mut all = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let started = Instant::now();
        black_box(check_spelling(black_box("https://example.org/a/b?c=d")).is_ok());
        all.push(started.elapsed().as_secs_f64() * 1e6);
    }
    json!({"name": "guard/check_spelling", "value": median(all), "unit": "us", "n": CALLS})
}

async fn guard(place: &Path) -> Guard {
    let tools = standard_specs()
        .into_iter()
        .fold(Tools::new(), |tools, spec| {
            tools.add(spec, Constant).unwrap()
        });
    let folder = Folder::open(place, &[]).unwrap();
    let session = SessionId::parse("bench").unwrap();
    let mut setup = GuardSetup::new(session, tools, folder, Arc::new(Forgetful));
    setup.approver = Arc::new(Agreeable);
    setup.resolver = Arc::new(OneAddress);
    setup.config.max_tool_calls = 1_000_000;
    Guard::start(setup).await.unwrap()
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_unstable_by(f64::total_cmp);
    all[all.len() / 2]
}

fn machine() -> Value {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    json!({"os": std::env::consts::OS, "arch": std::env::consts::ARCH, "processors": processors})
}
