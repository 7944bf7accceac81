//! The scan: a text as it came, as it reads, and as it decodes.

use std::ops::Range;
use std::sync::LazyLock;

use harness_core::text::MARKERS;
use harness_core::text::markers::Markers;

use super::encoded::pieces;
use super::finding::{Finding, FindingKind};
use super::gathered::Gathered;
use super::hidden::hidden_channels;
use super::orders::TRIGGERS;
use super::phrases::phrases;
use super::reading::read;
use crate::literals::Literals;

/// Layers of encoding that are taken off.
const MAX_LAYERS: usize = 3;
/// Bytes of decoded text that are scanned, over all layers of one text.
const MAX_DECODED: usize = 262_144;
/// Text on either side of a trigger that is read, in bytes.
const CONTEXT: usize = 256;

/// Ends of fences that others put around untrusted text.
const FENCES: &[&str] = &[
    "</tool_result>",
    "</user_input>",
    "</external_document>",
    "</untrusted_content>",
    "</untrusted-content>",
    "[untrusted content",
    "[end untrusted content",
    "[end of untrusted content",
];

/// Finds in a text what speaks to a model.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Scanner {}

impl Scanner {
    /// A scanner.
    pub const fn new() -> Self {
        Self {}
    }

    /// What is found in `text`, in order of place, [`MAX_FINDINGS`](super::MAX_FINDINGS) at most,
    /// hard ones before soft ones. Linear in its length.
    pub fn scan(&self, text: &str) -> Vec<Finding> {
        let mut budget = MAX_DECODED;
        layer(text, MAX_LAYERS, &mut budget).into_findings()
    }
}

fn layer(text: &str, layers: usize, budget: &mut usize) -> Gathered {
    let mut found = Gathered::default();
    hidden_channels(text, &mut found);
    markers(text, &mut found);
    fences(text, &mut found);
    for part in telling_parts(text) {
        let reading = read(text.get(part.clone()).unwrap_or_default(), part.start);
        phrases(&reading, &mut found);
    }
    if layers > 0 && !found.is_full() {
        for (place, decoded) in pieces(text) {
            let Some(rest) = budget.checked_sub(decoded.len()) else {
                break;
            };
            *budget = rest;
            if !layer(&decoded, layers - 1, budget).is_empty() {
                found.push(Finding {
                    kind: FindingKind::EncodedPayload,
                    start: place.start,
                    end: place.end,
                });
            }
        }
    }
    found
}

/// Our own voice, our delimiters, and the tokens of chat templates, in any disguise.
fn markers(text: &str, found: &mut Gathered) {
    let mut from = 0;
    while let Some(marker) = Markers::built_in().find(text, from) {
        if found.is_full() {
            return;
        }
        let kind = match MARKERS.get(marker.index).copied().unwrap_or_default() {
            "<harness-" | "</harness-" => FindingKind::Fence,
            "PANDAPROBE HARNESS" | "SYSTEM ALERT" | "harness:" => FindingKind::Voice,
            _ => FindingKind::TemplateToken,
        };
        found.push(Finding {
            kind,
            start: marker.start,
            end: marker.end,
        });
        from = marker.end;
    }
}

static FENCE_SEARCH: LazyLock<Literals<4>> = LazyLock::new(|| Literals::new(FENCES));

static TRIGGER_SEARCH: LazyLock<Literals<4>> = LazyLock::new(|| Literals::new(TRIGGERS));

/// Fences that others put around untrusted text.
fn fences(text: &str, found: &mut Gathered) {
    // Each starts with a bracket.
    if memchr::memchr2(b'<', b'[', text.as_bytes()).is_none() {
        return;
    }
    for (_, place) in FENCE_SEARCH.find_iter(text) {
        if found.is_full() {
            return;
        }
        found.push(Finding {
            kind: FindingKind::Fence,
            start: place.start,
            end: place.end,
        });
    }
}

/// The parts of `text` that can hold a phrase: what is around a trigger, and all of it where it
/// holds more than drawn ASCII, which a trigger may hide in.
fn telling_parts(text: &str) -> Vec<Range<usize>> {
    // All of it, without a way out: so it is done many bytes at a time.
    let is_odd = |byte: u8| !matches!(byte, b' '..=b'~' | b'\t'..=b'\r');
    if text.bytes().fold(false, |odd, byte| odd | is_odd(byte)) {
        return vec![Range {
            start: 0,
            end: text.len(),
        }];
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (_, hit) in TRIGGER_SEARCH.find_iter(text) {
        // Most of what is around this one is read already.
        if parts
            .last()
            .is_some_and(|last| hit.end + CONTEXT / 2 <= last.end)
        {
            continue;
        }
        let start = word_border(text, hit.start.saturating_sub(CONTEXT));
        let end = word_border(text, (hit.end + CONTEXT).min(text.len()));
        match parts.last_mut() {
            Some(last) if start <= last.end => last.end = end.max(last.end),
            _ => parts.push(start..end),
        }
    }
    parts
}

/// The next place from `at` on where no word is cut, or as far as a word reaches.
fn word_border(text: &str, at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    let border = rest
        .iter()
        .take(CONTEXT)
        .position(|byte| !byte.is_ascii_alphanumeric());
    text.ceil_char_boundary(at + border.unwrap_or(0))
}
