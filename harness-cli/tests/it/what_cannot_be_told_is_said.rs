//! `worth` and `eval` say what is known, and exit 5 where that is nothing.

use serde_json::{Value, json};

use crate::operator::Operator;

fn keep(operator: &Operator, id: &str, kind: &str, input: Value) {
    let case = json!({
        "id": id, "created_at": "2026-11-30T11:26:14.500145+00:00", "session_id": "s-1",
        "kind": kind, "signature": [], "baseline_scores": {}, "replay_input": input, "notes": "",
    });
    let path = operator.root().join(format!("evalset/{id}.json"));
    std::fs::write(path, case.to_string()).unwrap();
}

#[test]
fn a_case_that_nobody_here_can_run_is_skipped() {
    let operator = Operator::with_workspace();
    assert_eq!(operator.json(&["eval"])["cases"], json!([]));
    keep(&operator, "c-1", "win", json!("sum march"));
    keep(&operator, "c-2", "failure", Value::Null);
    let told = operator.json_with(&["eval"], 5);
    assert_eq!(told["skipped"], 2);
    let cases = told["cases"].as_array().unwrap();
    assert!(cases.iter().all(|case| case["result"] == "skipped"));
    assert_eq!(
        operator.json_with(&["eval", "--sample", "1"], 5)["skipped"],
        1
    );
}

#[test]
fn without_a_session_that_read_rules_there_is_no_worth() {
    let operator = Operator::with_workspace();
    let told = operator.json_with(&["worth"], 5);
    assert_eq!(told["since"], Value::Null);
    assert_eq!(told["with_rules"], json!({ "failed": 0, "fine": 0 }));
    assert_eq!(
        told["difference"],
        json!({ "estimate": 0.0, "low": -1.0, "high": 1.0 })
    );
    assert_eq!(told["rules"], json!([]));
}
