//! Attempts at repair that have begun and not ended.

use std::collections::BTreeMap;

use harness_core::{EpisodeId, ResolutionKind, RuleId};

use crate::follow::Fold;
use crate::snapshot::Snapshot;
use crate::wire::as_text::Spelt;
use crate::wire::event::RepairContext;
use crate::wire::saved::SavedAttempt;
use crate::wire::{Event, Line};

/// An attempt under way, or cut short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenAttempt {
    /// The episode as the attempt began.
    pub context: RepairContext,
    /// How its notices were resolved, if they were.
    pub resolved: Option<(ResolutionKind, Option<RuleId>)>,
}

/// The attempts without a terminal event, by episode and number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempts(BTreeMap<(EpisodeId, u32), OpenAttempt>);

impl Attempts {
    /// The attempts, in order of episode and number.
    pub fn iter(&self) -> impl Iterator<Item = &OpenAttempt> {
        self.0.values()
    }

    pub(super) fn saved(&self) -> Vec<SavedAttempt> {
        let saved = self.iter().map(|attempt| {
            let resolved = attempt.resolved.as_ref();
            let resolved = resolved.map(|(kind, rule)| (Spelt(*kind), rule.clone().map(Spelt)));
            (attempt.context.clone(), resolved)
        });
        saved.collect()
    }

    pub(crate) fn restored(saved: Vec<SavedAttempt>) -> Self {
        let restored = saved.into_iter().map(|(context, resolved)| {
            let resolved = resolved.map(|(kind, rule)| (kind.0, rule.map(|spelt| spelt.0)));
            (key(&context), OpenAttempt { context, resolved })
        });
        Self(restored.collect())
    }
}

fn key(context: &RepairContext) -> (EpisodeId, u32) {
    (context.episode.clone(), context.attempt)
}

impl Fold for Attempts {
    fn apply(&mut self, line: &Line) {
        match line.event().map(|(_, event)| event) {
            Some(Event::RepairStarted(started)) => {
                let attempt = OpenAttempt {
                    context: started.context.clone(),
                    resolved: None,
                };
                self.0.insert(key(&started.context), attempt);
            }
            Some(Event::RepairNoticeResolved(resolved)) => {
                if let Some(attempt) = self.0.get_mut(&key(&resolved.context)) {
                    attempt.resolved = Some((resolved.kind, resolved.rule.clone()));
                }
            }
            Some(
                Event::RepairCompleted(end)
                | Event::RepairDuplicate(end)
                | Event::RepairAlreadyCovered(end)
                | Event::RepairNoProposal(end)
                | Event::RepairUnactionable(end)
                | Event::RepairTimedOut(end)
                | Event::RepairFailed(end)
                | Event::RepairCancelled(end),
            ) => {
                self.0.remove(&key(&end.context));
            }
            _ => {}
        }
    }

    fn reset(&mut self) {
        self.0.clear();
    }

    fn takes(&self, kind: &str) -> bool {
        matches!(
            kind,
            "repair_started"
                | "repair_notice_resolved"
                | "repair_completed"
                | "repair_duplicate"
                | "repair_already_covered"
                | "repair_no_proposal"
                | "repair_unactionable"
                | "repair_timed_out"
                | "repair_failed"
                | "repair_cancelled"
        )
    }

    fn take_up(&mut self, snapshot: &mut Snapshot) -> bool {
        snapshot.attempts().map(|taken| *self = taken).is_some()
    }
}
