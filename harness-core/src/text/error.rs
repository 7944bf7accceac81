//! Why a text is not clean.

use std::error::Error;
use std::fmt;

/// What a text holds that clean text never does, and at which byte.
///
/// Ours when it comes out of the sanitiser, which promises that this cannot happen; the caller's
/// when text was taken for clean that had not been through it. The text itself is never quoted: it
/// is not clean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextError {
    /// Longer than the bound; both in bytes.
    TooLong {
        /// Length of the text.
        bytes: usize,
        /// The longest that is allowed.
        max: usize,
    },
    /// A control or escape character other than line feed and tab.
    Control {
        /// Byte offset.
        at: usize,
        /// The character.
        ch: char,
    },
    /// An invisible, bidirectional-control, tag, private-use or separator character.
    Hidden {
        /// Byte offset.
        at: usize,
        /// The character.
        ch: char,
    },
    /// A joiner or variation selector with nothing to act on.
    Joiner {
        /// Byte offset.
        at: usize,
        /// The character.
        ch: char,
    },
    /// A decorative run.
    Run {
        /// Byte offset of its first character.
        at: usize,
    },
    /// A phrase that only the harness, or a chat template, may say.
    Marker {
        /// Byte offset of its first character.
        at: usize,
        /// The phrase as we write it.
        marker: &'static str,
    },
    /// A line break or tab where one paragraph is wanted.
    NotOneParagraph {
        /// Byte offset.
        at: usize,
    },
    /// Nothing but white space where a paragraph is wanted.
    Blank,
}

impl fmt::Display for TextError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes, max } => {
                write!(out, "text has {bytes} bytes, at most {max} are allowed")
            }
            Self::Control { at, ch } => {
                write!(
                    out,
                    "control character U+{:04X} at byte {at}",
                    u32::from(*ch)
                )
            }
            Self::Hidden { at, ch } => {
                write!(
                    out,
                    "invisible character U+{:04X} at byte {at}",
                    u32::from(*ch)
                )
            }
            Self::Joiner { at, ch } => {
                write!(
                    out,
                    "joiner U+{:04X} with nothing to join at byte {at}",
                    u32::from(*ch)
                )
            }
            Self::Run { at } => write!(out, "decorative run at byte {at}"),
            Self::Marker { at, marker } => {
                write!(out, "reserved phrase `{marker}` at byte {at}")
            }
            Self::NotOneParagraph { at } => {
                write!(
                    out,
                    "line break or tab at byte {at}, one paragraph is wanted"
                )
            }
            Self::Blank => write!(out, "text is empty, one paragraph is wanted"),
        }
    }
}

impl Error for TextError {}
