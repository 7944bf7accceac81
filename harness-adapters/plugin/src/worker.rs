//! The thread on which a plugin works. Its calls have no end that could be forced: a caller that
//! stops waiting leaves it at work, and until it is done nobody else is served.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use tokio::sync::oneshot;

use crate::abi::{Called, Functions};

/// The thread, as callers see it. It ends when this does and its last call has.
#[derive(Debug)]
pub(crate) struct Worker {
    jobs: SyncSender<Job>,
    is_busy: Arc<AtomicBool>,
}

/// The plugin is still at work on an earlier call, or its thread is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Busy;

struct Job {
    asked: Vec<u8>,
    answer: oneshot::Sender<Called>,
}

impl Worker {
    pub(crate) fn start(functions: Functions) -> io::Result<Self> {
        let (jobs, waiting) = sync_channel(1);
        let is_busy = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_busy);
        thread::Builder::new()
            .name("harness-plugin".to_owned())
            .spawn(move || work(functions, &waiting, &flag))?;
        Ok(Self { jobs, is_busy })
    }

    /// Hands a call over; the answer comes through what is returned.
    pub(crate) fn call(&self, asked: Vec<u8>) -> Result<oneshot::Receiver<Called>, Busy> {
        if self.is_busy.swap(true, Ordering::AcqRel) {
            return Err(Busy);
        }
        let (answer, receiver) = oneshot::channel();
        self.jobs
            .try_send(Job { asked, answer })
            .map_err(|_| Busy)?;
        Ok(receiver)
    }
}

fn work(functions: Functions, jobs: &Receiver<Job>, is_busy: &AtomicBool) {
    while let Ok(Job { asked, answer }) = jobs.recv() {
        let called = functions.call(&asked);
        is_busy.store(false, Ordering::Release);
        // Whoever asked may have stopped waiting.
        let _ = answer.send(called);
    }
}
