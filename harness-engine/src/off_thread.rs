//! Work that may wait for a disk or a lock, away from the host's threads.

/// The work did not come back: the runtime is shutting down, or the work panicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the runtime is shutting down, or a step broke off")]
pub struct Lost;

/// Runs `step` on a thread that may block. If the caller stops waiting, the step still ends.
pub(crate) async fn off_thread<R: Send + 'static>(
    step: impl FnOnce() -> R + Send + 'static,
) -> Result<R, Lost> {
    tokio::task::spawn_blocking(step).await.map_err(|_| Lost)
}
