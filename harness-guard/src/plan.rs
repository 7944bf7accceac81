//! The plan: whether what an agent means to do was approved.

use tokio::sync::{Mutex, MutexGuard};

/// Where a plan stands, for the rest of a user's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanState {
    /// Nobody has looked at it.
    Waiting,
    /// Approved.
    Approved,
    /// Rejected.
    Rejected,
}

/// Lets actions wait until the plan was looked at. One asks; the others wait for the answer.
#[derive(Debug)]
pub(crate) struct PlanGate(Mutex<PlanState>);

impl PlanGate {
    /// A gate that is shut, or one that stands open for good.
    pub(crate) const fn new() -> Self {
        Self(Mutex::const_new(PlanState::Waiting))
    }

    pub(crate) async fn state(&self) -> MutexGuard<'_, PlanState> {
        self.0.lock().await
    }
}
