//! An operator can retire a rule and clear the breaker, with a reason that is kept; and nothing
//! else.

use serde_json::{Value, json};

use crate::operator::{Operator, failing, stderr, stdout};

fn with_rule() -> (Operator, String) {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[failing("a")]);
    let run = operator.json(&["run", "--traces", &folder]);
    let rule = run["episodes"][0]["rule_id"].as_str().unwrap().to_owned();
    (operator, rule)
}

fn last(operator: &Operator, kind: &str) -> Value {
    let line = operator.runs(
        &["journal", "--last", "1", "--kind", kind, "--format", "json"],
        0,
    );
    serde_json::from_str(&stdout(&line)).unwrap()
}

#[test]
fn a_retired_rule_is_gone_from_agents_and_the_reason_is_kept() {
    let (operator, rule) = with_rule();
    let retired = operator.json(&["retire", &rule, "--reason", "the shelf is gone"]);
    assert_eq!(retired, json!({ "retired": rule }));
    assert_eq!(operator.json(&["rules", &rule])["status"], "retired");
    assert_eq!(operator.json(&["rules", &rule])["retirement"], "operator");
    assert_eq!(
        last(&operator, "operator_action")["reason"],
        "the shelf is gone"
    );
    let arguments = json!({ "rule_id": rule }).to_string();
    let answer = operator.json(&["tool", "harness_rule_status", &arguments]);
    assert_eq!(answer["status"], "retired");
    operator.runs(&["audit"], 0);
}

#[test]
fn a_rule_is_retired_once() {
    let (operator, rule) = with_rule();
    operator.runs(&["retire", &rule, "--reason", "x"], 0);
    let said = stderr(&operator.runs(&["retire", &rule, "--reason", "x"], 2));
    assert!(said.contains("no live rule"), "{said}");
}

#[test]
fn a_reason_is_needed() {
    let (operator, rule) = with_rule();
    operator.runs(&["retire", &rule, "--reason", " "], 2);
    assert_eq!(operator.json(&["rules", &rule])["status"], "candidate");
}

#[test]
fn resuming_is_journaled() {
    let operator = Operator::with_workspace();
    assert_eq!(
        operator.json(&["resume", "--reason", "all is well"]),
        json!({ "resumed": true })
    );
    assert_eq!(last(&operator, "operator_action")["action"], "resume");
    assert_eq!(last(&operator, "breaker")["state"], "resumed");
    assert_eq!(
        operator.json(&["status"])["breaker"]["paused_for_all"],
        false
    );
}

#[test]
fn there_is_no_verb_that_promotes() {
    let (operator, rule) = with_rule();
    for verb in ["promote", "approve", "activate"] {
        operator.runs(&[verb, &rule], 2);
    }
    assert_eq!(operator.json(&["rules", &rule])["status"], "candidate");
}
