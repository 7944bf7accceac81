//! Work of the desk away from the caller's thread: each step may wait for a disk or a lock.

use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

/// The step did not come back: the runtime is shutting down, or the step panicked. What it held
/// has been dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lost;

/// Runs `step` on a thread that may block. If the caller stops waiting, the step still ends.
pub(crate) async fn off_thread<R: Send + 'static>(
    step: impl FnOnce() -> R + Send + 'static,
) -> Result<R, Lost> {
    spawn_blocking(step).await.map_err(|_| Lost)
}

/// A value whose drop may block. Dropped on a runtime's thread, it goes elsewhere to be dropped;
/// so a cancelled repair does not hold up its caller.
#[derive(Debug)]
pub(crate) struct Held<T: Send + 'static>(Option<T>);

impl<T: Send + 'static> Held<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// Runs `step` on the value off the thread.
    pub(crate) async fn with<R: Send + 'static>(
        mut self,
        step: impl FnOnce(T) -> R + Send + 'static,
    ) -> Result<R, Lost> {
        match self.0.take() {
            Some(value) => off_thread(move || step(value)).await,
            None => Err(Lost),
        }
    }
}

impl<T: Send + 'static> Drop for Held<T> {
    fn drop(&mut self) {
        if let (Some(value), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            // A runtime that shuts down drops the closure, and the value with it.
            runtime.spawn_blocking(move || drop(value));
        }
    }
}
