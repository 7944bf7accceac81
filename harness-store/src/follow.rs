//! Following the journal: what is derived from it costs the change, not the file.

use std::io;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::error::StoreError;
use crate::journal::MAX_COMMIT;
use crate::lines::{Content, LineReader, RawLine};
use crate::root::{FileId, Handle, Root};
use crate::segments::{self, Opened, Part};
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
    /// Whether the fold has taken in anything.
    begun: bool,
    fold: F,
}

/// How far a journal was read.
#[derive(Debug, Default)]
struct Place {
    /// The file that is being read; a segment that was closed since is the same file.
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
            begun: false,
            fold,
        }
    }

    /// Whether anything was taken in.
    pub(crate) const fn has_begun(&self) -> bool {
        self.begun
    }

    /// What was derived, as of the last [`Follower::refresh`].
    pub const fn get(&self) -> &F {
        &self.fold
    }

    /// Takes in what was appended since the last time. If the journal became shorter, is another
    /// one, or its last known line changed, the fold is reset and the journal read anew.
    ///
    /// # Errors
    /// The journal cannot be read; the fold is as it was, or as far as the reading came.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        let growing = segments::growing(&self.root)?;
        let growing = match growing {
            Some(part) if part.is(self.place.file) => return self.go_on([part]),
            other => other,
        };
        let mut parts = segments::parts(&self.root, growing)?;
        let known = match self.place.file {
            Some(id) => segments::position(&self.root, &parts, id)?,
            None => None,
        };
        match known {
            Some(at) => {
                parts.drain(..at);
            }
            None => self.start_anew(),
        }
        self.go_on(parts)
    }

    fn go_on(&mut self, parts: impl IntoIterator<Item = Part>) -> Result<(), StoreError> {
        for part in parts {
            if !self.read(part)? {
                // It is not the journal that it was.
                self.start_anew();
                return self.refresh();
            }
        }
        Ok(())
    }

    /// Takes in what is new in one file; `false` if what was taken in of it is not there any more.
    fn read(&mut self, part: Part) -> Result<bool, StoreError> {
        let shown = self.root.shown(part.path.as_str());
        let failed = |error: io::Error| StoreError::from_io(&error, "read", &shown);
        let Opened { file, id, length } = part.open(&self.root)?;
        if self.place.file != Some(id) {
            self.place = Place {
                file: Some(id),
                ..Place::default()
            };
        } else if length < self.place.offset || !self.place.still_holds(&file).map_err(failed)? {
            return Ok(false);
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
                    self.begun = true;
                }
                place.offset = end;
            }
        }
        Ok(true)
    }

    fn start_anew(&mut self) {
        if self.begun {
            self.fold.reset();
            self.begun = false;
        }
        self.place = Place::default();
    }
}

impl Place {
    /// Whether the last line that was taken in still says the same.
    fn still_holds(&self, file: &Handle) -> io::Result<bool> {
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
