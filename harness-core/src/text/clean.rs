//! Text that passed the check.

use std::borrow::Cow;
use std::fmt;

use super::error::TextError;
use super::form::check;
use super::paragraph::Paragraph;

/// Text in the form that may reach an agent, a notice or a rule.
///
/// The form is that of [`form::check`](super::form::check), verified here and not taken on trust.
/// It promises form: neither harmless meaning nor the absence of secrets. Clean text borrows from
/// what it was made of wherever it can.
// INVARIANT: the text satisfies `form::check`; every constructor goes through it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CleanText<'a>(Cow<'a, str>);

/// Clean text that owns itself.
pub type CleanString = CleanText<'static>;

/// What stands between two texts that are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One space.
    Space,
    /// A line feed.
    Line,
    /// An empty line.
    Paragraph,
}

impl Separator {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Space => " ",
            Self::Line => "\n",
            Self::Paragraph => "\n\n",
        }
    }
}

impl<'a> CleanText<'a> {
    /// Longest clean text, in bytes.
    pub const MAX_BYTES: usize = 65_536;

    /// Checks `text`.
    ///
    /// # Errors
    /// What makes it unclean, see [`TextError`].
    pub fn new(text: impl Into<Cow<'a, str>>) -> Result<Self, TextError> {
        let text = text.into();
        check(&text, Self::MAX_BYTES)?;
        Ok(Self(text))
    }

    /// No text.
    pub const fn empty() -> CleanString {
        CleanText(Cow::Borrowed(""))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it borrows from the text it was made of.
    pub const fn is_borrowed(&self) -> bool {
        matches!(self.0, Cow::Borrowed(_))
    }

    /// The text on its own, without a copy where it already is.
    pub fn into_owned(self) -> CleanString {
        CleanText(Cow::Owned(self.0.into_owned()))
    }

    /// A copy on its own.
    pub fn to_owned_text(&self) -> CleanString {
        CleanText(Cow::Owned(self.as_str().to_owned()))
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Joins texts with `separator` between. Two clean texts can be unclean together (a banner or
    /// a marker cut in half), so the whole is checked again.
    ///
    /// # Errors
    /// What makes the whole unclean or too long.
    pub fn join(parts: &[CleanText<'_>], separator: Separator) -> Result<CleanString, TextError> {
        let parts: Vec<&str> = parts.iter().map(CleanText::as_str).collect();
        CleanText::new(parts.join(separator.as_str()))
    }

    /// The text as one paragraph.
    ///
    /// # Errors
    /// [`TextError::NotOneParagraph`] and [`TextError::Blank`].
    pub fn paragraph(self) -> Result<Paragraph, TextError> {
        Paragraph::new(self)
    }
}

impl Default for CleanText<'_> {
    fn default() -> Self {
        Self::empty()
    }
}

impl AsRef<str> for CleanText<'_> {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for CleanText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}
