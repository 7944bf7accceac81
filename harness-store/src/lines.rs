//! Splitting a file into lines, on LF bytes only, forwards in bounded memory and backwards from
//! its end.

use std::io;

use sha2::{Digest, Sha256};

use crate::root::Handle;
use crate::wire::MAX_LINE;

/// Bytes read at a time.
const CHUNK: usize = 64 * 1024;

/// A complete line, its line feed not counted.
#[derive(Debug)]
pub(crate) struct RawLine {
    /// The byte at which it begins.
    pub(crate) offset: u64,
    /// The byte after its line feed.
    pub(crate) end: u64,
    /// Its bytes, or only their digest if there are more than [`MAX_LINE`].
    pub(crate) content: Content,
}

/// What is kept of a line.
#[derive(Debug)]
pub(crate) enum Content {
    /// The line.
    Bytes(Vec<u8>),
    /// SHA-256 of a line that is too long.
    TooLong([u8; 32]),
}

/// Reads the complete lines of a region of a file.
pub(crate) struct LineReader<'f> {
    file: &'f Handle,
    /// The byte at which the line being put together begins.
    offset: u64,
    /// The next byte to read.
    at: u64,
    /// The end of the region; what was appended since is left alone.
    end: u64,
    buffer: Vec<u8>,
    /// Bytes of `buffer` that were handed out.
    start: usize,
    /// Bytes of `buffer` behind which no line feed was looked for yet.
    searched: usize,
    /// The hash of a line that is too long, as far as it was read.
    overlong: Option<Sha256>,
}

impl<'f> LineReader<'f> {
    /// Lines from byte `from`, at which one begins, up to byte `end`.
    pub(crate) fn new(file: &'f Handle, from: u64, end: u64) -> Self {
        Self {
            file,
            offset: from,
            at: from,
            end,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            overlong: None,
        }
    }

    /// The byte after the last complete line that was returned.
    pub(crate) const fn consumed(&self) -> u64 {
        self.offset
    }

    /// The next complete line; `None` when the region has no further line feed.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<RawLine>> {
        loop {
            let unseen = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(found) = unseen.iter().position(|byte| *byte == b'\n') {
                return Ok(Some(self.take(self.searched + found)));
            }
            // What was handed out makes room, once a buffer and not once a line.
            self.buffer.drain(..self.start);
            self.start = 0;
            if self.buffer.len() > MAX_LINE || self.overlong.is_some() {
                let hash = self.overlong.get_or_insert_default();
                hash.update(&self.buffer);
                self.buffer.clear();
            }
            self.searched = self.buffer.len();
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Takes the line that ends before the line feed at `end` out of the buffer.
    fn take(&mut self, end: usize) -> RawLine {
        let bytes = self.buffer.get(self.start..end).unwrap_or_default();
        let content = match self.overlong.take() {
            Some(mut hash) => {
                hash.update(bytes);
                Content::TooLong(hash.finalize().into())
            }
            None if bytes.len() > MAX_LINE => Content::TooLong(Sha256::digest(bytes).into()),
            None => Content::Bytes(bytes.to_vec()),
        };
        (self.start, self.searched) = (end + 1, end + 1);
        let offset = self.offset;
        // The buffer holds everything between the last line feed and `at`.
        self.offset = self.at - self.buffer.len().saturating_sub(self.start) as u64;
        RawLine {
            offset,
            end: self.offset,
            content,
        }
    }

    fn fill(&mut self) -> io::Result<bool> {
        let want =
            usize::try_from(self.end.saturating_sub(self.at)).map_or(CHUNK, |n| n.min(CHUNK));
        let held = self.buffer.len();
        self.buffer.resize(held + want, 0);
        let room = self.buffer.get_mut(held..).unwrap_or_default();
        let read = self.file.read_at(room, self.at);
        self.buffer.truncate(held + *read.as_ref().unwrap_or(&0));
        let read = read?;
        self.at += read as u64;
        Ok(read > 0)
    }
}

/// Complete lines that lie behind one another.
#[derive(Debug)]
pub(crate) enum Block<'b> {
    /// Lines of at most [`MAX_LINE`] bytes, each with its line feed, and where they begin.
    Lines(u64, &'b [u8]),
    /// A line that is too long to be held.
    TooLong(RawLine),
}

/// Reads the complete lines of a region of a file, many at a time.
pub(crate) struct Blocks<'f> {
    file: &'f Handle,
    /// The byte at which the next line begins.
    at: u64,
    /// The end of the region.
    end: u64,
    /// Bytes of a block, about: it holds more only for the sake of a longer line.
    size: usize,
}

impl<'f> Blocks<'f> {
    /// Bytes of a block at most: room for the longest line and its line feed.
    const MOST: usize = MAX_LINE + 1;

    /// Lines from byte `from`, at which one begins, up to byte `end`.
    pub(crate) const fn new(file: &'f Handle, from: u64, end: u64, size: usize) -> Self {
        Self {
            file,
            at: from,
            end,
            size,
        }
    }

    /// The next lines, read into `buffer`; `None` when the region has no further line feed.
    pub(crate) fn next_into<'b>(
        &mut self,
        buffer: &'b mut Vec<u8>,
    ) -> io::Result<Option<Block<'b>>> {
        let (mut held, mut size) = (0, self.size.clamp(1, Self::MOST));
        loop {
            self.fill(buffer, held, size)?;
            let unseen = buffer.get(held..).unwrap_or_default();
            if let Some(last) = unseen.iter().rposition(|byte| *byte == b'\n') {
                buffer.truncate(held + last + 1);
                let offset = self.at;
                self.at += buffer.len() as u64;
                return Ok(Some(Block::Lines(offset, buffer)));
            }
            if buffer.len() < size {
                return Ok(None);
            }
            if size == Self::MOST {
                break;
            }
            (held, size) = (buffer.len(), size.saturating_mul(2).min(Self::MOST));
        }
        let line = LineReader::new(self.file, self.at, self.end).next_line()?;
        self.at = line.as_ref().map_or(self.at, |line| line.end);
        Ok(line.map(Block::TooLong))
    }

    /// Fills `buffer`, in which the first `held` bytes are right, up to `size` bytes.
    fn fill(&self, buffer: &mut Vec<u8>, held: usize, size: usize) -> io::Result<()> {
        let left = usize::try_from(self.end.saturating_sub(self.at));
        buffer.resize(left.map_or(size, |left| left.min(size)), 0);
        let mut filled = held;
        while let Some(room) = buffer.get_mut(filled..).filter(|room| !room.is_empty()) {
            match self.file.read_at(room, self.at + filled as u64)? {
                0 => break,
                read => filled += read,
            }
        }
        buffer.truncate(filled);
        Ok(())
    }
}

/// The byte after the last line feed of a file of `length` bytes; 0 if it has none.
pub(crate) fn end_of_last_line(
    length: u64,
    read_at: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
) -> io::Result<u64> {
    start_of_last_lines(length, 0, read_at)
}

/// The byte at which the last `count` complete lines of a file of `length` bytes begin; 0 if it
/// has no more than that. With `count` 0 that is the byte after the last line feed.
pub(crate) fn start_of_last_lines(
    length: u64,
    count: usize,
    mut read_at: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
) -> io::Result<u64> {
    let mut seen = 0;
    let mut high = length;
    while high > 0 {
        let low = high.saturating_sub(CHUNK as u64);
        let mut chunk = vec![0; usize::try_from(high - low).unwrap_or(CHUNK)];
        let mut filled = 0;
        while let Some(rest) = chunk.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match read_at(rest, low + filled as u64)? {
                0 => break,
                read => filled += read,
            }
        }
        chunk.truncate(filled);
        for (position, byte) in chunk.iter().enumerate().rev() {
            if *byte == b'\n' {
                if seen == count {
                    return Ok(low + position as u64 + 1);
                }
                seen += 1;
            }
        }
        high = low;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    fn lines(bytes: &[u8]) -> Vec<(u64, u64, Content)> {
        let file = Handle::of(bytes);
        let mut reader = LineReader::new(&file, 0, bytes.len() as u64);
        let mut out = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            out.push((line.offset, line.end, line.content));
        }
        out
    }

    #[test]
    fn only_complete_lines_are_read() {
        let read = lines("one\n\ntwo\u{85}\r\nto".as_bytes());
        let ends: Vec<(u64, u64)> = read.iter().map(|(from, to, _)| (*from, *to)).collect();
        assert_eq!(ends, [(0, 4), (4, 5), (5, 12)]);
    }

    #[test]
    fn a_long_line_costs_no_memory_and_the_next_is_read() {
        let long = vec![b'x'; MAX_LINE + CHUNK * 3 + 5];
        let read = lines(&[long.as_slice(), b"\nnext\n"].concat());
        assert_eq!(read.len(), 2);
        let whole: [u8; 32] = Sha256::digest(&long).into();
        assert!(matches!(read[0].2, Content::TooLong(digest) if digest == whole));
        assert!(matches!(&read[1].2, Content::Bytes(bytes) if bytes == b"next"));
        let longest = lines(&[vec![b'x'; MAX_LINE], vec![b'\n']].concat());
        assert!(matches!(longest[0].2, Content::Bytes(_)));
    }

    #[test]
    fn the_last_lines_are_found_from_the_end() {
        let bytes = [b"a\nbb\n".as_slice(), &vec![b'c'; CHUNK * 2], b"\nd\ntorn"].concat();
        let file = Handle::of(&bytes);
        let start = |count| {
            start_of_last_lines(bytes.len() as u64, count, |buffer, at| {
                file.read_at(buffer, at)
            })
            .unwrap()
        };
        let text = |from: u64| bytes[from as usize..].to_vec();
        assert_eq!(text(start(0)), b"torn");
        assert_eq!(text(start(1)), b"d\ntorn");
        assert!(text(start(2)).starts_with(b"cc"));
        assert_eq!(start(3), 2);
        assert_eq!(start(4), 0);
        assert_eq!(start(40), 0);
    }
}
