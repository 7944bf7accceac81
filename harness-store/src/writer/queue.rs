//! The writer's queue: bounded, each entry with a deadline until which its caller waits for it to
//! begin.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::core::Core;
use crate::error::StoreError;
use crate::journal::Committed;
use crate::wire::Event;

/// Entries that wait at most.
const MAX_QUEUED: usize = 1024;
/// Entries served in one turn of the lock at most, so that other processes get theirs.
const MAX_BATCH: usize = 256;

/// What an entry wants done.
pub(super) enum Work {
    /// Events to append, all or nothing.
    Append(Vec<Event>),
    /// Something to do with the lock held.
    Job(Box<dyn FnOnce(&mut Core) + Send>),
}

/// An entry.
pub(super) struct Entry {
    pub(super) work: Work,
    pub(super) ticket: Arc<Ticket>,
}

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

/// What the writer finds in the queue.
pub(super) enum Found {
    /// Entries, in the order in which they came.
    Batch(Vec<Entry>),
    /// Nothing for as long as it was willing to wait.
    Nothing,
    /// Nothing, and nothing will come.
    Closed,
}

#[derive(Default)]
struct State {
    entries: VecDeque<Entry>,
    closed: bool,
}

/// The queue.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    arrived: Condvar,
    left: Condvar,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Queue(..)")
    }
}

impl Queue {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Queues `work` and waits until it is done.
    pub(super) fn submit(
        &self,
        work: Work,
        deadline: Instant,
    ) -> Result<Vec<Committed>, StoreError> {
        let began = Instant::now();
        let busy = |began: Instant| StoreError::Busy {
            waited: began.elapsed(),
        };
        let ticket = Arc::new(Ticket {
            phase: Mutex::new(Phase::Waiting),
            changed: Condvar::new(),
            deadline,
        });
        let mut state = guard(&self.state);
        while state.entries.len() >= MAX_QUEUED && !state.closed {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                return Err(busy(began));
            };
            state = self
                .left
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        if state.closed {
            return Err(StoreError::Closed);
        }
        state.entries.push_back(Entry {
            work,
            ticket: Arc::clone(&ticket),
        });
        drop(state);
        self.arrived.notify_one();
        ticket.wait().unwrap_or_else(|| Err(busy(began)))
    }

    /// Waits for entries, `patience` long at most; for ever if it is `None`.
    pub(super) fn take(&self, patience: Option<Duration>) -> Found {
        let until = patience.map(|patience| Instant::now() + patience);
        let mut state = guard(&self.state);
        loop {
            if !state.entries.is_empty() {
                let count = state.entries.len().min(MAX_BATCH);
                let batch = state.entries.drain(..count).collect();
                self.left.notify_all();
                return Found::Batch(batch);
            }
            if state.closed {
                return Found::Closed;
            }
            state = match until {
                None => self
                    .arrived
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let Some(left) = until.checked_duration_since(Instant::now()) else {
                        return Found::Nothing;
                    };
                    self.arrived
                        .wait_timeout(state, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
            };
        }
    }

    /// Lets nothing in any more.
    pub(super) fn close(&self) {
        guard(&self.state).closed = true;
        self.arrived.notify_all();
        self.left.notify_all();
    }
}

impl Ticket {
    /// Waits for the end of the work; `None` if it had not begun at the deadline. Then it will
    /// not begin.
    fn wait(&self) -> Option<Result<Vec<Committed>, StoreError>> {
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

/// No state here is ever left half changed, so a poisoned lock is as good as another.
fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
