//! Ports of the engine from outside the binary: a confined process in any language, or a library
//! that is loaded into this one.
//!
//! A process is the normal way. Its author writes a program that speaks lines of JSON, see
//! [`process`]; a host names it with what it needs ([`ProcessProgram`]) and starts it
//! ([`ProcessPlugin`]). A library is for code that is trusted like the host's own and called often:
//! its author writes [`Plugin`] and one macro, [`export_plugin!`](crate::export_plugin); a host pins
//! the file by its SHA-256, opens it ([`PinnedFile`]) and loads it ([`LoadedPlugin`]). Either is an
//! evaluator, a verifier or the model of the repair agent; a process can also replay, for its runs
//! call the host's tools, and nothing in a library calls back.
//!
//! # Promises
//! - A process runs in the sandbox of `harness-shell` with the needs that were declared, or not at
//!   all. Its crash, flood, hang, wrong or overlong line is that call's failure, of a class that is
//!   known ([`ProcessFailure`]), and no process of its tree outlives it.
//! - Nothing is loaded but the bytes whose SHA-256 is pinned: they are read once, through one
//!   handle, hashed, sealed in memory, and loaded from there; whoever changes or swaps the file
//!   meanwhile changes nothing.
//! - A library's file, or folder, that others can write is refused, whatever it holds.
//! - A panic in a library's own code is that call's failure, and so is an answer that is no JSON, is
//!   too long, or speaks of what the plugin did not declare.
//! - A library works on a thread of its own; a host's thread never waits for it, and one that is
//!   still at work is unavailable, not waited for.
//! - Every text that a plugin says goes through the intake before anybody else has it.
//!
//! # Never
//! - No library is unloaded: its code may still be known to somebody.
//! - No `unsafe` outside [`mod@abi`], where each block says why it is sound.
//! - No plugin is found or chosen by itself: no folder is searched, no environment is read.
//! - A library is not confined. One that is loaded can do whatever this process can, end it included; an abort, a
//!   stack overflow or a panic that leaves an `extern "C"` function does. That is why it is pinned,
//!   and opt-in.
//!
//! # Who may depend on it
//! Authors of plugins, hosts, and the binary. It depends on the engine and what that depends on.
//!
//! # How it fails
//! Loading returns [`LoadError`], starting [`ProcessError`]: the file's fault, the pin's, the
//! system's or the plugin's, each named. A call that fails is `Unavailable` or `Unscorable`, as the
//! engine expects of every evaluator.

#![deny(unsafe_code)]

pub mod abi;
mod answer;
mod author;
mod evaluator;
mod file;
mod loaded;
mod model;
mod plugged;
pub mod process;
mod worker;

pub use author::{Description, Plugin, Scored, Tier};
pub use evaluator::{PluginEvaluator, PluginVerifier};
pub use file::{FileError, Pin, PinnedFile};
pub use loaded::{LoadError, LoadedPlugin};
pub use model::PluginModel;
pub use plugged::Plugged;
pub use process::{
    Needs, Patience, PluginReplay, ProcessError, ProcessFailure, ProcessPlugin, ProcessProgram,
};
pub use serde_json::{Value, json};
