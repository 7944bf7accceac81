//! The gate on a pipe, in constant memory.

use std::io::{self, Read, Write};

use harness_core::text::Attachment;
use harness_core::text::fold::{Folded, fold_char};
use harness_core::text::markers::MAX_MARKER_BYTES;
use harness_core::text::runs::is_decoration;

use crate::gate::{Gate, cut};
use crate::sequences::{End, visible};

/// Bytes that are read at once, and text that is held back at most. A text up to this size comes
/// out exactly as [`Gate::clean`] would return it without a bound.
const WINDOW: usize = 65_536;

/// Stands where a longer stretch offered no place to cut: visible, and part of no marker.
const SEAM: char = '…';

/// The gate as a filter: bytes in, clean text out, in constant memory.
///
/// Invalid UTF-8 becomes U+FFFD. Text is passed on in pieces cut where no marker, run or sequence
/// could lie across. Where a stretch of 64 KiB offers no such place (nothing but blanks
/// and decoration, or one sequence), the stretch ends with one visible `…`.
#[derive(Debug)]
pub struct GateStream<W> {
    gate: Gate,
    to: W,
    /// Bytes that are not text yet: the start of a character.
    bytes: Vec<u8>,
    /// Text that may end inside a control sequence.
    raw: String,
    /// Visible text that may end inside a marker or run.
    held: String,
}

impl<W: Write> GateStream<W> {
    /// A filter in front of `to`.
    pub const fn new(gate: Gate, to: W) -> Self {
        Self {
            gate,
            to,
            bytes: Vec::new(),
            raw: String::new(),
            held: String::new(),
        }
    }

    /// Takes bytes.
    ///
    /// # Errors
    /// Of the writer behind.
    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        for part in bytes.chunks(WINDOW) {
            self.bytes.extend_from_slice(part);
            self.decode(End::More);
            self.advance()?;
        }
        Ok(())
    }

    /// Takes the end, and gives the writer back.
    ///
    /// # Errors
    /// Of the writer behind.
    pub fn finish(mut self) -> io::Result<W> {
        self.decode(End::Here);
        let (text, _) = visible(&self.raw, End::Here);
        self.held.push_str(&text);
        let last = std::mem::take(&mut self.held);
        self.emit(&last)?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn decode(&mut self, end: End) {
        let mut used = 0;
        for chunk in self.bytes.utf8_chunks() {
            self.raw.push_str(chunk.valid());
            used += chunk.valid().len();
            let broken = chunk.invalid();
            let unfinished = used + broken.len() == self.bytes.len() && is_start_of_char(broken);
            if broken.is_empty() || (unfinished && end == End::More) {
                break;
            }
            self.raw.push(char::REPLACEMENT_CHARACTER);
            used += broken.len();
        }
        self.bytes.drain(..used);
    }

    fn advance(&mut self) -> io::Result<()> {
        let (text, used) = visible(&self.raw, End::More);
        if used == 0 && self.raw.len() > WINDOW {
            let (text, _) = visible(&self.raw, End::Here);
            self.held.push_str(&text);
            self.raw.clear();
        } else {
            self.held.push_str(&text);
            self.raw.drain(..used);
        }
        if self.held.len() <= WINDOW {
            return Ok(());
        }
        if let Some(at) = safe_cut(&self.held, markers(&self.gate, &self.held)) {
            let rest = self.held.split_off(at);
            let ready = std::mem::replace(&mut self.held, rest);
            self.emit(&ready)
        } else {
            let mut ready = std::mem::take(&mut self.held);
            ready.push(SEAM);
            self.emit(&ready)
        }
    }

    fn emit(&mut self, text: &str) -> io::Result<()> {
        if self.gate.is_clean(text) {
            return self.to.write_all(text.as_bytes());
        }
        self.to.write_all(self.gate.reshape(text).as_bytes())
    }
}

/// Filters all of `from` into `to`. A `max` above 0 bounds the output, in bytes, as
/// [`Gate::with_max_len`] does; 0 does not bound it.
///
/// # Errors
/// Of the reader or the writer.
pub fn clean_stream(
    gate: &Gate,
    mut from: impl Read,
    mut to: impl Write,
    max: usize,
) -> io::Result<()> {
    let mut buffer = vec![0; WINDOW];
    if max == 0 {
        let mut stream = GateStream::new(gate.clone(), to);
        loop {
            let part = read_some(&mut from, &mut buffer)?;
            if part.is_empty() {
                return stream.finish().map(drop);
            }
            stream.push(part)?;
        }
    }
    let mut stream = GateStream::new(gate.clone(), Vec::new());
    loop {
        let part = read_some(&mut from, &mut buffer)?;
        stream.push(part)?;
        if part.is_empty() || stream.to.len() > max {
            let text = String::from_utf8_lossy(&stream.finish()?).into_owned();
            to.write_all(cut(&text, max).as_bytes())?;
            return to.flush();
        }
    }
}

/// The reshaped start of a text, at least `max` bytes of it and then cut there.
pub(crate) fn reshaped_start(gate: &Gate, text: &str, max: usize) -> String {
    let mut stream = GateStream::new(gate.clone(), Vec::new());
    for part in text.as_bytes().chunks(WINDOW) {
        if stream.to.len() > max || stream.push(part).is_err() {
            break;
        }
    }
    let bytes = if stream.to.len() > max {
        stream.to
    } else {
        stream.finish().unwrap_or_default()
    };
    cut(&String::from_utf8_lossy(&bytes), max).into_owned()
}

fn read_some<'a>(from: &mut impl Read, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
    loop {
        match from.read(buffer) {
            Ok(count) => return Ok(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether more bytes could make these a character.
fn is_start_of_char(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// The last place where nothing can lie across: between two plain characters, or after a line,
/// outside all of `markers`, those of the text in order, with so many characters behind that a marker from before would be
/// complete.
pub(crate) fn safe_cut(text: &str, mut markers: Vec<(usize, usize)>) -> Option<usize> {
    let mut solid = 0;
    let mut next: Option<(usize, bool)> = None;
    for (at, ch) in text.char_indices().rev() {
        let is_solid = is_solid(ch);
        let is_plain = is_solid && !is_decoration(ch) && !Attachment::concerns(ch);
        if let Some((cut, plain_after)) = next
            && solid > MAX_MARKER_BYTES
            && (ch == '\n' || (is_plain && plain_after))
        {
            while markers.pop_if(|(start, _)| *start >= cut).is_some() {}
            if markers.last().is_none_or(|&(_, end)| end <= cut) {
                return Some(cut);
            }
        }
        solid += usize::from(is_solid);
        next = Some((at, is_plain));
    }
    None
}

/// The markers in `text` as byte ranges, those that overlap as one.
fn markers(gate: &Gate, text: &str) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for found in gate.markers().find_iter(text) {
        match ranges.last_mut() {
            Some((_, end)) if found.start < *end => *end = found.end.max(*end),
            _ => ranges.push((found.start, found.end)),
        }
    }
    ranges
}

fn is_solid(ch: char) -> bool {
    !ch.is_whitespace() && fold_char(ch) != Folded::Nothing
}
