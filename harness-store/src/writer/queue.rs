//! The writer's queue: bounded, each entry with a deadline until which its caller waits for it to
//! begin; and whose turn it is to work with the core.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::core::Core;
use super::ticket::Ticket;
use crate::anchor::SYNC_EVERY;
use crate::error::StoreError;
use crate::journal::Committed;
use crate::wire::Event;

/// Entries that wait at most.
const MAX_QUEUED: usize = 1024;
/// Entries served in one turn of the lock at most, so that other processes get theirs.
const MAX_BATCH: usize = 256;
/// How long a batch waits at most for those who were answered with the last one; and never longer
/// than that one took.
const GATHER: Duration = Duration::from_micros(200);

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

/// What the writer thread finds in the queue.
pub(super) enum Found<'q> {
    /// Entries, in the order in which they came.
    Batch(Vec<Entry>, Serving<'q>),
    /// Nothing for a while, after something was written.
    Nothing(Serving<'q>),
    /// Nothing, and nothing will come; and whether anything was written since the last time.
    Closed(Serving<'q>, bool),
}

#[derive(Default)]
struct State {
    entries: VecDeque<Entry>,
    closed: bool,
    /// Whether somebody works with the core.
    busy: bool,
    /// How many entries the thread waits for, if it does.
    awaited: Option<usize>,
    /// When something was written last, if the thread has not seen to it since.
    written_at: Option<Instant>,
    /// How many callers there are side by side, as far as the last batch told.
    crowd: usize,
    /// How long the thread waits for a crowd.
    gather_until: Option<Instant>,
}

/// The queue.
pub(super) struct Queue {
    state: Mutex<State>,
    core: Mutex<Core>,
    /// The thread has something to do.
    arrived: Condvar,
    /// There is room for entries.
    left: Condvar,
}

/// The core, in the hands of one thread until this is dropped.
pub(super) struct Serving<'q> {
    queue: &'q Queue,
    began: Instant,
    /// Callers that are answered.
    served: usize,
    /// Entries that waited when the first of them was.
    beside: Option<usize>,
    core: MutexGuard<'q, Core>,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Queue(..)")
    }
}

impl Queue {
    pub(super) fn new(core: Core) -> Self {
        Self {
            state: Mutex::default(),
            core: Mutex::new(core),
            arrived: Condvar::new(),
            left: Condvar::new(),
        }
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
        let ticket = Arc::new(Ticket::new(deadline));
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
        self.wake(state);
        ticket.wait().unwrap_or_else(|| Err(busy(began)))
    }

    /// The core for one who needs no other thread for its work: nobody else is there.
    pub(super) fn alone(&self) -> Option<Serving<'_>> {
        let mut state = guard(&self.state);
        let alone = !state.busy && !state.closed && state.entries.is_empty() && state.crowd <= 1;
        alone.then(|| self.serving(&mut state, 1))
    }

    /// Waits until there is something for the thread to do.
    pub(super) fn take(&self) -> Found<'_> {
        let mut state = guard(&self.state);
        loop {
            let now = Instant::now();
            let gathers = state.gather_until.is_some_and(|until| now < until);
            let enough = if gathers {
                state.crowd.min(MAX_BATCH)
            } else {
                1
            };
            let gather = state.gather_until.filter(|_| gathers);
            let due = state.written_at.map(|at| at + SYNC_EVERY);
            if !state.busy {
                if state.entries.len() >= enough.max(1) || state.closed && !state.entries.is_empty()
                {
                    let count = state.entries.len().min(MAX_BATCH);
                    let batch = state.entries.drain(..count).collect();
                    if state.entries.len() + count >= MAX_QUEUED {
                        self.left.notify_all();
                    }
                    let serving = self.serving(&mut state, count);
                    return Found::Batch(batch, serving);
                }
                if state.closed {
                    let unsettled = state.written_at.take().is_some();
                    return Found::Closed(self.serving(&mut state, 0), unsettled);
                }
                if due.is_some_and(|due| due <= now) {
                    state.written_at = None;
                    return Found::Nothing(self.serving(&mut state, 0));
                }
            }
            // Who is busy says so when there are entries or there was nothing to be settled before;
            // what is to be settled is looked for.
            let due = due.map(|due| if state.busy { now + SYNC_EVERY } else { due });
            let until = gather.or(due);
            state.awaited = Some(enough);
            state = match until.map(|until| until.saturating_duration_since(now)) {
                None => self
                    .arrived
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    self.arrived
                        .wait_timeout(state, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
            };
            state.awaited = None;
        }
    }

    /// Lets nothing in any more.
    pub(super) fn close(&self) {
        guard(&self.state).closed = true;
        self.arrived.notify_all();
        self.left.notify_all();
    }

    fn serving<'q>(&'q self, state: &mut State, served: usize) -> Serving<'q> {
        state.busy = true;
        Serving {
            queue: self,
            began: Instant::now(),
            served,
            beside: None,
            core: guard(&self.core),
        }
    }

    /// Wakes the thread if what it waits for is there.
    fn wake(&self, mut state: MutexGuard<'_, State>) {
        let is_there = |awaited| state.closed || state.entries.len() >= awaited;
        if !state.busy && state.awaited.is_some_and(is_there) {
            state.awaited = None;
            drop(state);
            self.arrived.notify_one();
        }
    }
}

impl Serving<'_> {
    /// Whoever is served is about to be answered, and may come again: who waits by now is another.
    pub(super) fn about_to_answer(&mut self) {
        let waiting = || guard(&self.queue.state).entries.len();
        self.beside.get_or_insert_with(waiting);
    }
}

impl Deref for Serving<'_> {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl DerefMut for Serving<'_> {
    fn deref_mut(&mut self) -> &mut Core {
        &mut self.core
    }
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        let now = Instant::now();
        let mut state = guard(&self.queue.state);
        state.busy = false;
        if self.served > 0 {
            // The thread sleeps as long as there is nothing to be settled.
            let is_first = state.written_at.replace(now).is_none();
            state.crowd = self.served + self.beside.unwrap_or(0);
            state.gather_until =
                (state.crowd > 1).then(|| now + GATHER.min(now.duration_since(self.began)));
            if is_first && state.awaited.take().is_some() {
                drop(state);
                self.queue.arrived.notify_one();
                return;
            }
        }
        self.queue.wake(state);
    }
}

/// No state here is ever left half changed, so a poisoned lock is as good as another.
pub(super) fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
