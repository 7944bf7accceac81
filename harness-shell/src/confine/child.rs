//! A confined process that stays: a handle with its streams, whose tree is dead before closing or
//! dropping it returns.

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::outcome::{Outcome, RunError};

/// Bytes that are handed to a child, or taken from it, at once.
pub(crate) const PIECE: usize = 16 * 1024;
/// Pieces that wait on either side; whoever is ahead of that waits.
#[cfg(target_os = "linux")]
const AHEAD: usize = 8;

/// How long a child may stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until it is closed or dropped.
    UntilClosed,
    /// This long from its start, if it is not closed before.
    Within(Duration),
}

/// A child that stays, confined like any command, with its input and output.
///
/// A thread of its own started it and keeps it: it moves what is written and read, drains standard
/// error, looks after time and memory, and ends the whole tree when the first process has ended,
/// when a bound is met, and when this value is closed or dropped. It needs no runtime.
///
/// Dropping it kills the tree and waits for it to be dead, which takes as long as the kernel takes
/// to bury what is killed: milliseconds. One that the kernel holds in a call is waited for ten
/// seconds and no longer; it is killed all the same. Closing waits as long, without blocking a thread.
#[derive(Debug)]
pub struct ConfinedChild {
    input: Input,
    output: Output,
    wake: Arc<Wake>,
    over: oneshot::Receiver<Result<Outcome, RunError>>,
    keeper: Option<JoinHandle<()>>,
}

/// What is said to a child.
#[derive(Debug)]
pub struct Input {
    pieces: mpsc::Sender<Vec<u8>>,
    wake: Arc<Wake>,
}

/// What a child says.
#[derive(Debug)]
pub struct Output {
    chunks: mpsc::Receiver<Vec<u8>>,
    wake: Arc<Wake>,
}

/// The child has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the child has ended")]
pub struct InputClosed;

/// What the keeper's thread is woken by, and told to stop by.
#[derive(Debug)]
pub(crate) struct Wake {
    // INVARIANT: an `eventfd` that does not block.
    event: File,
    stop: AtomicBool,
}

impl Wake {
    fn now(&self) {
        // Full, it wakes as well.
        let _ = (&self.event).write(&1_u64.to_ne_bytes());
    }
}

#[cfg(target_os = "linux")]
impl Wake {
    /// What the keeper waits for.
    pub(crate) const fn event(&self) -> &File {
        &self.event
    }

    /// Takes back the calls so far; says whether the keeper is to stop.
    pub(crate) fn says_stop(&self) -> bool {
        let _ = std::io::Read::read(&mut &self.event, &mut [0; 8]);
        self.stop.load(Ordering::Acquire)
    }
}

impl ConfinedChild {
    /// Its two streams, to be used at the same time.
    pub const fn streams(&mut self) -> (&mut Input, &mut Output) {
        (&mut self.input, &mut self.output)
    }

    /// Says `bytes` to it.
    ///
    /// # Errors
    /// [`InputClosed`].
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), InputClosed> {
        self.input.write(bytes).await
    }

    /// What it says next; nothing once it has ended or closed its output, and all is read.
    pub async fn read(&mut self) -> Option<Vec<u8>> {
        self.output.read().await
    }

    /// Waits for it to end by itself, or to meet a bound; what it still says is dropped. Its whole
    /// tree is dead then. See [`Self::close`] for what is returned.
    ///
    /// # Errors
    /// As of [`Self::close`].
    pub async fn wait(mut self) -> Result<Outcome, RunError> {
        while self.read().await.is_some() {}
        (&mut self.over).await.unwrap_or(Err(RunError::Runtime))
    }

    /// Ends it, and returns when its whole tree is dead. What it said on standard error is in the
    /// outcome; standard output was read, and is empty there.
    ///
    /// # Errors
    /// [`RunError::Watch`]: it could not be watched, or the kernel holds a process of it.
    pub async fn close(mut self) -> Result<Outcome, RunError> {
        self.stop();
        (&mut self.over).await.unwrap_or(Err(RunError::Runtime))
    }

    fn stop(&mut self) {
        // The keeper waits for no reader any more.
        self.output.chunks.close();
        self.wake.stop.store(true, Ordering::Release);
        self.wake.now();
    }
}

impl Drop for ConfinedChild {
    fn drop(&mut self) {
        self.stop();
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

impl Input {
    /// Hands `bytes` over, piece by piece, as the child reads them.
    ///
    /// # Errors
    /// [`InputClosed`].
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), InputClosed> {
        for piece in bytes.chunks(PIECE) {
            let sent = self.pieces.send(piece.to_vec()).await;
            sent.map_err(|_| InputClosed)?;
            self.wake.now();
        }
        Ok(())
    }
}

impl Output {
    /// The next bytes, at most as many as a pipe gives at once; nothing behind the end.
    pub async fn read(&mut self) -> Option<Vec<u8>> {
        let chunk = self.chunks.recv().await;
        self.wake.now();
        chunk
    }
}

/// The keeper's ends of the handle.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) pieces: mpsc::Receiver<Vec<u8>>,
    pub(crate) chunks: Option<mpsc::Sender<Vec<u8>>>,
    pub(crate) wake: Arc<Wake>,
    pub(crate) over: oneshot::Sender<Result<Outcome, RunError>>,
}

#[cfg(target_os = "linux")]
impl ConfinedChild {
    /// A handle whose keeper `start` starts; `event`, an `eventfd` that does not block, wakes it.
    ///
    /// # Errors
    /// Of `start`.
    pub(crate) fn kept(
        event: File,
        start: impl FnOnce(Ends) -> std::io::Result<JoinHandle<()>>,
    ) -> std::io::Result<Self> {
        let wake = Arc::new(Wake {
            event,
            stop: AtomicBool::new(false),
        });
        let (pieces, taken) = mpsc::channel(AHEAD);
        let (said, chunks) = mpsc::channel(AHEAD);
        let (tell, over) = oneshot::channel();
        let keeper = start(Ends {
            pieces: taken,
            chunks: Some(said),
            wake: Arc::clone(&wake),
            over: tell,
        })?;
        Ok(Self {
            input: Input {
                pieces,
                wake: Arc::clone(&wake),
            },
            output: Output {
                chunks,
                wake: Arc::clone(&wake),
            },
            wake,
            over,
            keeper: Some(keeper),
        })
    }
}
