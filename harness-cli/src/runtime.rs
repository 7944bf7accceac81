//! The runtimes that commands work in.

use anyhow::Result;
use tokio::runtime::{Builder, Runtime};

/// Threads that evaluate and repair; the writer has one of its own.
const WORKERS: usize = 2;

/// Starts the one that the engine needs.
///
/// # Errors
/// The system gives no threads.
pub(crate) fn start() -> Result<Runtime> {
    Ok(Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_time()
        .build()?)
}

/// Starts one on this thread, for commands that wait for processes.
///
/// # Errors
/// The system does not let it watch them.
pub(crate) fn for_processes() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}
