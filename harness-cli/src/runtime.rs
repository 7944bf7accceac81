//! The runtime that the engine works in.

use anyhow::Result;
use tokio::runtime::{Builder, Runtime};

/// Threads that evaluate and repair; the writer has one of its own.
const WORKERS: usize = 2;

/// Starts it.
///
/// # Errors
/// The system gives no threads.
pub(crate) fn start() -> Result<Runtime> {
    Ok(Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()?)
}
