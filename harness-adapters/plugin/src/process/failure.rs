//! How a call of a process plugin fails.

use harness_core::CleanString;
use harness_shell::{Decision, NameRefused, NoBackend, RunError};

use super::lines::MAX_LINE;

/// Why a call came to nothing: the plugin's fault, but for what the system or the host refuses. The
/// set is closed, and no text of the plugin's is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ProcessFailure {
    /// The system does not start it.
    #[error("the plugin does not start")]
    Start,
    /// It speaks another version of the protocol, or none.
    #[error("the plugin speaks another version")]
    Version,
    /// It does not say what it is.
    #[error("the plugin does not say what it is")]
    Undescribed,
    /// Started again, it says that it is another.
    #[error("the plugin has become another")]
    Changed,
    /// It ended, or closed its output, before it answered.
    #[error("the plugin ended before it answered")]
    Ended,
    /// It did not answer in time.
    #[error("the plugin gives no answer")]
    TimedOut,
    /// A line of it is longer than is read.
    #[error("a line of the plugin has more than {MAX_LINE} bytes")]
    TooLong,
    /// A line of it is none of the protocol.
    #[error("a line of the plugin is none of the protocol")]
    NoLine,
    /// It answers something that was not asked, or was asked before.
    #[error("the plugin answers what was not asked")]
    OtherId,
    /// It calls back more often than a run may.
    #[error("the plugin calls back too often")]
    TooManySteps,
    /// The call itself is longer than a line.
    #[error("the call has more than {MAX_LINE} bytes")]
    AskedTooMuch,
    /// It failed before, and is not started again yet.
    #[error("the plugin failed and is not started again yet")]
    Resting,
    /// Others are waiting for it, as many as may.
    #[error("the plugin is still at work on earlier calls")]
    Busy,
}

/// A failure, and what the plugin said on standard error before it ended: redacted, cleaned, cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The failure.
    pub failure: ProcessFailure,
    /// Its last words.
    pub stderr: CleanString,
}

/// Why there is no plugin.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The operator's fault: the program is not there, or others could replace it.
    #[error("the plugin's program is refused: {}", .0.reason())]
    Program(Decision),
    /// The operator's fault: it declares a variable that no program gets.
    #[error("the plugin's needs are refused: {0}")]
    Needs(#[from] NameRefused),
    /// The host's system: nothing confines there, so nothing runs.
    #[error(transparent)]
    Sandbox(#[from] NoBackend),
    /// The host's system: it does not start.
    #[error("the plugin does not start: {0}")]
    Start(#[from] RunError),
    /// The plugin's fault: it did not describe itself. What it said on standard error comes along.
    #[error("{}{}", .0.failure, said(&.0.stderr))]
    Handshake(Failed),
    /// The runtime is shutting down.
    #[error(transparent)]
    Lost(#[from] harness_engine::Lost),
}

fn said(stderr: &CleanString) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; it said {}", harness_core::Quoted(stderr.as_str()))
    }
}
