//! One episode, one candidate: in one reply, over several, and over several attempts.

use std::time::Duration;

use harness_core::RepairStatus;
use harness_repair::{ModelError, RepairBounds};
use harness_rules::Category;
use serde_json::json;

use crate::scripted::{Line, Scripted, acks, adds, resolves};
use crate::workspace::Workspace;

const ONE: &str = "Look before reading.";
const OTHER: &str = "Confirm every change with the person who asked for it.";

#[tokio::test]
async fn two_in_one_reply() {
    let workspace = Workspace::guessing();
    let add = |rule: &str| {
        (
            "harness_rule_add",
            json!({ "rule": rule, "rationale": "why" }).to_string(),
        )
    };
    let model = Scripted::new(vec![
        Line::Calls(vec![add(ONE), add(OTHER)], Some(20)),
        acks(),
    ]);
    let result = workspace
        .run(model.clone(), RepairBounds::default())
        .await
        .unwrap();
    assert_eq!(result.status, RepairStatus::CandidateAdded);
    assert_eq!(workspace.rules(), [ONE]);
    let rule = result.new_rule.unwrap();
    assert_eq!(
        model.errors(),
        [format!(
            "this episode has its one rule, `{rule}`: end it with harness_notice_ack"
        )]
    );
}

#[tokio::test]
async fn an_episode_that_has_a_rule_is_not_resolved_without_it() {
    let workspace = Workspace::guessing();
    let model = Scripted::new(vec![adds(ONE), resolves("no_proposal"), acks()]);
    let result = workspace
        .run(model.clone(), RepairBounds::default())
        .await
        .unwrap();
    assert_eq!(result.status, RepairStatus::CandidateAdded);
    assert_eq!(model.errors().len(), 1);
}

#[tokio::test]
async fn an_episode_without_a_rule_is_not_acknowledged() {
    let workspace = Workspace::guessing();
    let model = Scripted::new(vec![acks(), resolves("no_proposal")]);
    let result = workspace
        .run(model.clone(), RepairBounds::default())
        .await
        .unwrap();
    assert_eq!(result.status, RepairStatus::NoProposal);
    assert!(model.errors()[0].starts_with("no rule was added"));
}

#[tokio::test]
async fn a_refused_rule_can_be_mended() {
    let workspace = Workspace::guessing();
    let model = Scripted::new(vec![
        adds("Read gala-2031.txt instead."),
        adds("Look before reading."),
        acks(),
    ]);
    let result = workspace
        .run(model.clone(), RepairBounds::default())
        .await
        .unwrap();
    assert_eq!(result.status, RepairStatus::CandidateAdded);
    assert_eq!(workspace.rules(), [ONE]);
    assert_eq!(model.errors().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_a_time_out_continues_with_the_rule_and_asks_no_model() {
    let workspace = Workspace::guessing();
    let hangs = Scripted::new(vec![adds(ONE), Line::Hangs]);
    let first = workspace.run(hangs, RepairBounds::default()).await.unwrap();
    assert_eq!(
        (first.status, first.category),
        (RepairStatus::TimedOut, Some(Category::TimeLimit))
    );
    assert_eq!(workspace.pending(), 1);

    let other = Scripted::new(vec![adds(OTHER), acks()]);
    let second = workspace
        .run(other.clone(), RepairBounds::default())
        .await
        .unwrap();
    assert_eq!(second.status, RepairStatus::CandidateAdded);
    assert_eq!(second.new_rule, first.new_rule);
    assert_eq!((other.seen().len(), second.model_time), (0, Duration::ZERO));
    assert_eq!(
        (workspace.rules(), workspace.pending()),
        (vec![ONE.to_owned()], 0)
    );
}

#[tokio::test]
async fn a_retry_after_a_failed_model_continues_with_the_rule() {
    let workspace = Workspace::guessing();
    let fails = Scripted::new(vec![adds(ONE), Line::Fails(ModelError::Rejected)]);
    let first = workspace.run(fails, RepairBounds::default()).await.unwrap();
    assert_eq!(first.status, RepairStatus::Failed);
    assert_eq!(workspace.pending(), 1);
    let second = workspace
        .run(Scripted::new(vec![]), RepairBounds::default())
        .await
        .unwrap();
    assert_eq!(second.status, RepairStatus::CandidateAdded);
    assert_eq!(workspace.rules(), [ONE]);
}
