//! One file a promise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

mod an_agents_messages_are_read_in_both_dialects;
mod every_span_is_accounted_for;
mod no_foreign_bytes_become_a_trace_unchecked;
mod the_same_bytes_give_the_same_turns;
mod the_same_spans_in_every_export;
mod what_cannot_be_read_costs_only_itself;

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use harness_core::SessionId;
use harness_sanitize::{Gate, Intake, Redactor};
use harness_traces::{Document, Limits, Reader};

fn read_within(bytes: &[u8], limits: Limits) -> Document {
    let intake = Intake::new(Gate::default(), Redactor::patterns_only());
    Reader::new(&intake, limits).read_document(bytes, unnamed)
}

fn read(bytes: &[u8]) -> Document {
    read_within(bytes, Limits::default())
}

/// Names a conversation by its length, which is enough to see which bytes were handed over.
fn unnamed(bytes: &[u8]) -> SessionId {
    SessionId::parse(&format!("unnamed-{}", bytes.len())).unwrap()
}

/// The bytes, gzipped.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A conversation of one turn in which a tool fails.
fn conversation(session: &str) -> String {
    serde_json::json!({
        "session_id": session,
        "model": "small",
        "messages": [
            {"role": "user", "content": "move the box"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "1", "type": "function",
                 "function": {"name": "move", "arguments": "{\"to\": \"shelf\"}"}}
            ]},
            {"role": "tool", "tool_call_id": "1", "content": "Error: shelf not found"},
            {"role": "assistant", "content": "There is no shelf."},
        ],
    })
    .to_string()
}
