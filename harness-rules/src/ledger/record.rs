//! A rule as the journal knows it.

use harness_core::{EpisodeId, Rule, RuleStatus, Timestamp};

use super::{Trial, TrialState};
use crate::search::Slot;

/// A rule with its history.
#[derive(Clone, Debug)]
pub struct RuleRecord {
    /// The rule as it was proposed.
    pub rule: Rule,
    /// SHA-256 of its text, in hex.
    pub text_sha256: String,
    /// Where it stands, derived.
    pub status: RuleStatus,
    /// Whether it was quarantined and so stands outside the caps on candidates.
    pub quarantined: bool,
    /// Whether it was taken over from another program: then it was no proposal here, and where it
    /// stood at first is that program's word.
    pub imported: bool,
    /// The episode that proposed it.
    pub episode: Option<EpisodeId>,
    /// The journal's number of its proposal: the order of proposals.
    pub added_seq: u64,
    /// Its openings, oldest first.
    pub trials: Vec<Trial>,
    /// When its status last changed.
    pub changed_at: Timestamp,
    /// Its place in the index.
    pub(crate) slot: Slot,
}

impl RuleRecord {
    /// The opening that is running, if one is.
    pub fn open_trial(&self) -> Option<&Trial> {
        self.trials
            .last()
            .filter(|trial| trial.state == TrialState::Open)
    }

    pub(super) fn open_trial_mut(&mut self) -> Option<&mut Trial> {
        self.trials
            .last_mut()
            .filter(|trial| trial.state == TrialState::Open)
    }
}
