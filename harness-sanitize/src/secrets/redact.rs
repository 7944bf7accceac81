//! The redactor: secrets out, their kinds in.

use std::borrow::Cow;
use std::io;

use super::find::{SecretSpan, find};
use super::known::Known;
use super::writer::Redacted;

/// Most times that a text is searched. Each takes away what the one before it uncovered; a third
/// is rare.
const MAX_PASSES: usize = 8;

/// What a replacement starts with; the kind follows, and a bracket.
const REPLACEMENT: &str = "[REDACTED:";

/// Whether the word that starts at `start` is the kind in a replacement: it tells of a secret that
/// is gone, not of one that follows.
pub(super) fn is_replacement(text: &str, start: usize) -> bool {
    text.get(..start)
        .is_some_and(|before| before.ends_with(REPLACEMENT))
}

/// Finds secrets and replaces each by `[REDACTED:kind]`.
///
/// Redacted text redacts to itself, and a replacement survives the gate.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    known: Known,
}

impl Redactor {
    /// Knows what secrets look like, and no value.
    pub fn patterns_only() -> Self {
        Self::default()
    }

    /// Knows the values of variables as well, given by name and value: those with the name of a
    /// secret, and passwords in URLs. From 8 to 4096 bytes, and 256 of them at most. Reading the
    /// environment is the caller's part.
    pub fn with_values(values: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            known: Known::new(values),
        }
    }

    /// Whether it looks for values that are known.
    pub(super) const fn knows_values(&self) -> bool {
        !self.known.is_empty()
    }

    /// Kinds and places of the secrets in `text`, in order, never overlapping.
    pub fn find(&self, text: &str) -> Vec<SecretSpan> {
        find(text, &self.known)
    }

    /// `text` without secrets; borrowed where it holds none.
    ///
    /// What is put in a secret's place can bring a word next to another that tells of a secret, so
    /// the result is searched again until nothing is found.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut redacted = Cow::Borrowed(text);
        for _ in 0..MAX_PASSES {
            let spans = self.find(&redacted);
            if spans.is_empty() {
                break;
            }
            redacted = Cow::Owned(replaced(&redacted, spans));
        }
        redacted
    }

    /// The same for bytes, which are text but for some: JSON lines, logs, output of programs.
    /// Where something is redacted, bytes that are not UTF-8 become U+FFFD.
    pub fn redact_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let text = String::from_utf8_lossy(bytes);
        match self.redact(&text) {
            Cow::Borrowed(_) => Cow::Borrowed(bytes),
            Cow::Owned(redacted) => Cow::Owned(redacted.into_bytes()),
        }
    }

    /// A writer that redacts on the way to `to`.
    pub const fn writer<W: io::Write>(&self, to: W) -> Redacted<'_, W> {
        Redacted::new(self, to)
    }
}

fn replaced(text: &str, spans: Vec<SecretSpan>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for span in spans {
        out.push_str(text.get(copied..span.start).unwrap_or_default());
        out.push_str(REPLACEMENT);
        out.push_str(span.kind.name());
        out.push(']');
        copied = span.end;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}
