//! Ports of the engine from outside the binary: a library that is loaded into this process.
//!
//! An author writes [`Plugin`] and one macro, [`export_plugin!`](crate::export_plugin). A host pins
//! the file by its SHA-256, opens it ([`PinnedFile`]), loads it ([`LoadedPlugin`]), and uses it as
//! an evaluator, a verifier or the model of the repair agent. The fourth port, replay, is none of
//! these: its runs call the host's tools, and nothing here calls back.
//!
//! # Promises
//! - Nothing is loaded but the bytes whose SHA-256 is pinned: they are read once, through one
//!   handle, hashed, sealed in memory, and loaded from there; whoever changes or swaps the file
//!   meanwhile changes nothing.
//! - A file, or a folder, that others can write is refused, whatever it holds.
//! - A panic in a plugin's own code is that call's failure, and so is an answer that is no JSON, is
//!   too long, or speaks of what the plugin did not declare.
//! - A plugin works on a thread of its own; a host's thread never waits for it, and a plugin that is
//!   still at work is unavailable, not waited for.
//!
//! # Never
//! - No library is unloaded: its code may still be known to somebody.
//! - No `unsafe` outside [`mod@abi`], where each block says why it is sound.
//! - No plugin is found or chosen by itself: no folder is searched, no environment is read.
//! - No confinement. A loaded library can do whatever this process can, end it included; an abort, a
//!   stack overflow or a panic that leaves an `extern "C"` function does. That is why it is pinned,
//!   and opt-in.
//!
//! # Who may depend on it
//! Authors of plugins, hosts, and the binary. It depends on the engine and what that depends on.
//!
//! # How it fails
//! Loading returns [`LoadError`]: the file's fault, the pin's or the plugin's, each named. A call
//! that fails is `Unavailable` or `Unscorable`, as the engine expects of every evaluator.

#![deny(unsafe_code)]

pub mod abi;
mod answer;
mod author;
mod evaluator;
mod file;
mod loaded;
mod model;
mod worker;

pub use author::{Description, Plugin, Scored, Tier};
pub use evaluator::{PluginEvaluator, PluginVerifier};
pub use file::{FileError, Pin, PinnedFile};
pub use loaded::{LoadError, LoadedPlugin};
pub use model::PluginModel;
pub use serde_json::{Value, json};
