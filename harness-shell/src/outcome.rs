//! What came of a command that ran.

use std::io;

use harness_core::CleanString;

use crate::confine::Backend;

/// The exit code that stands for a timeout, as `timeout(1)` has it.
pub const TIMEOUT_CODE: i32 = 124;
/// What shells add to the number of the signal that ended a process.
const SIGNAL_BASE: i32 = 128;

/// How a command ended. Its whole tree is dead in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, which was not ours.
    Signalled(i32),
    /// The time was up.
    TimedOut,
    /// It went over a bound, and the kernel or we ended it.
    OverLimit(Limit),
    /// Whoever waited for it went away.
    Cancelled,
}

/// A bound that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Processor time.
    Cpu,
    /// Memory of the tree.
    Memory,
    /// Size of a file.
    FileSize,
}

impl Limit {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "processor time",
            Self::Memory => "memory",
            Self::FileSize => "file size",
        }
    }
}

/// What a command left behind, ready for an agent's eyes: redacted, cleaned, within its bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// Standard output.
    pub stdout: CleanString,
    /// Standard error.
    pub stderr: CleanString,
    /// Bytes of both streams that were dropped, because they were more than is kept.
    pub dropped_bytes: u64,
    /// What confined it.
    pub backend: Backend,
}

impl Outcome {
    /// The code as shells report it: 124 for a timeout, 128 and more for a signal.
    pub const fn exit_code(&self) -> i32 {
        match self.ended {
            Ended::Exited(code) => code,
            Ended::Signalled(signal) => SIGNAL_BASE + signal,
            Ended::TimedOut => TIMEOUT_CODE,
            // As if by SIGXCPU, SIGKILL, SIGXFSZ, SIGTERM.
            Ended::OverLimit(Limit::Cpu) => SIGNAL_BASE + 24,
            Ended::OverLimit(Limit::Memory) => SIGNAL_BASE + 9,
            Ended::OverLimit(Limit::FileSize) => SIGNAL_BASE + 25,
            Ended::Cancelled => SIGNAL_BASE + 15,
        }
    }
}

/// Why there is no outcome. Whatever was started is dead.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The host's fault: the command was allowed for another workspace than this sandbox has.
    #[error("the command was allowed for another workspace")]
    Elsewhere,
    /// The system's fault: the command did not start.
    #[error("the command does not start")]
    Start(#[source] io::Error),
    /// The system's fault: the command could not be watched to its end, or the kernel holds a
    /// process of it that is killed.
    #[error("the command cannot be watched to its end")]
    Watch(#[source] io::Error),
    /// The host's fault: its runtime is shutting down.
    #[error("the runtime that runs the command has ended")]
    Runtime,
}
