//! The redacting writer that stands before every sink.

use std::io::{self, Write};

use super::decoded::is_encoded;
use super::private_keys::open_private_key;
use super::redact::Redactor;

/// Longest stretch without a line end that is held back, in bytes.
const MAX_HELD: usize = 65_536;
/// What stays held of a longer one, so that a secret across the cut is seen whole.
const TAIL: usize = 16_384;

/// Bytes before a secret in which a name or word tells of it.
const BEFORE: usize = 256;

/// Redacts by line. A line is written once its end has come, a private key once its last line
/// has, and a line that is base64 or hexadecimal, which may hold the start of a known value, once
/// another follows that is not; of more than 64 KiB the part before the last 16 KiB.
///
/// [`Redacted::finish`] writes what is held. Dropping the writer does not: half a line could be
/// half a secret.
#[derive(Debug)]
#[must_use = "what is held is written by `finish`"]
pub struct Redacted<'a, W> {
    redactor: &'a Redactor,
    to: W,
    held: Vec<u8>,
}

impl<'a, W: Write> Redacted<'a, W> {
    pub(super) const fn new(redactor: &'a Redactor, to: W) -> Self {
        Self {
            redactor,
            to,
            held: Vec::new(),
        }
    }

    /// Writes what is held, flushes, and gives the writer back.
    ///
    /// # Errors
    /// Of the writer behind.
    pub fn finish(mut self) -> io::Result<W> {
        let held = std::mem::take(&mut self.held);
        self.emit(&held)?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn emit(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(&self.redactor.redact_bytes(bytes))
    }

    /// How much of what is held may go.
    fn ready(&self) -> usize {
        let lines = memchr::memrchr(b'\n', &self.held).map_or(0, |at| at + 1);
        let whole = self.held.get(..lines).unwrap_or_default();
        let waits = self.redactor.knows_values() && ends_encoded(whole);
        if lines > 0 && !waits && !open_private_key(&String::from_utf8_lossy(whole)) {
            return lines;
        }
        if self.held.len() <= MAX_HELD {
            return 0;
        }
        self.cut_of_long_line()
    }

    /// Where a line that is too long is cut: nowhere within a secret, nor between it and what tells
    /// of it.
    fn cut_of_long_line(&self) -> usize {
        let cut = self.held.len() - TAIL;
        let mut end = 0;
        // Bytes that are no text are in no secret.
        let texts = self.held.utf8_chunks().map(|chunk| {
            let start = end;
            end += chunk.valid().len() + chunk.invalid().len();
            (start, chunk.valid())
        });
        let around = texts
            .into_iter()
            .find(|(start, text)| cut < start + text.len());
        match around {
            Some((start, text)) if start < cut => start + self.cut_within(text, cut - start),
            _ => cut,
        }
    }

    /// The same within a text; its end where a secret is longer than all that may be held.
    fn cut_within(&self, text: &str, cut: usize) -> usize {
        let spans = self.redactor.find(text);
        for reach in [BEFORE, 0] {
            let cut = spans.iter().rev().fold(cut, |cut, span| {
                let start = span.start.saturating_sub(reach);
                if start < cut && cut < span.end {
                    start
                } else {
                    cut
                }
            });
            let cut = text.floor_char_boundary(cut);
            if cut > 0 {
                return cut;
            }
        }
        text.len()
    }
}

/// Fewest bytes of a line that goes on in the next one. Programs wrap at 60 and more.
const MIN_LINE: usize = 32;

/// Whether the last of these lines ends with an encoded word, which may go on in the next.
fn ends_encoded(lines: &[u8]) -> bool {
    let lines = lines.trim_ascii_end();
    let encoded = lines.iter().rev().take(MIN_LINE);
    encoded.filter(|byte| is_encoded(**byte)).count() == MIN_LINE
}

impl<W: Write> Write for Redacted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.get(..bytes.len().min(MAX_HELD)).unwrap_or_default();
        self.held.extend_from_slice(taken);
        let whole_line = memchr::memchr(b'\n', taken).is_some();
        let ready = if whole_line || self.held.len() > MAX_HELD {
            self.ready()
        } else {
            0
        };
        if ready > 0 {
            let rest = self.held.split_off(ready.min(self.held.len()));
            let going = std::mem::replace(&mut self.held, rest);
            self.emit(&going)?;
        }
        Ok(taken.len())
    }

    /// Flushes the writer behind; half a line stays.
    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
