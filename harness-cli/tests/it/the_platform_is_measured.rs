//! The doctor says what the platform's binary can do by having it do it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::operator::{Operator, document, ends};

/// A stand-in for the binary, with its state in the operator's home.
fn stand_in(operator: &Operator) -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../harness-adapters/pandaprobe/tests/stand_in/pandaprobe");
    let binary = operator.home().join("pandaprobe");
    symlink(script, &binary).unwrap();
    let metrics = json!([
        {"name": "argument_correctness"}, {"name": "coherence"}, {"name": "confidence"},
        {"name": "plan_adherence"}, {"name": "plan_quality"}, {"name": "step_efficiency"},
        {"name": "task_completion"}, {"name": "tool_correctness"},
    ]);
    fs::write(operator.home().join("metrics"), metrics.to_string()).unwrap();
    binary
}

/// What the doctor says of the platform.
fn platform(operator: &Operator, binary: Option<&Path>, code: i32) -> Vec<(String, String)> {
    let mut command = operator.command(&["doctor", "--format", "json"]);
    if let Some(binary) = binary {
        command.env("HARNESS_CLI_BINARY", binary);
    }
    let report: Value = document(&ends(command, code));
    let checks = report["checks"].as_array().unwrap();
    checks
        .iter()
        .filter(|check| check["name"] == "platform")
        .map(|check| {
            let text = |key: &str| check[key].as_str().unwrap().to_owned();
            (text("outcome"), text("what"))
        })
        .collect()
}

fn says(outcome: &str, what: &str) -> (String, String) {
    (outcome.to_owned(), what.to_owned())
}

#[test]
fn a_binary_that_is_named_must_work() {
    let operator = Operator::with_workspace();
    let binary = stand_in(&operator);
    let works = [
        says("holds", "starts: version v-stand-in"),
        says("holds", "reads: lists traces with this key and project"),
        says("holds", "judges: knows all 8 metrics"),
    ];
    assert_eq!(platform(&operator, Some(&binary), 0), works);
    fs::write(operator.home().join("fails"), "no\nauth\nno\n").unwrap();
    let refused = platform(&operator, Some(&binary), 1);
    let why = "reads: the platform does not let us in: Invalid or revoked key. (HTTP 401)";
    assert_eq!(refused[1], says("fails", why));
    assert_eq!(refused[2], works[2]);
}

#[test]
fn nobody_needs_one() {
    let operator = Operator::with_workspace();
    let why = "there is no `pandaprobe` in PATH: install it, or set HARNESS_CLI_BINARY";
    assert_eq!(platform(&operator, None, 0), [says("doubtful", why)]);
    let relative = platform(&operator, Some(Path::new("bin/pandaprobe")), 1);
    let why = "HARNESS_CLI_BINARY=`bin/pandaprobe` is not allowed: an absolute path is";
    assert_eq!(relative, [says("fails", why)]);
}
