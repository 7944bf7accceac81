//! The scan: a text as it came, as it reads, and as it decodes.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use harness_core::text::MARKERS;
use harness_core::text::markers::Markers;

use super::encoded::pieces;
use super::finding::{Finding, FindingKind};
use super::hidden::hidden_channels;
use super::phrases::{TRIGGERS, phrases};
use super::reading::words;

/// Most findings of one text. The first ones count.
pub const MAX_FINDINGS: usize = 64;

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

    /// What is found in `text`, in order of place, [`MAX_FINDINGS`] at most. Linear in its length.
    pub fn scan(&self, text: &str) -> Vec<Finding> {
        let mut budget = MAX_DECODED;
        let mut found = layer(text, MAX_LAYERS, &mut budget);
        found.sort_by_key(|finding| (finding.start, finding.end));
        found.dedup();
        found
    }
}

fn layer(text: &str, layers: usize, budget: &mut usize) -> Vec<Finding> {
    let mut found = Vec::new();
    hidden_channels(text, &mut found, MAX_FINDINGS);
    markers(text, &mut found);
    for part in telling_parts(text, &mut found) {
        let read = words(text.get(part.clone()).unwrap_or_default(), part.start);
        phrases(&read, &mut found, MAX_FINDINGS);
    }
    if layers > 0 && found.len() < MAX_FINDINGS {
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
    found.truncate(MAX_FINDINGS);
    found
}

/// Our own voice, our delimiters, and the tokens of chat templates, in any disguise.
fn markers(text: &str, found: &mut Vec<Finding>) {
    let mut from = 0;
    while let Some(marker) = Markers::built_in().find(text, from) {
        if found.len() >= MAX_FINDINGS {
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

static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .match_kind(MatchKind::LeftmostFirst)
        .ascii_case_insensitive(true)
        .build(FENCES.iter().chain(TRIGGERS))
        .ok()
});

/// The parts of `text` that can hold a phrase: all of it where it holds more than ASCII, else what
/// is around a trigger. Adds the fences it passes.
fn telling_parts(text: &str, found: &mut Vec<Finding>) -> Vec<Range<usize>> {
    let whole = 0..text.len();
    let Some(search) = &*SEARCH else {
        return vec![whole];
    };
    let mut parts: Vec<Range<usize>> = Vec::new();
    for hit in search.find_iter(text) {
        if hit.pattern().as_usize() < FENCES.len() {
            if found.len() < MAX_FINDINGS {
                found.push(Finding {
                    kind: FindingKind::Fence,
                    start: hit.start(),
                    end: hit.end(),
                });
            }
            continue;
        }
        let start = word_border(text, hit.start().saturating_sub(CONTEXT));
        let end = word_border(text, (hit.end() + CONTEXT).min(text.len()));
        match parts.last_mut() {
            Some(last) if start <= last.end => last.end = end.max(last.end),
            _ => parts.push(start..end),
        }
    }
    if text.is_ascii() { parts } else { vec![whole] }
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
