//! Whatever a model does, an attempt has one terminal event, and the notices are resolved or
//! pending as its status says.

use std::time::Duration;

use harness_core::RepairStatus;
use harness_repair::{ModelError, RepairBounds, RepairResult, StopReason};
use harness_rules::Category;
use serde_json::json;

use crate::scripted::{Line, Scripted, acks, adds, calls, resolves};
use crate::workspace::Workspace;

const RULE: &str = "Look before reading.";

/// Runs the script, checks what holds of every attempt, and returns how it ended.
async fn ends(script: Vec<Line>) -> (RepairStatus, Option<Category>) {
    let result = run(&Workspace::guessing(), script).await;
    (result.status, result.category)
}

async fn run(workspace: &Workspace, script: Vec<Line>) -> RepairResult {
    let result = workspace
        .run(Scripted::new(script), RepairBounds::default())
        .await
        .unwrap();
    assert_eq!(workspace.terminal_events(), [event(result.status)]);
    assert_eq!(workspace.pending() == 0, result.status.acknowledges());
    assert_eq!(result.category.is_none(), result.status.acknowledges());
    assert!(workspace.audit_is_clean());
    result
}

fn event(status: RepairStatus) -> String {
    match status {
        RepairStatus::CandidateAdded => "repair_completed".to_owned(),
        other => format!("repair_{other}"),
    }
}

const fn failed(category: Category) -> (RepairStatus, Option<Category>) {
    (RepairStatus::Failed, Some(category))
}

const fn timed_out(category: Category) -> (RepairStatus, Option<Category>) {
    (RepairStatus::TimedOut, Some(category))
}

#[tokio::test]
async fn a_rule_added_and_acknowledged() {
    let workspace = Workspace::guessing();
    let result = run(&workspace, vec![adds(RULE), acks()]).await;
    assert_eq!(result.status, RepairStatus::CandidateAdded);
    assert_eq!(workspace.rules(), [RULE]);
    assert!(result.new_rule.is_some() && result.existing_rule.is_none());
    assert_eq!(
        (
            result.usage.turns,
            result.usage.tool_calls,
            result.usage.output_tokens
        ),
        (2, 2, 40)
    );
    assert_eq!(result.notices.len(), 1);
}

#[tokio::test]
async fn a_rule_added_and_nothing_more_to_say() {
    let script = vec![adds(RULE), Line::Says("Done.", StopReason::Complete)];
    assert_eq!(ends(script).await, (RepairStatus::CandidateAdded, None));
}

#[tokio::test]
async fn resolved_without_a_rule() {
    assert_eq!(
        ends(vec![resolves("no_proposal")]).await,
        (RepairStatus::NoProposal, None)
    );
    assert_eq!(
        ends(vec![resolves("unactionable")]).await,
        (RepairStatus::Unactionable, None)
    );
}

#[tokio::test]
async fn covered_by_a_rule_that_exists() {
    let workspace = Workspace::guessing();
    let covering = workspace.add_candidate(RULE);
    let by = |how: &str, rule: &str| {
        calls(
            "harness_notice_resolve",
            json!({ "resolution": how, "rule_id": rule }),
        )
    };
    let model = Scripted::new(vec![
        by("duplicate", "r-unheard-of"),
        by("duplicate", covering.as_str()),
        by("already_covered", covering.as_str()),
    ]);
    let result = workspace
        .run(model.clone(), RepairBounds::default())
        .await
        .unwrap();
    assert_eq!(
        model.errors(),
        [
            "no rule has the id `r-unheard-of`: search for the one that you mean".to_owned(),
            format!("`{covering}` is candidate, and has to be active for this resolution"),
        ]
    );
    assert_eq!(result.status, RepairStatus::AlreadyCovered);
    assert_eq!(
        (result.existing_rule, result.new_rule),
        (Some(covering), None)
    );
}

#[tokio::test]
async fn proposed_again_in_the_same_words() {
    let workspace = Workspace::guessing();
    workspace.add_candidate(RULE);
    let result = workspace
        .run(Scripted::new(vec![adds(RULE)]), RepairBounds::default())
        .await
        .unwrap();
    assert_eq!(result.status, RepairStatus::AlreadyCovered);
    assert_eq!(workspace.rules(), [RULE]);
}

#[tokio::test]
async fn an_unknown_tool_is_answered_and_the_episode_goes_on() {
    let model = Scripted::new(vec![
        calls("harness_rule_promote", json!({})),
        resolves("no_proposal"),
    ]);
    let workspace = Workspace::guessing();
    let result = workspace
        .run(model.clone(), RepairBounds::default())
        .await
        .unwrap();
    assert_eq!(
        model.errors(),
        ["unsupported capability 'harness_rule_promote'"]
    );
    assert_eq!(result.status, RepairStatus::NoProposal);
}

#[tokio::test]
async fn malformed_arguments_are_answered_and_then_given_up() {
    let bad = || {
        Line::Calls(
            vec![("harness_rule_add", "{\"rule\": ".to_owned())],
            Some(20),
        )
    };
    assert_eq!(
        ends(vec![bad(), bad(), bad()]).await,
        failed(Category::MalformedReply)
    );
    let mended = vec![bad(), bad(), resolves("no_proposal")];
    assert_eq!(ends(mended).await, (RepairStatus::NoProposal, None));
}

#[tokio::test]
async fn empty_replies_are_reminded_and_then_given_up() {
    let empty = || Line::Says("", StopReason::Complete);
    assert_eq!(
        ends(vec![empty(), empty(), empty()]).await,
        failed(Category::MalformedReply)
    );
    let mended = vec![empty(), resolves("no_proposal")];
    assert_eq!(ends(mended).await, (RepairStatus::NoProposal, None));
}

#[tokio::test]
async fn a_refusal_and_a_cut_reply() {
    let says = |stop| vec![Line::Says("I would rather not.", stop)];
    assert_eq!(
        ends(says(StopReason::Refused)).await,
        failed(Category::Refusal)
    );
    assert_eq!(
        ends(says(StopReason::Truncated)).await,
        failed(Category::TruncatedReply)
    );
}

#[tokio::test]
async fn too_many_turns() {
    let looks = vec![calls("harness_notice_read", json!({})); 7];
    assert_eq!(ends(looks).await, timed_out(Category::TurnLimit));
}

#[tokio::test]
async fn too_many_tokens() {
    let greedy = |tokens| {
        vec![Line::Calls(
            vec![(
                "harness_notice_resolve",
                json!({"resolution": "no_proposal"}).to_string(),
            )],
            Some(tokens),
        )]
    };
    assert_eq!(ends(greedy(4097)).await, timed_out(Category::TokenLimit));
    assert_eq!(ends(greedy(4096)).await, (RepairStatus::NoProposal, None));
}

#[tokio::test]
async fn usage_that_is_not_reported_is_counted_at_its_worst() {
    let silent = Line::Calls(vec![("harness_notice_read", "{}".to_owned())], None);
    let model = Scripted::new(vec![silent, resolves("no_proposal")]);
    let workspace = Workspace::guessing();
    let result = workspace
        .run(model.clone(), RepairBounds::default())
        .await
        .unwrap();
    let granted: Vec<u64> = model
        .seen()
        .iter()
        .map(|seen| seen.max_output_tokens)
        .collect();
    assert_eq!(granted, [2816, 256]);
    assert_eq!(result.usage.output_tokens, 2816 + 20);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_hangs() {
    let workspace = Workspace::guessing();
    let result = run(&workspace, vec![Line::Hangs]).await;
    assert_eq!(
        (result.status, result.category),
        timed_out(Category::TimeLimit)
    );
    assert_eq!(result.model_time, Duration::from_secs(60));
    assert_eq!((result.usage.turns, result.usage.output_tokens), (0, 2816));
}

#[tokio::test(start_paused = true)]
async fn errors_of_the_model() {
    let fails = |error| vec![Line::Fails(error); 3];
    let limited = ModelError::RateLimited { retry_after: None };
    assert_eq!(
        ends(fails(ModelError::Unavailable)).await,
        failed(Category::ModelUnavailable)
    );
    assert_eq!(ends(fails(limited)).await, failed(Category::RateLimited));
    assert_eq!(
        ends(fails(ModelError::Malformed)).await,
        failed(Category::MalformedReply)
    );
    assert_eq!(
        ends(fails(ModelError::Unauthenticated)).await,
        failed(Category::ModelUnavailable)
    );
    let longer = ModelError::RateLimited {
        retry_after: Some(Duration::MAX),
    };
    assert_eq!(ends(fails(longer)).await, failed(Category::RateLimited));
    let mended = vec![
        Line::Fails(limited),
        Line::Fails(ModelError::Unavailable),
        resolves("no_proposal"),
    ];
    assert_eq!(ends(mended).await, (RepairStatus::NoProposal, None));
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_was_lost_is_counted_at_its_worst() {
    let lost = || Line::Fails(ModelError::Lost);
    let workspace = Workspace::guessing();
    let result = run(&workspace, vec![lost(), lost(), lost()]).await;
    assert_eq!(
        (result.status, result.category),
        failed(Category::ModelUnavailable)
    );
    assert_eq!(
        (result.usage.turns, result.usage.output_tokens),
        (0, 2816 + 256 + 256)
    );
    let workspace = Workspace::guessing();
    let result = run(&workspace, vec![lost(), resolves("no_proposal")]).await;
    assert_eq!(result.status, RepairStatus::NoProposal);
    assert_eq!(
        (result.usage.turns, result.usage.output_tokens),
        (1, 2816 + 20)
    );
}

#[tokio::test]
async fn a_bound_without_end_is_a_bound() {
    let endless = RepairBounds {
        time: Duration::MAX,
        ..RepairBounds::default()
    };
    let workspace = Workspace::guessing();
    let model = Scripted::new(vec![resolves("no_proposal")]);
    let result = workspace.run(model, endless).await.unwrap();
    assert_eq!(result.status, RepairStatus::NoProposal);
    let none = RepairBounds {
        time: Duration::ZERO,
        ..RepairBounds::default()
    };
    let workspace = Workspace::guessing();
    let model = Scripted::new(vec![resolves("no_proposal")]);
    let result = workspace.run(model.clone(), none).await.unwrap();
    assert_eq!(result.category, Some(Category::TimeLimit));
    assert!(model.seen().is_empty());
}

#[tokio::test]
async fn calls_of_one_reply_run_in_order_until_the_resolution() {
    let workspace = Workspace::guessing();
    let line = Line::Calls(
        vec![
            ("harness_notice_read", "{}".to_owned()),
            (
                "harness_notice_resolve",
                json!({"resolution": "no_proposal"}).to_string(),
            ),
            (
                "harness_rule_add",
                json!({"rule": RULE, "rationale": "late"}).to_string(),
            ),
        ],
        Some(20),
    );
    let result = run(&workspace, vec![line]).await;
    assert_eq!(
        (result.status, result.usage.tool_calls),
        (RepairStatus::NoProposal, 2)
    );
    assert!(workspace.rules().is_empty());
}
