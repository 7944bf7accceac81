//! How soon `harness run` gets to its first episode.
//!
//! `cargo bench -p harness-cli --bench run -- [--json]` prints
//! `{"name","value","unit","n","baseline","ratio"}`: the median, over fresh workspaces, of the time
//! from the start of the process to the moment that the journal gives the first `repair_started`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench may panic, and prints"
)]

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/it/operator.rs"]
mod operator;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harness_core::Timestamp;
use serde_json::{Value, json};

use operator::{Operator, ends, failing};

/// Runs whose median is taken.
const RUNS: usize = 11;

fn main() {
    let as_json = std::env::args().any(|argument| argument == "--json");
    let mut times: Vec<Duration> = (0..RUNS).map(|_| to_the_first_episode()).collect();
    times.sort_unstable();
    let value = times[RUNS / 2].as_secs_f64() * 1000.0;
    if as_json {
        let row = json!({
            "name": "repair/run_to_first_episode", "value": value, "unit": "ms", "n": RUNS,
            "baseline": null, "ratio": null,
        });
        println!("{row}");
    } else {
        println!("{:40} {value:10.3} ms", "repair/run_to_first_episode");
    }
}

fn to_the_first_episode() -> Duration {
    let operator = Operator::with_workspace();
    let mut command = operator.command(&["run", "--traces", "-"]);
    command.write_stdin(failing("s-1").to_string());
    let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    ends(command, 0);
    let journal = std::fs::read_to_string(operator.root().join("journal.jsonl")).unwrap();
    let first = journal
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|event| event["type"] == "repair_started")
        .unwrap();
    let at = Timestamp::parse(first["ts"].as_str().unwrap()).unwrap();
    let at = Duration::from_micros(u64::try_from(at.as_micros()).unwrap());
    at.saturating_sub(began)
}
