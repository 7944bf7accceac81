//! Following the journal: what is derived from it costs the change, not the file.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::error::StoreError;
use crate::folds::State;
use crate::journal::OpenCommit;
use crate::lines::{Block, Blocks, Content, RawLine};
use crate::root::{FileId, Handle, Root};
use crate::segments::{self, Opened, Part};
use crate::snapshot::{self, Footing, Snapshot};
use crate::wire::{Line, Linked, LinkedLine, MAX_LINE, parse_line, parse_linked, sha256};

/// Bytes that are read at a time, about.
const BLOCK: usize = 256 * 1024;
/// Why a snapshot of another journal, or of another past of this one, is dropped.
const NO_FOOTING: &str = "it stands on no line of this journal";

/// Something derived from the journal, line by line.
pub trait Fold {
    /// Takes in the next line. Lines come in order, each once; a commit comes whole or not at all.
    fn apply(&mut self, line: &Line);

    /// Forgets everything: the journal was cut or replaced and will be read anew.
    fn reset(&mut self);

    /// Whether lines of this kind say anything to it. Other lines of ours are not read for it, so
    /// that they cost next to nothing; it may be handed one all the same.
    fn takes(&self, kind: &str) -> bool {
        let _ = kind;
        true
    }

    /// The record `seq` is of a kind that it does not take.
    fn pass(&mut self, seq: u64) {
        let _ = seq;
    }

    /// Takes its part of a snapshot, as if every line up to there had been taken in; says whether
    /// it could. A fold that is in no snapshot reads the journal from its first line.
    fn take_up(&mut self, snapshot: &mut Snapshot) -> bool {
        let _ = snapshot;
        false
    }
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

    fn takes(&self, kind: &str) -> bool {
        self.0.takes(kind) || self.1.takes(kind)
    }

    fn pass(&mut self, seq: u64) {
        self.0.pass(seq);
        self.1.pass(seq);
    }

    fn take_up(&mut self, snapshot: &mut Snapshot) -> bool {
        self.0.take_up(snapshot) && self.1.take_up(snapshot)
    }
}

/// A fold, and how far it has come. It takes no lock and never passes the last line feed.
#[derive(Debug)]
pub struct Follower<F> {
    root: Arc<Root>,
    /// Where snapshots are left; `None` for whoever believes none.
    snapshots: Option<Arc<Root>>,
    /// Why the last snapshot was not taken up.
    dropped: Option<String>,
    /// The number of lines that the last snapshot stands on, as far as this follower knows.
    snapshot_at: u64,
    place: Place,
    /// Whether the fold has taken in anything.
    begun: bool,
    fold: F,
}

/// A line, as far as the fold needs it.
#[expect(
    clippy::large_enum_variant,
    reason = "they go from hand to hand: a box for each would cost more than it saves"
)]
enum Found {
    /// One to take in.
    Line(Line),
    /// A record of a kind that the fold does not take.
    Passed { seq: u64, more: bool },
}

impl Found {
    fn of(line: &LinkedLine<'_>, fold: &impl Fold) -> Self {
        let link = line.link.as_ref();
        let passed =
            link.filter(|link| str::from_utf8(link.kind).is_ok_and(|kind| !fold.takes(kind)));
        match passed {
            Some(link) => Self::Passed {
                seq: link.seq,
                more: link.more,
            },
            None => Self::Line(parse_linked(line.bytes, line.offset, link)),
        }
    }

    const fn goes_on(&self) -> bool {
        match self {
            Self::Line(line) => line.goes_on(),
            Self::Passed { more, .. } => *more,
        }
    }
}

/// The lines of a commit until its last is there.
#[derive(Default)]
struct Commit {
    lines: Vec<Found>,
    open: OpenCommit,
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
    /// The number of the first line of the file.
    first_seq: u64,
    /// Lines that were taken in, of all files.
    lines: u64,
}

impl<F: Fold> Follower<F> {
    /// One that reads the journal from its first line and believes no snapshot.
    pub(crate) fn new(root: Arc<Root>, fold: F) -> Self {
        Self::with_snapshots(root, None, fold)
    }

    /// One that takes up a snapshot, if one stands on this journal.
    pub(crate) fn with_snapshots(root: Arc<Root>, snapshots: Option<Arc<Root>>, fold: F) -> Self {
        Self {
            root,
            snapshots,
            dropped: None,
            snapshot_at: 0,
            place: Place::default(),
            begun: false,
            fold,
        }
    }

    /// Whether anything was taken in.
    pub(crate) const fn has_begun(&self) -> bool {
        self.begun
    }

    /// Why the snapshot that was there was not taken up, once.
    pub(crate) fn take_dropped(&mut self) -> Option<String> {
        self.dropped.take()
    }

    /// The last line that was taken in.
    fn footing(&self) -> Option<Footing> {
        let (from, digest) = self.place.last?;
        Some(Footing {
            first_seq: self.place.first_seq,
            lines: self.place.lines,
            from,
            to: self.place.offset,
            digest,
        })
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
            None => {
                self.start_anew();
                let at = self.take_up(&parts).unwrap_or_else(|reason| {
                    self.dropped = Some(reason);
                    None
                });
                parts.drain(..at.unwrap_or(0));
            }
        }
        self.go_on(parts)
    }

    /// Takes up a snapshot, if there is one; says in which of `parts` it stands.
    fn take_up(&mut self, parts: &[Part]) -> Result<Option<usize>, String> {
        let found = match &self.snapshots {
            Some(folder) => snapshot::read(folder)?,
            None => None,
        };
        let Some((footing, mut snapshot)) = found else {
            return Ok(None);
        };
        let at = parts
            .iter()
            .position(|part| part.first_seq == Some(footing.first_seq))
            .or_else(|| parts.iter().position(|part| part.first_seq.is_none()))
            .ok_or(NO_FOOTING)?;
        let opened = parts.get(at).ok_or(NO_FOOTING)?.open(&self.root);
        let opened = opened.map_err(|error| error.to_string())?;
        let place = Place {
            file: Some(opened.id),
            offset: footing.to,
            last: Some((footing.from, footing.digest)),
            first_seq: footing.first_seq,
            lines: footing.lines,
        };
        let holds = footing.to <= opened.length && place.still_holds(&opened.file).unwrap_or(false);
        if !holds {
            return Err(NO_FOOTING.to_owned());
        }
        if !self.fold.take_up(&mut snapshot) {
            self.fold.reset();
            return match snapshot.is_unreadable() {
                true => Err("it does not read".to_owned()),
                false => Ok(None),
            };
        }
        self.place = place;
        self.snapshot_at = footing.lines;
        self.begun = true;
        Ok(Some(at))
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
                first_seq: part.first_seq.unwrap_or(self.place.lines),
                lines: self.place.lines,
                ..Place::default()
            };
        } else if length < self.place.offset || !self.place.still_holds(&file).map_err(failed)? {
            return Ok(false);
        }
        let mut blocks = Blocks::new(&file, self.place.offset, length, BLOCK);
        let mut buffer = Vec::new();
        let mut commit = Commit::default();
        while let Some(block) = blocks.next_into(&mut buffer).map_err(failed)? {
            match block {
                Block::Lines(offset, lines) => {
                    let mut last = None;
                    for line in Linked::new(offset, lines) {
                        let found = Found::of(&line, &self.fold);
                        if self.take(&mut commit, found, line.offset..line.end) {
                            last = Some(line);
                        }
                    }
                    if let Some(line) = last {
                        self.place.last = Some((line.offset, sha256(line.bytes)));
                    }
                }
                Block::TooLong(raw) => {
                    let (place, line) = (raw.offset..raw.end, line_of(raw));
                    let last = (line.offset(), *line.digest());
                    if self.take(&mut commit, Found::Line(line), place) {
                        self.place.last = Some(last);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Takes in the line at `place` with the commit that it completes; says whether it completes
    /// one.
    fn take(&mut self, commit: &mut Commit, found: Found, place: Range<u64>) -> bool {
        let bytes = place.end - place.start;
        let ends = commit.open.ends_with(found.goes_on(), bytes);
        commit.lines.push(found);
        if ends {
            for found in commit.lines.drain(..) {
                match found {
                    Found::Line(line) => self.fold.apply(&line),
                    Found::Passed { seq, .. } => self.fold.pass(seq),
                }
                self.place.lines = self.place.lines.saturating_add(1);
            }
            self.begun = true;
            self.place.offset = place.end;
        }
        ends
    }

    fn start_anew(&mut self) {
        if self.begun {
            self.fold.reset();
            self.begun = false;
        }
        self.place = Place::default();
    }
}

impl Follower<State> {
    /// The number of lines that the last snapshot stands on, as far as this follower knows.
    pub(crate) const fn snapshot_at(&self) -> u64 {
        self.snapshot_at
    }

    /// Leaves a snapshot of what was derived. It needs no lock: what it stands on is looked at by
    /// whoever takes it up.
    pub(crate) fn leave_snapshot(&mut self) -> Result<(), StoreError> {
        let (Some(folder), Some(footing)) = (&self.snapshots, self.footing()) else {
            return Ok(());
        };
        snapshot::leave(folder, &footing, &self.fold)?;
        self.snapshot_at = footing.lines;
        Ok(())
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
