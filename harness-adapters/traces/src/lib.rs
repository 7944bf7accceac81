//! Recorded conversations as traces.
//!
//! Reads OpenAI chat-completion message lists: an object with `messages` and, if it likes,
//! `session_id` and `model`; a bare list of messages; or JSON lines of either.
//!
//! # Promises
//! - No foreign bytes become a trace unchecked: every text in a [`Conversation`] went through
//!   [`Intake`](harness_sanitize::Intake), leaf by leaf, and every name was parsed.
//! - The same bytes give the same turns, in the same order, with the same ids.
//! - What cannot be read costs its message, its line or its document, never the rest, and is
//!   reported with its place, what was found and what was expected.
//!
//! # Never
//! - No I/O, clock, randomness or network: the caller reads the bytes and hashes what has no name.
//! - No panic on any bytes; no document, line, list, nest or text without a bound.
//! - No judgement of an answer. Of a tool's result it says only whether the call failed, and how.
//!
//! # Who may depend on it
//! The operator's binary, and hosts that feed in recordings. It depends on core and sanitize.
//!
//! # How it fails
//! [`Reader::read_document`] is total: what it could not read is in [`Document::unreadable`].

#![forbid(unsafe_code)]

mod arguments;
mod class;
mod conversation;
mod failure;
mod limits;
mod message;
mod reader;
#[cfg(test)]
mod testing;
mod trace_id;
mod turns;
mod unreadable;

pub use conversation::Conversation;
pub use failure::classify;
pub use limits::Limits;
pub use reader::{Document, Reader};
pub use unreadable::{Place, Reason, Unreadable};
