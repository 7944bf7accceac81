//! From a failed turn to a candidate rule on trial, through real files.

use std::sync::Arc;

use async_trait::async_trait;
use harness_core::{Origin, RepairStatus, RuleStatus, Score, SpanStatus, TurnPayload};
use harness_engine::{EvaluationError, Verified, Verifier};

use crate::world::{World, clean, failing, fine, session};

/// Right if the last call worked.
pub(crate) struct LastCallWorked;

#[async_trait]
impl Verifier for LastCallWorked {
    async fn verify(&self, turn: &TurnPayload) -> Result<Verified, EvaluationError> {
        let worked = turn
            .trace
            .tool_calls()
            .next_back()
            .is_some_and(|span| span.status == SpanStatus::Ok);
        Ok(Verified {
            score: if worked { Score::ONE } else { Score::ZERO },
            reason: clean("whether the last call worked"),
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_turn_leads_to_one_rule_on_trial() {
    let world = World::new();
    let harness = world.open(Some(Arc::new(LastCallWorked)));
    let name = session("s-1");
    harness.begin_session(&name, None).await.unwrap();
    let _ = harness.record_turn(failing("s-1", 0, Origin::Live));
    let settled = harness.settle(&name).await;
    assert!(
        settled.complete && settled.failures.is_empty(),
        "{settled:?}"
    );
    assert_eq!(settled.notices.len(), 1);
    let repair = settled.repair.unwrap();
    assert_eq!(repair.status, RepairStatus::CandidateAdded, "{repair:?}");
    let rule = repair.new_rule.unwrap();
    let ledger = harness.book().ledger().unwrap();
    let record = ledger.rule(&rule).unwrap();
    assert_eq!(record.status, RuleStatus::Candidate);
    assert!(record.rule.text.as_str().contains("`read_file`"));
    assert!(record.open_trial().is_some());
    drop(ledger);
    assert!(world.file("rules.jsonl").exists());
    let processed = std::fs::read_dir(world.file("mailbox/processed")).unwrap();
    assert_eq!(processed.count(), 1);
    // Each thing is told once.
    let again = harness.settle(&name).await;
    assert!(again.notices.is_empty() && again.repair.is_none());
    assert!(harness.reader().audit().unwrap().ok);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_goes_well_leads_to_nothing() {
    let world = World::new();
    let harness = world.open(Some(Arc::new(LastCallWorked)));
    let name = session("s-1");
    harness.begin_session(&name, None).await.unwrap();
    let _ = harness.record_turn(fine("s-1", 0, Origin::Live));
    let settled = harness.settle(&name).await;
    assert_eq!((settled.recorded, settled.alerts), (1, 0));
    assert!(settled.notices.is_empty() && settled.repair.is_none());
}
