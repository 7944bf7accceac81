//! The runtime that commands work in.

use anyhow::Result;
use tokio::runtime::{Builder, Runtime};

/// Threads that evaluate and repair; the writer has one of its own.
const WORKERS: usize = 2;

/// Starts it, with all that an engine, a provider of models or a child may need.
///
/// # Errors
/// The system gives no threads, or does not let it wait for sockets and children.
pub(crate) fn start() -> Result<Runtime> {
    Ok(Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()?)
}
