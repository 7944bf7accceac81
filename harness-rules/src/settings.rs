//! What a host may choose about rules.

use crate::evidence::Levels;
use crate::judge::EvaluatorIdentity;
use crate::ledger::Trial;

/// Whether sessions ever see candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provisional {
    /// In the sessions assigned to them.
    #[default]
    Trial,
    /// Never; then no forward trial gathers evidence.
    Never,
}

/// How much replay is done for a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayBounds {
    /// Attempts that an opening has; then the forward trial goes on with what was shown.
    pub attempts: u32,
    /// Pairs that each case is run in, an attempt.
    pub seeds: u32,
    /// Failures that an attempt replays.
    pub failures: usize,
    /// Wins that it replays.
    pub wins: usize,
}

impl Default for ReplayBounds {
    fn default() -> Self {
        Self {
            attempts: 3,
            seeds: 5,
            failures: 3,
            wins: 2,
        }
    }
}

/// Settings of this crate.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The error rates of promotion.
    pub levels: Levels,
    /// Whether sessions ever see candidates.
    pub provisional: Provisional,
    /// Whether rendered files hold the text of candidates; only for hosts without trials, as a file
    /// has no session and would undo the assignment.
    pub provisional_text_in_files: bool,
    /// How candidates are replayed; `None` where nobody can.
    pub replay: Option<ReplayBounds>,
    /// Who scores the sessions of this host: they enter only trials that are by it. `None` where
    /// there is but one evaluator.
    pub judge: Option<EvaluatorIdentity>,
}

impl Settings {
    /// Whether the scores of this host are those that a trial is by.
    pub(crate) fn judges(&self, trial: &Trial) -> bool {
        self.judge.as_ref().is_none_or(|judge| judge.judges(trial))
    }
}
