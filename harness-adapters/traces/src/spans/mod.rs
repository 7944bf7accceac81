//! Spans of foreign instrumentations as turns.
//!
//! Four stages, each with a file or a few: an export is decoded ([`otlp_json`], [`protobuf`],
//! [`langfuse`]) into spans with attributes; the [`vocabulary`] says what the attributes mean; the
//! spans of one trace become a [`turn`](mod@turn); turns become sessions ([`assemble`]). Every span
//! that was taken in is accounted for: it is used, or dropped with a reason ([`account`]).

mod account;
mod assemble;
mod attributes;
mod foreign;
mod langfuse;
mod otlp_json;
mod parts;
mod protobuf;
mod said;
mod shape;
mod steps;
mod told;
mod turn;
mod vocabulary;
mod wire;

pub use account::{DropReason, Dropped, SpanAccount};
pub use assemble::Spans;

pub(crate) use protobuf::{looks_like_protobuf, read as read_protobuf};
pub(crate) use shape::{holds_spans, read as read_json};
