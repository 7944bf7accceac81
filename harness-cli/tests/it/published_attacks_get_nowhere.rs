//! The published attacks are played on live workspaces. All of them are a step of `cargo xtask ci`;
//! here are a few, one of each kind.

use serde_json::json;

use crate::operator::{Operator, stderr};

#[test]
fn a_secret_an_order_a_hidden_letter_and_a_reach_for_the_controls() {
    let operator = Operator::new();
    for id in [
        "secret-in-tool-result",
        "order-in-rule-text",
        "hidden-letters-in-recorded-result",
        "model-adds-a-second-rule",
    ] {
        let played = operator.json(&["redteam", "--scenario", id]);
        assert_eq!(
            (&played["played"], &played["failed"]),
            (&json!(1), &json!(0))
        );
        let one = &played["scenarios"][0];
        assert_eq!((&one["id"], &one["findings"]), (&json!(id), &json!([])));
    }
}

#[test]
fn an_attack_that_nobody_published_is_refused() {
    let operator = Operator::new();
    let refused = operator.runs(&["redteam", "--scenario", "no-such"], 2);
    assert!(stderr(&refused).contains("no such scenario"));
}
