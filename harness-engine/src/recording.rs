//! An evaluated turn, and the end of a session, as the store takes them. Everything here blocks and
//! runs off the host's threads.

use std::collections::BTreeMap;

use harness_core::{MetricName, NoticeId, SessionId, Signature, TurnPayload};
use harness_rules::Scores;
use harness_store::wire::event::{CloseReason, Recovery, SessionClosed};
use harness_store::wire::score::GateState;
use harness_store::wire::trace::TraceDoc;
use harness_store::{NoticeToPost, StoreError, TurnOutcome, TurnRecord, WatchEvent};

use crate::counts;
use crate::diagnosis;
use crate::evaluation::Evaluation;
use crate::watcher::{WatchError, Watcher, lock};

/// What earlier turns left behind.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) digest: Option<[u8; 32]>,
    pub(crate) gates: BTreeMap<MetricName, GateState>,
    /// The last turn that was recorded.
    pub(crate) last: Option<u32>,
}

impl Watcher {
    pub(crate) fn known(&self, session: &SessionId, index: u32) -> Result<Known, StoreError> {
        let mut scores = lock(&self.scores);
        scores.refresh()?;
        Ok(scores
            .get(session)
            .map_or_else(Known::default, |known| Known {
                digest: known.digest(index).copied(),
                gates: known.gates().clone(),
                last: known.last().map(|last| last.index),
            }))
    }

    pub(crate) fn record(
        &self,
        turn: TurnPayload,
        digest: [u8; 32],
        evaluation: &Evaluation,
        shown: Vec<harness_core::RuleId>,
    ) -> Result<TurnOutcome, WatchError> {
        let signatures = diagnosis::signatures(evaluation);
        let events: Vec<WatchEvent> = self
            .recoveries(&turn.session, evaluation, &signatures)?
            .into_iter()
            .map(WatchEvent::from)
            .collect();
        let case = self.failure_case(&turn, evaluation, &signatures)?;
        let notices = if signatures.is_empty() {
            Vec::new()
        } else {
            let now = self.now();
            let bits = getrandom::u32().map_err(|_| WatchError::NoRandomness)?;
            vec![NoticeToPost {
                notice: diagnosis::notice(
                    &turn,
                    evaluation,
                    signatures,
                    shown,
                    NoticeId::from_parts(now, bits),
                    now,
                ),
                dump: Some(diagnosis::dump(
                    &turn,
                    evaluation,
                    Some(TraceDoc::keep(&turn.trace)),
                )),
            }]
        };
        let record = TurnRecord {
            session: turn.session.clone(),
            index: turn.index,
            digest,
            origin: turn.origin,
            principal: turn.principal.clone(),
            ended_at: turn.ended_at,
            scores: evaluation.scores(),
            gates: evaluation
                .gates
                .iter()
                .map(|(metric, state)| (metric.clone(), *state))
                .collect(),
            counts: Some(counts::of(&turn.trace)),
            notices,
            cooldown_turns: self.config.notice_cooldown_turns,
            observe_only: self.config.observe_only,
            latest: Some(diagnosis::dump(&turn, evaluation, None)),
            events,
        };
        let (book, conditions) = (self.book.clone(), evaluation.conditions());
        let outcome = self.watch.record_turn_with(record, move || {
            book.outcomes_of_turn(&turn.session, turn.index, &conditions)
        })?;
        self.keep_failure(case, &outcome);
        Ok(outcome)
    }

    /// The conditions that were reported and are over: their metric was scored and did not alert.
    fn recoveries(
        &self,
        session: &SessionId,
        evaluation: &Evaluation,
        now: &[Signature],
    ) -> Result<Vec<Recovery>, StoreError> {
        let seen = self.seen()?;
        let ((mailbox, _), _) = seen.get();
        Ok(mailbox
            .reported(session)
            .filter(|(signature, _)| {
                !now.contains(signature)
                    && evaluation.findings.iter().any(|finding| {
                        finding.spec.name == signature.metric && finding.score.is_some()
                    })
            })
            .map(|(signature, _)| Recovery {
                session: session.clone(),
                signature: signature.clone(),
            })
            .collect())
    }

    /// Closes a session. Whatever a turn of it still waits for is missing, whoever recorded the turn.
    pub(crate) fn close(
        &self,
        session: &SessionId,
        reason: CloseReason,
    ) -> Result<bool, StoreError> {
        let (turns, scores) = {
            let mut scores = lock(&self.scores);
            scores.refresh()?;
            match scores.get(session) {
                Some(known) if known.is_missing_a_score() => (known.turn_count(), Scores::Missing),
                Some(known) => (known.turn_count(), Scores::Complete),
                None => (0, Scores::Complete),
            }
        };
        let closed = SessionClosed {
            session: session.clone(),
            turns: u32::try_from(turns).unwrap_or(u32::MAX),
            reason,
        };
        let (book, session) = (self.book.clone(), session.clone());
        self.watch
            .close_session_with(closed, move || book.outcomes_at_close(&session, scores))
    }
}
