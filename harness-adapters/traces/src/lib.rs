//! Recorded conversations as traces.
//!
//! Reads message lists of OpenAI's chat completions and of Anthropic's messages: an object with
//! `messages` and, if it likes, `session_id` and `model`; a bare list of messages; or JSON lines of
//! either. Reads spans: OTLP as JSON or as protocol buffers, single spans as SDKs print them,
//! traces and observations as Langfuse exports them; with the attributes of `gen_ai.*` and of
//! OpenInference. Any of it may be gzipped.
//!
//! # Promises
//! - No foreign bytes become a trace unchecked: every text in a [`Conversation`] went through
//!   [`Intake`](harness_sanitize::Intake), leaf by leaf, and every name was parsed.
//! - The same bytes give the same turns, in the same order, with the same ids.
//! - What cannot be read costs its message, its line or its document, never the rest, and is
//!   reported with its place, what was found and what was expected.
//! - Every span is accounted for: it is used, or dropped with a reason.
//!
//! # Never
//! - No I/O, clock, randomness or network: the caller reads the bytes and hashes what has no name.
//! - No panic on any bytes; no document, line, list, nest, expansion or text without a bound.
//! - No judgement of an answer. Of a tool's result it says only whether the call failed, and how.
//!
//! # Who may depend on it
//! The operator's binary, and hosts that feed in recordings. It depends on core and sanitize.
//!
//! # How it fails
//! [`Reader::read_document`] is total: what it could not read is in [`Document::unreadable`], and
//! spans that are in no turn are in [`Document::spans`].

#![forbid(unsafe_code)]

mod arguments;
mod class;
mod conversation;
mod failure;
mod gzip;
mod limits;
mod message;
mod reader;
mod spans;
#[cfg(test)]
mod testing;
mod trace_id;
mod turns;
mod unreadable;

pub use conversation::Conversation;
pub use failure::classify;
pub use limits::Limits;
pub use reader::{Document, Reader};
pub use spans::{DropReason, Dropped, SpanAccount, Spans};
pub use unreadable::{Place, Reason, Unreadable};
