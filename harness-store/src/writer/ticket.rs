//! Where a queued entry stands.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use super::queue::guard;
use crate::error::StoreError;
use crate::journal::Committed;

/// Where an entry stands, for its caller and the writer.
pub(super) struct Ticket {
    phase: Mutex<Phase>,
    changed: Condvar,
    pub(super) deadline: Instant,
}

enum Phase {
    Waiting,
    Begun,
    GivenUp,
    Done(Result<Vec<Committed>, StoreError>),
}

impl Ticket {
    pub(super) const fn new(deadline: Instant) -> Self {
        Self {
            phase: Mutex::new(Phase::Waiting),
            changed: Condvar::new(),
            deadline,
        }
    }

    /// Waits for the end of the work; `None` if it had not begun at the deadline. Then it will
    /// not begin.
    pub(super) fn wait(&self) -> Option<Result<Vec<Committed>, StoreError>> {
        let mut phase = guard(&self.phase);
        loop {
            match &*phase {
                Phase::Done(outcome) => return Some(outcome.clone()),
                Phase::GivenUp => return None,
                Phase::Begun => {
                    phase = self
                        .changed
                        .wait(phase)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Phase::Waiting => {
                    let Some(left) = self.deadline.checked_duration_since(Instant::now()) else {
                        *phase = Phase::GivenUp;
                        return None;
                    };
                    phase = self
                        .changed
                        .wait_timeout(phase, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0;
                }
            }
        }
    }

    /// Begins the work, unless its caller has given up.
    pub(super) fn begin(&self) -> bool {
        let mut phase = guard(&self.phase);
        let waiting = matches!(*phase, Phase::Waiting);
        if waiting {
            *phase = Phase::Begun;
        }
        waiting
    }

    /// Whether the caller still waits for the work to begin.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(*guard(&self.phase), Phase::Waiting)
    }

    /// Says how the work ended.
    pub(super) fn done(&self, outcome: Result<Vec<Committed>, StoreError>) {
        *guard(&self.phase) = Phase::Done(outcome);
        self.changed.notify_all();
    }
}
