//! What the three desks share: how long they wait, and how they fail.

use std::time::Duration;

use harness_core::RuleId;
use harness_store::StoreError;

/// How long a desk waits for the writers' lock.
pub(crate) const COMMIT_DEADLINE: Duration = Duration::from_secs(10);

/// Why a desk could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The workspace could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The rule is unknown, or retired already. The operator's fault.
    #[error("{0} is no live rule; `harness rules` lists them")]
    NotLive(RuleId),
    /// Another repair is going on in this workspace. Nobody's fault; it can be tried again.
    #[error("another episode is being repaired in this workspace; try again when it has ended")]
    EpisodeUnderWay,
    /// A notice of the episode is no longer pending. Nobody's fault: someone else resolved it.
    #[error("the notices of {0} are not all pending any more")]
    NotPending(harness_core::EpisodeId),
    /// The system gives no random numbers, so no id can be made. The machine's fault.
    #[error("the system gives no random numbers")]
    NoRandomness,
}
