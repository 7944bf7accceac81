//! Following the journal: what is derived from it costs the change, not the file.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use harness_core::layout;
use sha2::{Digest, Sha256};

use crate::error::StoreError;
use crate::journal::MAX_COMMIT;
use crate::lines::{Content, LineReader, RawLine};
use crate::root::{FileId, Root};
use crate::wire::{Line, MAX_LINE, parse_line};

/// Something derived from the journal, line by line.
pub trait Fold {
    /// Takes in the next line. Lines come in order, each once; a commit comes whole or not at all.
    fn apply(&mut self, line: &Line);

    /// Forgets everything: the journal was cut or replaced and will be read anew.
    fn reset(&mut self);
}

impl<A: Fold, B: Fold> Fold for (A, B) {
    fn apply(&mut self, line: &Line) {
        self.0.apply(line);
        self.1.apply(line);
    }

    fn reset(&mut self) {
        self.0.reset();
        self.1.reset();
    }
}

/// A fold, and how far it has come. It takes no lock and never passes the last line feed.
#[derive(Debug)]
pub struct Follower<F> {
    root: Arc<Root>,
    place: Place,
    fold: F,
}

/// How far a journal was read.
#[derive(Debug, Default)]
struct Place {
    file: Option<FileId>,
    /// The byte after the last line that was taken in.
    offset: u64,
    /// Where that line begins, and its digest.
    last: Option<(u64, [u8; 32])>,
}

impl<F: Fold> Follower<F> {
    pub(crate) fn new(root: Arc<Root>, fold: F) -> Self {
        Self {
            root,
            place: Place::default(),
            fold,
        }
    }

    /// What was derived, as of the last [`Follower::refresh`].
    pub const fn get(&self) -> &F {
        &self.fold
    }

    /// Takes in what was appended since the last time. If the journal became shorter, is another
    /// file, or its last known line changed, the fold is reset and the journal read anew.
    ///
    /// # Errors
    /// The journal cannot be read; the fold is as it was, or as far as the reading came.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        let path = layout::journal();
        let Some(file) = self.root.open_if_there(path.as_str())? else {
            self.start_anew();
            return Ok(());
        };
        let shown = self.root.shown(path.as_str());
        let failed = |error: io::Error| StoreError::from_io(&error, "read", &shown);
        let stat = rustix::fs::fstat(file.as_fd()).map_err(|errno| failed(errno.into()))?;
        let id = FileId::of(&stat);
        let length = u64::try_from(stat.st_size).unwrap_or(0);
        let goes_on = self.place.file == Some(id)
            && length >= self.place.offset
            && self.place.still_holds(&file).map_err(failed)?;
        if !goes_on {
            self.start_anew();
            self.place.file = Some(id);
        }
        let (place, fold) = (&mut self.place, &mut self.fold);
        let mut reader = LineReader::new(&file, place.offset, length);
        let mut commit: Vec<Line> = Vec::new();
        while let Some(raw) = reader.next_line().map_err(failed)? {
            let end = raw.end;
            let line = line_of(raw);
            let complete = !line.goes_on() || commit.len() >= MAX_COMMIT;
            commit.push(line);
            if complete {
                for line in commit.drain(..) {
                    place.last = Some((line.offset(), *line.digest()));
                    fold.apply(&line);
                }
                place.offset = end;
            }
        }
        Ok(())
    }

    fn start_anew(&mut self) {
        if self.place.offset > 0 {
            self.fold.reset();
        }
        self.place = Place::default();
    }
}

impl Place {
    /// Whether the last line that was taken in still says the same.
    fn still_holds(&self, file: &File) -> io::Result<bool> {
        let Some((from, digest)) = self.last else {
            return Ok(true);
        };
        let mut hash = Sha256::new();
        let mut at = from;
        let mut buffer = [0; 4096];
        // The line feed is not part of the digest.
        let end = self.offset.saturating_sub(1);
        while at < end {
            let want = usize::try_from(end - at).map_or(buffer.len(), |n| n.min(buffer.len()));
            let read = file.read_at(buffer.get_mut(..want).unwrap_or_default(), at)?;
            if read == 0 {
                return Ok(false);
            }
            hash.update(buffer.get(..read).unwrap_or_default());
            at += read as u64;
        }
        Ok(<[u8; 32]>::from(hash.finalize()) == digest)
    }
}

/// A raw line as a line of the journal.
pub(crate) fn line_of(raw: RawLine) -> Line {
    match raw.content {
        Content::Bytes(bytes) => parse_line(&bytes, raw.offset),
        Content::TooLong(digest) => Line::Unreadable {
            offset: raw.offset,
            digest,
            reason: format!("longer than {MAX_LINE} bytes"),
        },
    }
}
