//! The one writer of a process: a thread with a queue. Everything is written under the kernel lock
//! and acknowledged when it is on disk. One who appends while nobody else is there does the
//! writer's work on its own thread, so that it waits for the disk alone.

mod core;
mod queue;
mod serve;
mod ticket;
mod tx;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub use self::core::Clock;
pub(crate) use self::core::Core;
pub(crate) use self::tx::put;
pub use self::tx::{Projection, Tx};

use self::queue::{Queue, Work};
use crate::error::StoreError;
use crate::journal::Committed;
use crate::registry::Registration;
use crate::wire::Event;

/// The handle that the writing halves share. When the last of them is dropped, what is queued is
/// written, the anchor settled and the thread ended.
#[derive(Debug)]
pub(crate) struct Writer {
    queue: Arc<Queue>,
    thread: Mutex<Option<JoinHandle<()>>>,
    lock_wait: Duration,
    /// Given back after the thread has ended.
    _registration: Registration,
}

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(
        core: Core,
        lock_wait: Duration,
        registration: Registration,
    ) -> Result<Arc<Self>, StoreError> {
        let queue = Arc::new(Queue::new(core));
        let serving = Arc::clone(&queue);
        let thread = thread::Builder::new()
            .name("harness-store".to_owned())
            .spawn(move || serve::serve(&serving))
            .map_err(|_| StoreError::Closed)?;
        Ok(Arc::new(Self {
            queue,
            thread: Mutex::new(Some(thread)),
            lock_wait,
            _registration: registration,
        }))
    }

    /// How long an operation without a deadline of its own waits.
    pub(crate) const fn lock_wait(&self) -> Duration {
        self.lock_wait
    }

    /// Appends `events`, all or nothing; shares its write and sync with what waits beside it.
    pub(crate) fn append(
        &self,
        wait: Duration,
        events: Vec<Event>,
    ) -> Result<Vec<Committed>, StoreError> {
        match serve::append_alone(&self.queue, events) {
            Ok(appended) => appended,
            Err(events) => self
                .queue
                .submit(Work::Append(events), Instant::now() + wait),
        }
    }

    /// Runs `job` on the writer thread with the lock held, and returns what it returned.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if it could not begin within `wait`; then it never will. Once it has
    /// begun, its end is waited for.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        wait: Duration,
        job: impl FnOnce(&mut Core) -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        let slot = Arc::new(Mutex::new(None));
        let answer = Arc::clone(&slot);
        let work = Work::Job(Box::new(move |core: &mut Core| {
            let value = job(core);
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        }));
        self.queue.submit(work, Instant::now() + wait)?;
        let value = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or(StoreError::JobBroke)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.close();
        let thread = self
            .thread
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        // A job may have held the last handle; the thread then ends by itself.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != thread::current().id())
        {
            // It catches what its jobs throw, so there is nothing to pass on.
            let _ = thread.join();
        }
    }
}
