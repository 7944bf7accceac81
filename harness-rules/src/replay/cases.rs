//! Which cases a candidate is replayed on: failures that share a signature with it, newest first,
//! and wins to protect, newest first. A case without an input cannot be replayed.

use std::cell::OnceCell;

use harness_core::{CaseKind, EvalCase, Rule};
use harness_store::Reader;

use crate::settings::ReplayBounds;

/// The eval set, read once if at all.
pub(crate) struct Cases<'a> {
    reader: &'a Reader,
    read: OnceCell<Vec<EvalCase>>,
}

impl<'a> Cases<'a> {
    pub(crate) const fn new(reader: &'a Reader) -> Self {
        Self {
            reader,
            read: OnceCell::new(),
        }
    }

    /// All that can be replayed, newest first. A set that cannot be read has none: then nothing is
    /// replayed, and the forward trial decides.
    fn newest_first(&self) -> impl Iterator<Item = &EvalCase> {
        self.read
            .get_or_init(|| {
                let set = self.reader.eval_set().unwrap_or_default();
                let replayable = |case: &&EvalCase| case.replay_input.is_some();
                set.cases()
                    .iter()
                    .rev()
                    .filter(replayable)
                    .cloned()
                    .collect()
            })
            .iter()
    }

    /// Failures that the rule answers.
    pub(crate) fn failures(&self, rule: &Rule) -> impl Iterator<Item = &EvalCase> {
        self.newest_first().filter(|case| {
            case.kind == CaseKind::Failure
                && case
                    .signatures
                    .iter()
                    .any(|signature| rule.failure_signatures.contains(signature))
        })
    }

    /// Wins to protect.
    pub(crate) fn wins(&self) -> impl Iterator<Item = &EvalCase> {
        self.newest_first()
            .filter(|case| case.kind == CaseKind::Win)
    }

    /// What one attempt replays: failures and wins. Nothing where no failure fits.
    pub(crate) fn of_attempt(
        &self,
        rule: &Rule,
        bounds: ReplayBounds,
    ) -> (Vec<EvalCase>, Vec<EvalCase>) {
        let failures: Vec<EvalCase> = self.failures(rule).take(bounds.failures).cloned().collect();
        let wins = if failures.is_empty() { 0 } else { bounds.wins };
        (failures, self.wins().take(wins).cloned().collect())
    }
}
