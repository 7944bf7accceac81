//! What came of an attempt at an episode.

use std::time::Duration;

use harness_core::{
    CleanString, EpisodeId, NoticeId, RepairSessionId, RepairStatus, RuleId, SessionId,
};
use harness_rules::{Category, DeskError, Usage};

/// An attempt that was opened and has ended, as it stands in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairResult {
    /// The conversation that failed.
    pub session: SessionId,
    /// The session of the repair.
    pub repair_session: RepairSessionId,
    /// The episode.
    pub episode: EpisodeId,
    /// Its notices; resolved if [`RepairStatus::acknowledges`], else pending.
    pub notices: Vec<NoticeId>,
    /// How it ended.
    pub status: RepairStatus,
    /// Why it was given up; `None` where nothing was.
    pub category: Option<Category>,
    /// The candidate that was added; also where the attempt was given up after that.
    pub new_rule: Option<RuleId>,
    /// The rule that covers the failure.
    pub existing_rule: Option<RuleId>,
    /// The model's name.
    pub model: CleanString,
    /// Turns, calls, output tokens and milliseconds used.
    pub usage: Usage,
    /// How long the model took of that.
    pub model_time: Duration,
}

/// Why there is no result. The notices stay pending in every case.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The desk did not open the episode, for example since another repair is running. Nothing
    /// began.
    #[error("the episode could not be opened")]
    NotOpened(#[source] DeskError),
    /// The store did not take the last step: the operator's disk, or another process.
    #[error("the end of the episode could not be recorded")]
    NotRecorded(#[source] DeskError),
    /// The runtime is shutting down, or a step panicked; the desk records a cancelled attempt.
    #[error("the repair was stopped from outside")]
    Stopped,
}
