//! The journal as its writer sees it. Everything here happens under the lock.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use harness_core::{CleanText, Timestamp, layout};
use sha2::{Digest, Sha256};

use crate::anchor::{Anchor, Head};
use crate::error::StoreError;
use crate::follow::line_of;
use crate::lines::{LineReader, start_of_last_lines};
use crate::redaction::Sink;
use crate::root::{Access, FileId, Handle, Root};
use crate::segments;
use crate::wire::envelope::enclose;
use crate::wire::event::{RecordSkipped, Segment, TailRepaired};
use crate::wire::{Event, Line, MAX_LINE, hex, json};

/// Events of one commit at most; readers hold a commit in memory until its last line is there.
pub const MAX_COMMIT: usize = 4096;
/// Lines looked at from the end at first when a journal is taken up.
const FIRST_LOOK: usize = 16;
/// Unreadable lines at the end that are journaled one by one when a journal is taken up.
const MAX_SKIPPED: usize = 16;
/// Repairs that are kept to be told.
const MAX_OWED: usize = 2 * MAX_SKIPPED;

/// When the growing file of the journal is closed and a new one begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// Once it has this many bytes.
    pub bytes: u64,
    /// Once its first line is this old.
    pub age: Duration,
}

impl Default for Rotation {
    fn default() -> Self {
        Self {
            bytes: 16 << 20,
            age: Duration::from_secs(30 * 86_400),
        }
    }
}

/// An acknowledged event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// Its line's number.
    pub seq: u64,
    /// Its time.
    pub ts: Timestamp,
}

/// How far the journal goes.
#[derive(Clone, Debug)]
struct End {
    /// The byte after the last line that counts.
    offset: u64,
    /// Lines up to there, of any kind.
    lines: u64,
    /// Digest of the last of them; `None` where there is none.
    last: Option<[u8; 32]>,
    /// The last line of the chain.
    head: Head,
    /// Where lines begin, after the head, that nobody can read.
    unreadable: Vec<u64>,
}

/// The journal's file, open for appending.
#[derive(Debug)]
pub(crate) struct Journal {
    root: Arc<Root>,
    sink: Sink,
    anchor: Anchor,
    file: Handle,
    id: FileId,
    end: End,
    rotation: Rotation,
    /// When the growing file began; `None` while that was not looked up.
    began: Option<Timestamp>,
    /// Set when what a failed append left could not be cut off again.
    cut_to: Option<u64>,
    /// What was found and repaired and no line tells of yet: it is told before anything else.
    owed: Vec<Event>,
    /// Whether the anchor knows the head. One that it does not know is not confirmed to it before
    /// a line says so.
    is_known: bool,
}

impl Journal {
    /// Takes up the journal: repairs its tail and compares its head with the anchor.
    pub(crate) fn open(
        root: Arc<Root>,
        config: &Root,
        sink: Sink,
        rotation: Rotation,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let (file, id) = open(&root)?;
        let end = End::find(&root, &file)?;
        let (anchor, known) = match Anchor::open(config)? {
            Some(anchor) => {
                let knows = anchor.slot().knows(&end.head);
                (anchor, Some(knows))
            }
            None => (Anchor::create(config, end.head)?, None),
        };
        // Without a line of ours there is nothing that an anchor could have known.
        let fresh = end.head.lines == 0 && known.is_none();
        let mut journal = Self {
            root,
            sink,
            anchor,
            file,
            id,
            end,
            rotation,
            began: None,
            cut_to: None,
            owed: Vec::new(),
            is_known: true,
        };
        journal.repair(if fresh { Some(true) } else { known }, now)?;
        Ok(journal)
    }

    /// Takes in what other processes wrote since, and repairs what one of them left torn.
    pub(crate) fn catch_up(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let error = |error: io::Error, root: &Root| failed(root, &error, "read");
        self.finish_cut()?;
        // Also where the journal did not grow: another writer may have announced and failed.
        self.anchor.reload()?;
        if self.root.file_id(layout::journal().as_str())? != Some(self.id) {
            // All of it or nothing: an end belongs to its file.
            let (file, id) = open(&self.root)?;
            let end = End::find(&self.root, &file)?;
            (self.file, self.id, self.end, self.began) = (file, id, end, None);
        } else {
            let length = self.file.length().map_err(|e| error(e, &self.root))?;
            if length == self.end.offset {
                return self.tell_owed(now);
            }
            if length < self.end.offset {
                self.end = End::find(&self.root, &self.file)?;
            } else {
                let end = self.end.clone();
                self.end = end
                    .walk(&self.file, length)
                    .map_err(|e| error(e, &self.root))?;
            }
        }
        let known = self.anchor.slot().knows(&self.end.head);
        self.repair(Some(known), now)
    }

    /// Writes `commits`, each all or nothing, in one write, and makes them durable.
    pub(crate) fn append(
        &mut self,
        commits: &[Vec<Event>],
        now: Timestamp,
    ) -> Result<Vec<Vec<Committed>>, StoreError> {
        self.close_if_due(now)?;
        let mut bytes = Vec::new();
        let mut end = self.end.clone();
        end.unreadable.clear();
        if let Some(closed) = self.closed_before()? {
            self.render(&Event::Segment(closed), &mut end, now, false, &mut bytes)?;
        }
        let opening = bytes.len();
        self.render_commit(&self.owed, &mut end, now, &mut bytes)?;
        let mut committed = Vec::with_capacity(commits.len());
        for events in commits {
            if events.len() > MAX_COMMIT {
                return Err(StoreError::TooLarge {
                    what: format!("a commit of {} events", events.len()),
                    limit: MAX_COMMIT as u64,
                });
            }
            committed.push(self.render_commit(events, &mut end, now, &mut bytes)?);
        }
        if bytes.len() > opening {
            self.write(&bytes, end)?;
        }
        Ok(committed)
    }

    /// Closes the growing file if it is large or old enough. The lines and the head stay what they
    /// are; if it cannot be closed, it grows on.
    fn close_if_due(&mut self, now: Timestamp) -> Result<(), StoreError> {
        if self.end.offset == 0 || !self.owed.is_empty() || !self.is_due(now)? {
            return Ok(());
        }
        let Some(first_seq) = self.first_seq()? else {
            return Ok(());
        };
        self.settle()?;
        let (growing, segment) = (layout::journal(), layout::journal_segment(first_seq));
        let closed = self.root.rename(growing.as_str(), segment.as_str());
        if self.root.file_id(growing.as_str())? == Some(self.id) {
            return Ok(());
        }
        // It has its new name, but perhaps not durably: then nothing more is written to it.
        closed?;
        (self.file, self.id) = open(&self.root)?;
        self.end.offset = 0;
        self.began = None;
        Ok(())
    }

    /// Tells what is owed, if anything is.
    fn tell_owed(&mut self, now: Timestamp) -> Result<(), StoreError> {
        if self.owed.is_empty() {
            return Ok(());
        }
        self.append(&[], now).map(drop)
    }

    fn is_due(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        if self.end.offset >= self.rotation.bytes {
            return Ok(true);
        }
        let began = match self.began {
            Some(began) => began,
            None => self.first_record()?.map_or(now, |(_, ts)| ts),
        };
        self.began = Some(began);
        let age = i64::try_from(self.rotation.age.as_micros()).unwrap_or(i64::MAX);
        Ok(now.as_micros().saturating_sub(began.as_micros()) >= age)
    }

    /// The number of the growing file's first line; `None` while no line says any.
    fn first_seq(&self) -> Result<Option<u64>, StoreError> {
        Ok(self.first_record()?.map(|(first, _)| first))
    }

    /// The number of the growing file's first line, as its first record tells, and that record's
    /// time.
    fn first_record(&self) -> Result<Option<(u64, Timestamp)>, StoreError> {
        let mut reader = LineReader::new(&self.file, 0, self.end.offset);
        let mut before = 0;
        while let Some(raw) = reader
            .next_line()
            .map_err(|error| failed(&self.root, &error, "read"))?
        {
            if let Line::Chained(record) = line_of(raw) {
                return Ok(Some((record.seq.saturating_sub(before), record.ts)));
            }
            before += 1;
        }
        Ok(None)
    }

    /// What the first line of a new file says of the one that was closed before it.
    fn closed_before(&self) -> Result<Option<Segment>, StoreError> {
        if self.end.offset > 0 || self.end.lines == 0 {
            return Ok(None);
        }
        let closed = segments::closed(&self.root)?;
        Ok(closed.last().map(|first_seq| Segment {
            first_seq: *first_seq,
            lines: self.end.lines.saturating_sub(*first_seq),
        }))
    }

    /// Says in the anchor that nothing is under way, and syncs it.
    pub(crate) fn settle(&mut self) -> Result<(), StoreError> {
        if !self.is_known {
            return Ok(());
        }
        self.anchor.settle(self.end.head)
    }

    /// The last line of the chain.
    pub(crate) const fn head(&self) -> &Head {
        &self.end.head
    }

    /// How many lines it has, of any kind.
    pub(crate) const fn lines(&self) -> u64 {
        self.end.lines
    }

    /// Whether the journal has no line of the chain yet.
    pub(crate) const fn is_unchained(&self) -> bool {
        self.end.head.lines == 0
    }

    /// Renders the lines of one commit.
    fn render_commit(
        &self,
        events: &[Event],
        end: &mut End,
        now: Timestamp,
        bytes: &mut Vec<u8>,
    ) -> Result<Vec<Committed>, StoreError> {
        let mut committed = Vec::with_capacity(events.len());
        for (position, event) in events.iter().enumerate() {
            let more = position + 1 < events.len();
            committed.push(Committed {
                seq: end.lines,
                ts: now,
            });
            self.render(event, end, now, more, bytes)?;
        }
        Ok(committed)
    }

    fn render(
        &self,
        event: &Event,
        end: &mut End,
        now: Timestamp,
        more: bool,
        bytes: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        event
            .check()
            .map_err(|reason| StoreError::Unwritable { reason })?;
        let fields = self.sink.fields(event)?;
        let line = json::compact(&enclose(fields, end.lines, end.last.as_ref(), now, more));
        if line.len() > MAX_LINE {
            return Err(StoreError::TooLarge {
                what: format!("an event of {} bytes", line.len()),
                limit: MAX_LINE as u64,
            });
        }
        let digest: [u8; 32] = Sha256::digest(&line).into();
        end.offset += line.len() as u64 + 1;
        end.lines = end.lines.saturating_add(1);
        end.last = Some(digest);
        end.head = Head {
            lines: end.lines,
            digest,
        };
        bytes.extend_from_slice(&line);
        bytes.push(b'\n');
        Ok(())
    }

    /// Anchor first, then one write and one sync; on failure the file is as it was.
    fn write(&mut self, bytes: &[u8], end: End) -> Result<(), StoreError> {
        let confirmed = if self.is_known {
            self.end.head
        } else {
            self.anchor.slot().confirmed
        };
        self.anchor.announce(confirmed, end.head)?;
        let written = self.file.append(bytes).and_then(|()| self.file.sync());
        if let Err(error) = written {
            self.cut_to = Some(self.end.offset);
            // If this fails too, the next writer of this process does it first.
            let _ = self.finish_cut();
            return Err(failed(&self.root, &error, "append to"));
        }
        self.end = end;
        self.owed.clear();
        self.is_known = true;
        Ok(())
    }

    /// Cuts off what a failed append left: it was not acknowledged.
    fn finish_cut(&mut self) -> Result<(), StoreError> {
        let Some(offset) = self.cut_to else {
            return Ok(());
        };
        // Another process may have repaired it and gone on; then nothing here is ours to cut.
        let ours = *self.anchor.slot();
        self.anchor.reload()?;
        if *self.anchor.slot() == ours {
            self.file
                .cut(offset)
                .and_then(|()| self.file.sync())
                .map_err(|error| failed(&self.root, &error, "repair"))?;
        }
        self.cut_to = None;
        Ok(())
    }

    /// Cuts what is behind the last complete commit, and journals that and every other way in
    /// which the journal did not end as it should. `anchored` is whether the anchor knows the
    /// head, `None` if there is no anchor to ask.
    fn repair(&mut self, anchored: Option<bool>, now: Timestamp) -> Result<(), StoreError> {
        let error = |error: io::Error, root: &Root| failed(root, &error, "repair");
        let length = self.file.length().map_err(|e| error(e, &self.root))?;
        let dropped = length.saturating_sub(self.end.offset);
        self.is_known &= anchored != Some(false);
        if dropped > 0 || anchored != Some(true) {
            let digest =
                digest_of(&self.file, self.end.offset, length).map_err(|e| error(e, &self.root))?;
            if dropped > 0 {
                self.file
                    .cut(self.end.offset)
                    .map_err(|e| error(e, &self.root))?;
            }
            self.owe(Event::TailRepaired(TailRepaired {
                dropped_bytes: dropped,
                dropped_sha256: hex(&digest),
                anchored,
            }));
        }
        for offset in std::mem::take(&mut self.end.unreadable) {
            self.owe(Event::RecordSkipped(RecordSkipped {
                path: layout::journal().as_str().to_owned(),
                offset,
                reason: CleanText::new("the line does not read")
                    .unwrap_or_else(|_| CleanText::empty()),
            }));
        }
        self.tell_owed(now)
    }

    /// Keeps something to tell until it can be told, once.
    fn owe(&mut self, event: Event) {
        if self.owed.len() < MAX_OWED && !self.owed.contains(&event) {
            self.owed.push(event);
        }
    }
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
    fn find(root: &Root, growing: &Handle) -> Result<Self, StoreError> {
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
    fn walk(mut self, file: &Handle, length: u64) -> io::Result<Self> {
        let mut reader = LineReader::new(file, self.offset, length);
        // The end as it will be when the commit under way is complete.
        let mut ahead = self.clone();
        let mut open = 0;
        while let Some(raw) = reader.next_line()? {
            let raw_end = raw.end;
            let line = line_of(raw);
            ahead.take(&line, raw_end);
            open = if line.goes_on() { open + 1 } else { 0 };
            if open == 0 || open > MAX_COMMIT {
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

fn open(root: &Root) -> Result<(Handle, FileId), StoreError> {
    let path = layout::journal();
    let file = root.open_file(path.as_str(), Access::Append)?;
    let (id, length) = file
        .standing()
        .map_err(|error| failed(root, &error, "look at"))?;
    if length == 0 {
        root.sync_folder_of(path.as_str())?;
    }
    Ok((file, id))
}

fn failed(root: &Root, error: &io::Error, doing: &'static str) -> StoreError {
    StoreError::from_io(error, doing, &root.shown(layout::journal().as_str()))
}

/// SHA-256 of a region of a file.
fn digest_of(file: &Handle, from: u64, to: u64) -> io::Result<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut at = from;
    let mut buffer = [0; 8192];
    while at < to {
        let read = file.read_at(&mut buffer, at)?;
        if read == 0 {
            break;
        }
        hash.update(buffer.get(..read).unwrap_or_default());
        at += read as u64;
    }
    Ok(hash.finalize().into())
}
