//! Cases of the eval set: what failed, where the host wants that kept, and what the host calls a
//! win. A case holds what would replay its turn, which is session data.

use std::collections::BTreeMap;
use std::sync::Arc;

use harness_core::{CaseId, CaseKind, CleanText, EvalCase, Severity, Signature, TurnPayload};
use harness_store::{Capture, TurnOutcome};

use crate::evaluation::Evaluation;
use crate::off_thread::off_thread;
use crate::watcher::{WatchError, Watcher};

impl Watcher {
    /// The case that a turn makes if its notice is posted: none unless cases are wanted and the
    /// turn breached.
    pub(crate) fn failure_case(
        &self,
        turn: &TurnPayload,
        evaluation: &Evaluation,
        signatures: &[Signature],
    ) -> Result<Option<EvalCase>, WatchError> {
        let is_breach = signatures
            .iter()
            .any(|signature| signature.condition.severity() == Severity::Breach);
        if !is_breach || !self.config.capture_eval_cases || self.config.observe_only {
            return Ok(None);
        }
        let signatures = signatures.to_vec();
        self.case(turn, evaluation, CaseKind::Failure, signatures)
            .map(Some)
    }

    /// Keeps the case of a turn that was recorded. The turn stands whatever becomes of it.
    pub(crate) fn keep_failure(&self, case: Option<EvalCase>, outcome: &TurnOutcome) {
        let is_posted =
            matches!(outcome, TurnOutcome::Recorded { posted, .. } if !posted.is_empty());
        if let Some(case) = case.filter(|_| is_posted)
            && let Err(error) = self.watch.capture_case(case)
        {
            tracing::warn!(%error, "a failure could not be kept as an eval case");
        }
    }

    /// Keeps a turn as a win, with the scores that it gets by itself.
    pub(crate) async fn capture_win(
        self: &Arc<Self>,
        turn: TurnPayload,
    ) -> Result<Capture, WatchError> {
        let evaluation = self.judges.evaluate(&turn, BTreeMap::new()).await;
        let watcher = Arc::clone(self);
        off_thread(move || {
            let case = watcher.case(&turn, &evaluation, CaseKind::Win, Vec::new())?;
            Ok(watcher.watch.capture_case(case)?)
        })
        .await?
    }

    fn case(
        &self,
        turn: &TurnPayload,
        evaluation: &Evaluation,
        kind: CaseKind,
        signatures: Vec<Signature>,
    ) -> Result<EvalCase, WatchError> {
        let bits = getrandom::u64().map_err(|_| WatchError::NoRandomness)?;
        Ok(EvalCase {
            id: CaseId::from_bits(bits),
            created_at: self.now(),
            session: turn.session.clone(),
            kind,
            signatures,
            baseline: evaluation
                .findings
                .iter()
                .filter_map(|finding| Some((finding.spec.name.clone(), finding.score?)))
                .collect(),
            replay_input: turn.replay_input.clone(),
            notes: CleanText::empty(),
        })
    }
}
