//! Where the journal ends, found by looking back from its last byte.

use std::io;

use harness_core::layout;

use super::{OpenCommit, failed};
use crate::anchor::Head;
use crate::error::StoreError;
use crate::follow::line_of;
use crate::lines::{LineReader, start_of_last_lines};
use crate::root::{Access, Handle, Root};
use crate::segments;
use crate::wire::Line;

/// Lines looked at from the end at first when a journal is taken up.
const FIRST_LOOK: usize = 16;
/// Unreadable lines at the end that are journaled one by one when a journal is taken up.
pub(super) const MAX_SKIPPED: usize = 16;

/// How far the journal goes.
#[derive(Clone, Debug)]
pub(super) struct End {
    /// The byte after the last line that counts.
    pub(super) offset: u64,
    /// Lines up to there, of any kind.
    pub(super) lines: u64,
    /// Digest of the last of them; `None` where there is none.
    pub(super) last: Option<[u8; 32]>,
    /// The last line of the chain.
    pub(super) head: Head,
    /// Where lines begin, after the head, that nobody can read.
    pub(super) unreadable: Vec<u64>,
}

impl End {
    const NOTHING: Self = Self {
        offset: 0,
        lines: 0,
        last: None,
        head: Head::GENESIS,
        unreadable: Vec::new(),
    };

    /// Finds the end by looking back from it, into the last closed segment at need, until a line of
    /// the chain says how many lines there are before.
    pub(super) fn find(root: &Root, growing: &Handle) -> Result<Self, StoreError> {
        let failed = |error: io::Error| failed(root, &error, "read");
        if let Some(end) = Self::seek(growing).map_err(failed)? {
            return Ok(end);
        }
        let before = match segments::closed(root)?.last() {
            None => Self::NOTHING,
            Some(first_seq) => {
                let path = layout::journal_segment(*first_seq);
                let file = root.open_file(path.as_str(), Access::Read)?;
                Self {
                    offset: 0,
                    unreadable: Vec::new(),
                    ..Self::seek(&file).map_err(failed)?.unwrap_or(Self::NOTHING)
                }
            }
        };
        let length = growing.length().map_err(failed)?;
        before.walk(growing, length).map_err(failed)
    }

    /// The end of a file; `None` if it has no line of the chain.
    fn seek(file: &Handle) -> io::Result<Option<Self>> {
        let length = file.length()?;
        let mut look = FIRST_LOOK;
        loop {
            let from = start_of_last_lines(length, look, |buffer, at| file.read_at(buffer, at))?;
            let start = Self {
                offset: from,
                ..Self::NOTHING
            };
            let end = start.walk(file, length)?;
            if end.head != Head::GENESIS {
                return Ok(Some(end));
            }
            if from == 0 {
                return Ok(None);
            }
            look = look.saturating_mul(8);
        }
    }

    /// Goes on to the last complete commit before byte `length`.
    pub(super) fn walk(mut self, file: &Handle, length: u64) -> io::Result<Self> {
        let mut reader = LineReader::new(file, self.offset, length);
        // The end as it will be when the commit under way is complete.
        let mut ahead = self.clone();
        let mut open = OpenCommit::default();
        while let Some(raw) = reader.next_line()? {
            let (end, bytes) = (raw.end, raw.end - raw.offset);
            let line = line_of(raw);
            ahead.take(&line, end);
            if open.ends_with(line.goes_on(), bytes) {
                self = ahead.clone();
            }
        }
        Ok(self)
    }

    fn take(&mut self, line: &Line, end: u64) {
        self.offset = end;
        self.last = Some(*line.digest());
        self.lines = self.lines.saturating_add(1);
        match line {
            Line::Chained(record) => {
                // The line's own number counts the lines before it.
                self.lines = record.seq.saturating_add(1);
                self.head = Head {
                    lines: self.lines,
                    digest: record.digest,
                };
                self.unreadable.clear();
            }
            Line::Foreign { .. } => {}
            Line::Unreadable { offset, .. } => {
                if self.unreadable.len() < MAX_SKIPPED {
                    self.unreadable.push(*offset);
                }
            }
        }
    }
}
