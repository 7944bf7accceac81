//! Fitting a conversation into its budget: its middle becomes a summary.

use std::collections::BTreeMap;
use std::ops::Range;

use harness_store::wire::sha256_hex;

use super::message::{Message, MessageRole};
use crate::tool::Tools;

/// Characters of a token, about.
const CHARACTERS_PER_TOKEN: u64 = 4;
/// What the summary starts with.
pub const SUMMARY_START: &str = "[Part of this conversation was left out.";
/// Characters of a hash that the summary shows.
const SHOWN_HASH: usize = 16;

/// What trimming did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trimmed {
    pub(crate) dropped: u64,
    pub(crate) tokens_before: u64,
    pub(crate) tokens_after: u64,
    pub(crate) sha256: String,
}

/// Tokens of messages, estimated at four characters each.
pub fn estimated_tokens(messages: &[Message]) -> u64 {
    messages
        .iter()
        .map(|message| message.characters().div_ceil(CHARACTERS_PER_TOKEN))
        .sum()
}

/// Replaces the middle of a conversation by one summary once it holds more than `threshold`
/// tokens. What the host said first and the last `keep` messages stay; a call and its answer stay
/// together.
pub(crate) fn trim(
    messages: &mut Vec<Message>,
    threshold: u64,
    keep: usize,
    tools: &Tools,
) -> Option<Trimmed> {
    let tokens_before = estimated_tokens(messages);
    if tokens_before <= threshold {
        return None;
    }
    let range = middle(messages, keep);
    let dropped = messages.get(range.clone()).unwrap_or_default();
    // A summary in place of one message, or of an earlier summary alone, saves nothing.
    if dropped.len() < 2 {
        return None;
    }
    let sha256 = digest(dropped);
    let summary = Message::system(summary(dropped, &sha256, tools));
    let count = dropped.len() as u64;
    messages.splice(range, [summary]);
    Some(Trimmed {
        dropped: count,
        tokens_before,
        tokens_after: estimated_tokens(messages),
        sha256,
    })
}

/// What may go: behind what the host said first, before the messages that stay.
fn middle(messages: &[Message], keep: usize) -> Range<usize> {
    let is_head = |message: &&Message| {
        message.role == MessageRole::System && !message.content.starts_with(SUMMARY_START)
    };
    let head = messages.iter().take_while(is_head).count();
    let mut tail = messages.len().saturating_sub(keep).max(head);
    // An answer that stays keeps its call, and that one's other answers with it.
    while let Some(call) = earlier_call(messages, head, tail) {
        tail = call;
    }
    head..tail
}

/// The earliest message before `tail` with a call that is answered from `tail` on. An answer is of
/// the last call before it with its id: a provider may use an id again.
fn earlier_call(messages: &[Message], head: usize, tail: usize) -> Option<usize> {
    let kept = messages.iter().enumerate().skip(tail);
    kept.filter_map(|(at, message)| {
        let id = message.answers.as_deref()?;
        let before = messages.get(head..at).unwrap_or_default();
        let call = before
            .iter()
            .rposition(|message| message.calls.iter().any(|call| call.id == id))?;
        Some(head + call)
    })
    .filter(|call| *call < tail)
    .min()
}

fn digest(messages: &[Message]) -> String {
    let mut bytes = Vec::new();
    for part in messages.iter().flat_map(Message::parts) {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    sha256_hex(&bytes)
}

/// The summary: counts, names of tools that there are, a hash, and advice. Nothing that anybody
/// said is in it.
fn summary(dropped: &[Message], sha256: &str, tools: &Tools) -> String {
    let characters: u64 = dropped.iter().map(Message::characters).sum();
    let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
    for call in dropped.iter().flat_map(|message| &message.calls) {
        let name = tools
            .get(&call.name)
            .map_or("others", |tool| tool.spec.name());
        *calls.entry(name).or_default() += 1;
    }
    let calls: Vec<String> = calls
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    let calls = if calls.is_empty() {
        "none".to_owned()
    } else {
        calls.join(", ")
    };
    let hash = sha256.get(..SHOWN_HASH).unwrap_or(sha256);
    format!(
        "{SUMMARY_START} Messages: {}. Characters: {characters}. Calls: {calls}. Hash: {hash}. \
         Read a file again rather than rely on what it said.]",
        dropped.len()
    )
}
