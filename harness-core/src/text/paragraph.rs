//! One paragraph of clean text: what a rule is.

use std::fmt;

use super::clean::{CleanString, CleanText};
use super::error::TextError;

/// Clean text without a line break or tab, trimmed and not empty: it can neither forge a heading
/// nor a second rule in a file that people or agents read.
// INVARIANT: no `\n`, no `\t`, no white space at either end, at least one character.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Paragraph(CleanString);

impl Paragraph {
    /// Trims `text` and checks that it is one paragraph.
    ///
    /// # Errors
    /// [`TextError::NotOneParagraph`] for a line break or tab inside, [`TextError::Blank`] for
    /// nothing but white space. The model's fault; it can see and mend it.
    pub fn new(text: CleanText<'_>) -> Result<Self, TextError> {
        let trimmed = text.as_str().trim();
        if trimmed.is_empty() {
            return Err(TextError::Blank);
        }
        if let Some(inside) = trimmed.find(['\n', '\t']) {
            let leading = text.len() - text.as_str().trim_start().len();
            return Err(TextError::NotOneParagraph {
                at: leading + inside,
            });
        }
        // A part of clean text may be unclean on its own where a joiner leads it: check it.
        CleanText::new(trimmed.to_owned()).map(Self)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The paragraph as clean text.
    pub const fn as_clean(&self) -> &CleanString {
        &self.0
    }

    /// The paragraph as clean text, without a copy.
    pub fn into_clean(self) -> CleanString {
        self.0
    }
}

impl fmt::Display for Paragraph {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}
