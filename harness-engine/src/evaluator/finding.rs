//! What a metric found, and the words for it.

use std::fmt::Write;

use harness_core::{CleanString, Score, Span};
use harness_sanitize::Gate;

/// Bytes of a reason.
const MAX_REASON: usize = 600;
/// Kinds of thing a reason lists; further ones are counted.
const MAX_LISTED: usize = 4;
/// Characters of a tool's name in a reason.
const MAX_NAME: usize = 64;

/// A score and what led to it.
pub(super) struct Finding {
    pub(super) score: Option<Score>,
    pub(super) reason: String,
}

impl Finding {
    pub(super) fn new(score: Score, reason: impl Into<String>) -> Self {
        Self {
            score: Some(score),
            reason: reason.into(),
        }
    }

    /// The metric has nothing to say of this trace.
    pub(super) fn silent(reason: &str) -> Self {
        Self {
            score: None,
            reason: reason.to_owned(),
        }
    }
}

/// A reason as clean text: two clean names may be unclean side by side.
pub(super) fn clean(reason: &str) -> CleanString {
    Gate::with_max_len(MAX_REASON).clean(reason).into_owned()
}

/// The tool of a call as a reason names it.
pub(super) fn tool(call: &Span) -> String {
    call.name.as_str().chars().take(MAX_NAME).collect()
}

/// Lists things by how often they occur: "`move` not_found twice, `open` timeout once".
pub(super) fn tally(things: impl IntoIterator<Item = String>) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for thing in things {
        match counts.iter_mut().find(|(known, _)| *known == thing) {
            Some((_, count)) => *count += 1,
            None => counts.push((thing, 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut text = String::new();
    for (position, (thing, count)) in counts.iter().take(MAX_LISTED).enumerate() {
        let comma = if position == 0 { "" } else { ", " };
        // Writing to a string does not fail.
        let _ = write!(text, "{comma}{thing} {}", times(*count));
    }
    if counts.len() > MAX_LISTED {
        let _ = write!(text, " and {} more", counts.len() - MAX_LISTED);
    }
    text
}

fn times(count: usize) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        more => format!("{more} times"),
    }
}

/// "1 call", "2 calls".
pub(super) fn counted(count: usize, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_frequent_comes_first_and_the_rest_is_counted() {
        let things = ["b", "a", "b", "c", "d", "e", "b"].map(str::to_owned);
        assert_eq!(
            tally(things),
            "b 3 times, a once, c once, d once and 1 more"
        );
    }

    #[test]
    fn a_reason_is_bounded() {
        assert!(clean(&"word ".repeat(1000)).len() <= MAX_REASON);
    }
}
