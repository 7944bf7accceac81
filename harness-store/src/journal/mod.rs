//! The journal as its writer sees it. Everything here happens under the lock.

mod end;
mod open_commit;
mod repair;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use harness_core::{Timestamp, layout};
use sha2::{Digest, Sha256};

pub(crate) use self::open_commit::OpenCommit;
pub use self::open_commit::{MAX_COMMIT, MAX_COMMIT_BYTES};

use self::end::End;
use crate::anchor::{Anchor, Head};
use crate::error::StoreError;
use crate::follow::line_of;
use crate::lines::LineReader;
use crate::redaction::Sink;
use crate::root::{Access, FileId, Handle, Root};
use crate::segments;
use crate::wire::envelope::envelope;
use crate::wire::event::Segment;
use crate::wire::{Event, Line, MAX_LINE};

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
        let standing = self.root.file_at(layout::journal().as_str())?;
        let length = standing.and_then(|(id, length)| (id == self.id).then_some(length));
        let Some(length) = length else {
            // All of it or nothing: an end belongs to its file.
            let (file, id) = open(&self.root)?;
            let end = End::find(&self.root, &file)?;
            (self.file, self.id, self.end, self.began) = (file, id, end, None);
            return self.take_up(now);
        };
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
        self.take_up(now)
    }

    /// Repairs what was found, and compares it with the anchor.
    fn take_up(&mut self, now: Timestamp) -> Result<(), StoreError> {
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
            self.render(
                &Event::Segment(closed),
                &mut end,
                &now.to_string(),
                false,
                &mut bytes,
            )?;
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
        let (stamp, start) = (now.to_string(), bytes.len());
        for (position, event) in events.iter().enumerate() {
            let more = position + 1 < events.len();
            committed.push(Committed {
                seq: end.lines,
                ts: now,
            });
            self.render(event, end, &stamp, more, bytes)?;
            let length = (bytes.len() - start) as u64;
            if length > MAX_COMMIT_BYTES {
                return Err(StoreError::TooLarge {
                    what: format!("a commit of {length} bytes and more"),
                    limit: MAX_COMMIT_BYTES,
                });
            }
        }
        Ok(committed)
    }

    fn render(
        &self,
        event: &Event,
        end: &mut End,
        now: &str,
        more: bool,
        bytes: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        event
            .check()
            .map_err(|reason| StoreError::Unwritable { reason })?;
        let start = bytes.len();
        let fields = envelope(end.lines, end.last.as_ref(), now, more);
        self.sink.record(event, &fields, bytes)?;
        let line = bytes.get(start..).unwrap_or_default();
        if line.len() > MAX_LINE {
            return Err(StoreError::TooLarge {
                what: format!("an event of {} bytes", line.len()),
                limit: MAX_LINE as u64,
            });
        }
        let digest: [u8; 32] = Sha256::digest(line).into();
        end.offset += line.len() as u64 + 1;
        end.lines = end.lines.saturating_add(1);
        end.last = Some(digest);
        end.head = Head {
            lines: end.lines,
            digest,
        };
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
