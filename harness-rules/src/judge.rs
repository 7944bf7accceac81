//! Who scores, and when another takes over.
//!
//! A trial is by one evaluator. Hosts of different versions may share a workspace, and if each opened
//! every trial anew for its own, none would ever end and each turn would spend a number. So a trial
//! goes on under the evaluator that it was opened for; sessions of other hosts do not enter it, and
//! a turn that another evaluator judged has no score of this one. It is opened anew
//! - at once for an evaluator that no opening of the rule was by: a new version is a change;
//! - for one that had its turn only once the present one is gone: [`SILENCE`] live sessions began
//!   since the trial opened or last met one, and twice as many after each such return. With n
//!   sessions in all there are at most log₂(n / [`SILENCE`]) + 1 returns.
//!
//! Who judges hangs on the host alone, so it tells no arm from the other, and an opening anew starts
//! with nothing, under a key and a number of its own.

use harness_core::CleanString;

use crate::ledger::{Ledger, RuleRecord, Trial};

/// Live sessions in which a trial meets nobody, before an evaluator that had its turn takes it back.
const SILENCE: u64 = 20;

/// Doublings that are counted: more sessions than there can be.
const MOST_DOUBLINGS: usize = 40;

/// Who scores, as trials record it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluatorIdentity {
    /// Its name.
    pub name: CleanString,
    /// Its version.
    pub version: CleanString,
}

impl EvaluatorIdentity {
    /// Whether a trial is by this evaluator.
    pub(crate) fn judges(&self, trial: &Trial) -> bool {
        trial.evaluator.0 == self.name.as_str() && trial.evaluator.1 == self.version.as_str()
    }

    /// Whether it takes over a trial that is by another.
    pub(crate) fn takes_over(&self, ledger: &Ledger, record: &RuleRecord, trial: &Trial) -> bool {
        let had_its_turn = record.trials.iter().any(|opening| self.judges(opening));
        let silence = ledger.live_sessions().saturating_sub(trial.met_at);
        !self.judges(trial) && (!had_its_turn || silence >= SILENCE << returns(record))
    }
}

/// How often a rule was opened for an evaluator that was gone and came back.
fn returns(record: &RuleRecord) -> usize {
    let openings = &record.trials;
    let is_return = |at: &usize| {
        let (before, now) = openings.split_at(*at);
        now.first().zip(before.last()).is_some_and(|(now, last)| {
            let same = |opening: &Trial| opening.evaluator == now.evaluator;
            !same(last) && before.iter().any(same)
        })
    };
    (1..openings.len())
        .filter(is_return)
        .count()
        .min(MOST_DOUBLINGS)
}
