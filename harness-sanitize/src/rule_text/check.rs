//! The check itself.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use harness_core::CleanText;

use super::atoms::{Shape, atoms, digits, look, words};
use super::evidence::{EvidenceLeaves, RUN_OF_WORDS, VALUE_WORDS};
use super::general_words::is_general;

/// What a rule's text carries over from its evidence, and where in the rule it starts, in bytes.
/// The model's fault: it can say the same in general terms. What was found is not quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarryOver {
    /// A value: an identifier, a name, an argument's or a result's content.
    Value {
        /// Byte offset in the rule.
        at: usize,
    },
    /// A URL.
    Url {
        /// Byte offset in the rule.
        at: usize,
    },
    /// A host name.
    Host {
        /// Byte offset in the rule.
        at: usize,
    },
    /// A path of files.
    Path {
        /// Byte offset in the rule.
        at: usize,
    },
    /// An address: mail or network.
    Address {
        /// Byte offset in the rule.
        at: usize,
    },
    /// A number.
    Number {
        /// Byte offset in the rule.
        at: usize,
    },
    /// Five words in a row.
    FiveWords {
        /// Byte offset in the rule.
        at: usize,
    },
    /// More evidence than can be compared: nothing is known about the rule.
    Unknown,
}

impl CarryOver {
    /// The machine-readable reason.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Value { .. } => "value",
            Self::Url { .. } => "url",
            Self::Host { .. } => "host",
            Self::Path { .. } => "path",
            Self::Address { .. } => "address",
            Self::Number { .. } => "number",
            Self::FiveWords { .. } => "five_words",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for CarryOver {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, at) = match self {
            Self::Value { at } => ("a value", at),
            Self::Url { at } => ("a URL", at),
            Self::Host { at } => ("a host", at),
            Self::Path { at } => ("a path", at),
            Self::Address { at } => ("an address", at),
            Self::Number { at } => ("a number", at),
            Self::FiveWords { at } => ("five words in a row", at),
            Self::Unknown => {
                return write!(
                    out,
                    "there is more evidence than the rule can be compared with"
                );
            }
        };
        write!(
            out,
            "at byte {at} the rule repeats {what} from the trace; name only tools, arguments and \
             error classes, and say the rest in general terms"
        )
    }
}

impl Error for CarryOver {}

/// Checks that `text` carries nothing over from `evidence` but names.
///
/// # Errors
/// The first thing that it carries over.
pub fn check_rule_text(text: &CleanText<'_>, evidence: &EvidenceLeaves) -> Result<(), CarryOver> {
    if !evidence.is_complete() {
        return Err(CarryOver::Unknown);
    }
    let names = check_atoms(text.as_str(), evidence)?;
    check_words(text.as_str(), evidence, &names)
}

/// Checks atom by atom; returns where the names are that the rule may name.
fn check_atoms(text: &str, evidence: &EvidenceLeaves) -> Result<Vec<Range<usize>>, CarryOver> {
    let mut names: Vec<Range<usize>> = Vec::new();
    for atom in atoms(text) {
        let at = atom.at;
        // The parts of a name are not looked at.
        if names.last().is_some_and(|name| name.contains(&at)) {
            continue;
        }
        let look = look(atom.text);
        if evidence.may_name(&look) {
            names.push(at..at + atom.text.len());
            continue;
        }
        let carried = match atom.shape {
            Shape::Word => false,
            Shape::Number => evidence.has_number(&digits(atom.text)),
            _ => !is_general(&look) && evidence.has_atom(&look),
        };
        if carried {
            return Err(match atom.shape {
                Shape::Url => CarryOver::Url { at },
                Shape::Host => CarryOver::Host { at },
                Shape::Path => CarryOver::Path { at },
                Shape::Address => CarryOver::Address { at },
                Shape::Number => CarryOver::Number { at },
                Shape::Value | Shape::Word => CarryOver::Value { at },
            });
        }
    }
    Ok(names)
}

/// Checks word by word: the whole of a short leaf, and five words of any.
fn check_words(
    text: &str,
    evidence: &EvidenceLeaves,
    names: &[Range<usize>],
) -> Result<(), CarryOver> {
    let (offsets, words): (Vec<usize>, Vec<String>) = words(text).into_iter().unzip();
    let is_named = |at: usize| names.iter().any(|name| name.contains(&at));
    for (start, &at) in offsets.iter().enumerate() {
        let rest = words.get(start..).unwrap_or_default();
        for length in 1..=VALUE_WORDS {
            let Some(value) = rest.get(..length) else {
                break;
            };
            let says_nothing = value
                .iter()
                .zip(offsets.iter().skip(start))
                .all(|(word, &at)| is_general(word) || is_named(at));
            if !says_nothing && evidence.has_value(value) {
                return Err(CarryOver::Value { at });
            }
        }
        if rest
            .get(..RUN_OF_WORDS)
            .is_some_and(|run| evidence.has_run(run))
        {
            return Err(CarryOver::FiveWords { at });
        }
    }
    Ok(())
}
