//! The trace of a repair goes to a file where an operator asks for it, and nowhere else.

use std::fs;

use serde_json::Value;

use crate::operator::{Operator, ends, failing, stderr};

fn run(operator: &Operator, variables: &[(&str, &str)], code: i32) -> String {
    let mut command = operator.command(&["run", "--traces", "-"]);
    command.write_stdin(failing("s-1").to_string());
    command.envs(variables.iter().copied());
    stderr(&ends(command, code))
}

#[test]
fn one_line_a_repair() {
    let operator = Operator::with_workspace();
    let file = operator.home().join("repairs.jsonl");
    let to = [
        ("HARNESS_TRACE_REPAIR_AGENT", "true"),
        ("HARNESS_REPAIR_TRACE_TO", file.to_str().unwrap()),
    ];
    run(&operator, &to, 0);
    let lines = fs::read_to_string(&file).unwrap();
    assert_eq!(lines.lines().count(), 1);
    let request: Value = serde_json::from_str(&lines).unwrap();
    let spans = &request["resourceSpans"][0]["scopeSpans"][0]["spans"];
    assert_eq!(spans[0]["name"], "harness");
    // What failed is evidence, and is not in it.
    assert!(
        !lines.contains("blue") && !lines.contains("east"),
        "{lines}"
    );

    // The twin: not asked for, not written, whatever the place.
    let operator = Operator::with_workspace();
    let file = operator.home().join("repairs.jsonl");
    run(
        &operator,
        &[("HARNESS_REPAIR_TRACE_TO", file.to_str().unwrap())],
        0,
    );
    assert!(!file.exists());
}

#[test]
fn a_place_that_is_missing_or_cannot_be_written_is_named() {
    let operator = Operator::with_workspace();
    let asked = ("HARNESS_TRACE_REPAIR_AGENT", "true");
    let said = run(&operator, &[asked], 2);
    assert!(said.contains("HARNESS_REPAIR_TRACE_TO"), "{said}");
    let nowhere = operator.home().join("none").join("repairs.jsonl");
    let to = ("HARNESS_REPAIR_TRACE_TO", nowhere.to_str().unwrap());
    let said = run(&operator, &[asked, to], 4);
    assert!(said.contains("were not exported"), "{said}");
}
