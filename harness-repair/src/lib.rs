//! The repair agent: one failure episode, worked through by a model within bounds.
//!
//! # Promises
//! - An episode ends in exactly one status. It adds at most one candidate rule, and a retry of an
//!   episode that has one goes on with it.
//! - What is given up, timed out or cancelled acknowledges nothing: every notice is pending or
//!   resolved, never between, wherever the future is dropped.
//! - Time, turns, output tokens and evidence are bounded, and checked between every two steps;
//!   what a model does not report, and a reply that was lost, is counted at its worst.
//! - A model sees only what passed the gate, redacted and cut leaf by leaf, and can do only what
//!   its nine tools do, on its own episode.
//!
//! # Never
//! - It chooses no model: the caller does, and the built-in one is offline and free.
//! - No network, file, environment or wall clock of its own; no blocking of its caller's thread.
//! - No promotion, no retirement, no verdict; nothing but what the repair desk offers.
//! - No panic on anything that a model says.
//!
//! # Who may depend on it
//! The engine, and through it the adapters and the binary; adapters implement [`RepairModel`].
//!
//! # How it fails
//! A model's error, refusal or nonsense is a [`RepairResult`] with a status and a category, and
//! leaves the notices pending. Only an episode that could not be opened, or an end that could not
//! be recorded, is a [`RepairError`].

#![forbid(unsafe_code)]

mod agent;
mod attempt;
mod backoff;
mod bounds;
mod builtin;
mod evidence;
mod model;
mod off_thread;
mod prompt;
mod result;
#[cfg(test)]
mod testing;
mod tools;
mod trace;
mod work;

pub use agent::{ModelChoice, RepairAgent};
pub use bounds::RepairBounds;
pub use builtin::BuiltinModel;
pub use model::{
    Answer, Asked, Exchange, ModelCall, ModelError, ModelReply, ModelRequest, RepairModel,
    StopReason,
};
pub use result::{RepairError, RepairResult};
pub use tools::{ToolSchema, repair_tools};
pub use trace::{RepairTrace, TraceSink, TracedCall, TracedTurn};
