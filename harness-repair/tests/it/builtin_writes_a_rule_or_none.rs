//! The built-in model through whole episodes: same tools, same desk, same bounds as any other.

use harness_core::{Applicability, ErrorClass, RepairStatus, Scope, ScopeHint, SpanStatus};
use harness_repair::RepairResult;

use crate::failures::{OK, call, guessing, notice, text, trace};
use crate::workspace::Workspace;

async fn repaired(workspace: &Workspace) -> RepairResult {
    let result = workspace.run_with(&workspace.builtin()).await.unwrap();
    assert_eq!(workspace.pending(), 0);
    assert_eq!(result.usage.output_tokens, 0);
    result
}

#[tokio::test]
async fn an_agent_that_guesses_is_told_to_look_first() {
    let workspace = Workspace::guessing();
    let result = repaired(&workspace).await;
    assert_eq!(result.status, RepairStatus::CandidateAdded);
    assert_eq!(
        workspace.rules(),
        [
            "Before calling `read_file`, call `list_files` and use for `path` only what it returned. \
          When `read_file` answers `not_found`, look again with `list_files`; never repeat the \
          call and never guess."
        ]
    );
    assert_eq!((result.usage.turns, result.model.as_str()), (5, "builtin"));
}

#[tokio::test]
async fn the_same_failure_again_is_covered_by_the_rule_it_led_to() {
    let workspace = Workspace::guessing();
    let first = repaired(&workspace).await;
    workspace.post(notice(2), guessing());
    let second = repaired(&workspace).await;
    assert_eq!(second.status, RepairStatus::AlreadyCovered);
    assert_eq!(second.existing_rule, first.new_rule);
    assert_eq!(workspace.rules().len(), 1);
}

#[tokio::test]
async fn a_rule_goes_where_the_host_recommends() {
    let mut hinted = notice(1);
    let scope = Scope::parse("archive").unwrap();
    hinted.scope_hints = vec![ScopeHint {
        key: scope.clone(),
        description: text("a store of old plans"),
        applicability: Applicability::Task,
        recommended: true,
    }];
    hinted.recommended_scope = Some(scope);
    let workspace = Workspace::with(hinted, guessing());
    assert_eq!(
        repaired(&workspace).await.status,
        RepairStatus::CandidateAdded
    );
    assert_eq!(workspace.scopes(), ["archive"]);
}

#[tokio::test]
async fn an_outage_is_unactionable_and_a_quiet_trace_has_nothing_to_propose() {
    let outage = SpanStatus::Failed(ErrorClass::Unavailable);
    let down = trace(vec![call(
        "fetch",
        ("page", "plans"),
        outage,
        "gone fishing",
    )]);
    let workspace = Workspace::with(notice(1), down);
    assert_eq!(
        repaired(&workspace).await.status,
        RepairStatus::Unactionable
    );

    let quiet = trace(vec![call(
        "fetch",
        ("page", "plans"),
        OK,
        "nothing planned",
    )]);
    let workspace = Workspace::with(notice(1), quiet);
    assert_eq!(repaired(&workspace).await.status, RepairStatus::NoProposal);
    assert!(workspace.rules().is_empty());
}

#[tokio::test]
async fn the_same_evidence_gives_the_same_rule() {
    let (one, two) = (Workspace::guessing(), Workspace::guessing());
    repaired(&one).await;
    repaired(&two).await;
    assert_eq!(one.rules(), two.rules());
}

#[tokio::test]
async fn a_rule_that_the_desk_refuses_ends_without_one() {
    // A result that says, word for word, what the rule would say.
    let parrot = "look again with list_files; never repeat the call and never guess";
    let mut spans = guessing().spans().to_vec();
    spans.push(call("list_files", ("folder", "x"), OK, parrot));
    let workspace = Workspace::with(notice(1), trace(spans));
    assert_eq!(repaired(&workspace).await.status, RepairStatus::NoProposal);
    assert!(workspace.rules().is_empty());
}
