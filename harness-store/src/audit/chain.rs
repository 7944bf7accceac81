//! The journal's chain, and its head against the anchor.

use std::io;
use std::thread;

use harness_core::{WorkspacePath, layout};

use super::{AuditReport, Break};
use crate::anchor::{Head, Slot};
use crate::error::StoreError;
use crate::follow::line_of;
use crate::identity::WorkspaceId;
use crate::journal::MAX_COMMIT;
use crate::lines::{Block, Blocks};
use crate::reader::Reader;
use crate::segments::{self, Opened, Part};
use crate::wire::{Body, Event, Line, Linked, LinkedLine, Record, parse_linked, sha256};

/// The kinds that say something of the chain, so that their fields are read.
const TOLD: [&[u8]; 3] = [b"tail_repaired", b"segment", b"config"];
/// Bytes of a line, about; to make room for what is seen.
const USUAL_LINE: usize = 200;

/// The walk along the chain.
struct Walk<'r> {
    report: &'r mut AuditReport,
    /// The workspace, as it calls itself.
    workspace: &'r WorkspaceId,
    /// The file that is being walked along.
    file: WorkspacePath,
    /// The head that was confirmed before the walk, and whether the chain goes through it.
    confirmed: Option<(Head, bool)>,
    /// Whether a writer once took the journal up without an anchor.
    untold: bool,
    /// Lines so far, and the digest of the last.
    lines: u64,
    last: Option<[u8; 32]>,
    /// The first line after the head that nobody can read.
    strange: Option<(u64, u64)>,
}

/// Verifies the chain. `before` is the anchor as it was before the journal was opened.
pub(super) fn verify(
    reader: &Reader,
    before: Option<Slot>,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    let confirmed = before.map(|slot| (slot.confirmed, slot.confirmed == Head::GENESIS));
    let mut walk = Walk {
        report,
        workspace: reader.workspace(),
        file: layout::journal(),
        confirmed,
        untold: false,
        lines: 0,
        last: None,
        strange: None,
    };
    let root = reader.root();
    let parts = segments::parts(root, segments::growing(root)?)?;
    for part in parts {
        walk.enter(&part);
        let shown = root.shown(part.path.as_str());
        let failed = |error: io::Error| StoreError::from_io(&error, "read", &shown);
        let is_closed = part.first_seq.is_some();
        let Opened { file, length, .. } = part.open(root)?;
        let mut blocks = Blocks::new(&file, 0, length);
        let mut complete = 0;
        let mut commit = Vec::new();
        while let Some(block) = blocks.next_block().map_err(failed)? {
            for seen in looked_at(block) {
                let (ends, end) = (!seen.goes_on() || commit.len() >= MAX_COMMIT, seen.end);
                commit.push(seen);
                if ends {
                    commit.drain(..).for_each(|seen| walk.take(&seen));
                    complete = end;
                }
            }
        }
        let torn = length.saturating_sub(complete);
        if is_closed && torn > 0 {
            walk.broken(
                None,
                Some(complete),
                "bytes behind the last line of a closed segment",
            );
        }
        walk.report.torn_bytes = torn;
    }
    // The anchor again: a writer may have gone on while the journal was read.
    let after = reader.slot()?;
    walk.compare(after);
    Ok(())
}

/// A line, as far as the chain needs it.
struct Seen {
    what: What,
    /// The byte after its line feed.
    end: u64,
}

enum What {
    /// A link, of a kind that says nothing of the chain; whether its fields read is not looked at.
    Link {
        seq: u64,
        prev: Option<[u8; 32]>,
        more: bool,
        offset: u64,
        digest: [u8; 32],
    },
    /// Any other.
    Line(Box<Line>),
}

impl Seen {
    fn of(line: &LinkedLine<'_>) -> Self {
        let what = match &line.link {
            Some(link) if !TOLD.contains(&link.kind) => What::Link {
                seq: link.seq,
                prev: link.prev,
                more: link.more,
                offset: line.offset,
                digest: sha256(line.bytes),
            },
            link => What::Line(Box::new(parse_linked(
                line.bytes,
                line.offset,
                link.as_ref(),
            ))),
        };
        Self {
            what,
            end: line.end,
        }
    }

    fn goes_on(&self) -> bool {
        match &self.what {
            What::Link { more, .. } => *more,
            What::Line(line) => line.goes_on(),
        }
    }
}

/// Looks at lines, one half of them beside the other.
fn looked_at(block: Block<'_>) -> Vec<Seen> {
    let (offset, lines) = match block {
        Block::Lines(offset, lines) => (offset, lines),
        Block::TooLong(raw) => {
            let end = raw.end;
            let what = What::Line(Box::new(line_of(raw)));
            return vec![Seen { what, end }];
        }
    };
    let middle = lines.get(lines.len() / 2..).unwrap_or_default();
    let middle = lines.len() / 2 + middle.iter().take_while(|byte| **byte != b'\n').count() + 1;
    let Some((first, second)) = lines.split_at_checked(middle) else {
        return look(lines, offset);
    };
    let behind = || look(second, offset + middle as u64);
    thread::scope(|scope| {
        let beside = thread::Builder::new().spawn_scoped(scope, behind);
        let mut seen = look(first, offset);
        // Where there is no other thread, or it broke, this one looks at all of them.
        let rest = beside.ok().and_then(|beside| beside.join().ok());
        seen.extend(rest.unwrap_or_else(behind));
        seen
    })
}

fn look(lines: &[u8], offset: u64) -> Vec<Seen> {
    let mut seen = Vec::with_capacity(lines.len() / USUAL_LINE);
    seen.extend(Linked::new(offset, lines).map(|line| Seen::of(&line)));
    seen
}

impl Walk<'_> {
    fn take(&mut self, seen: &Seen) {
        let (link, digest) = match &seen.what {
            What::Link {
                seq,
                prev,
                offset,
                digest,
                ..
            } => {
                self.take_link(*seq, *prev, *offset);
                (true, *digest)
            }
            What::Line(line) => {
                match &**line {
                    Line::Chained(record) => {
                        self.take_link(record.seq, record.prev, record.offset);
                        self.take_body(record);
                    }
                    Line::Foreign { .. } => self.report.foreign += 1,
                    Line::Unreadable { offset, .. } => {
                        self.report.unreadable += 1;
                        self.strange.get_or_insert((self.lines, *offset));
                    }
                }
                (line.record().is_some(), *line.digest())
            }
        };
        self.lines = self.lines.saturating_add(1);
        self.last = Some(digest);
        self.report.events += 1;
        if link {
            self.report.head = Head {
                lines: self.lines,
                digest,
            };
            if let Some((head, met)) = &mut self.confirmed
                && head.lines == self.lines
            {
                *met = head.digest == digest;
            }
        }
    }

    /// Goes on to a file of the journal.
    fn enter(&mut self, part: &Part) {
        self.file = part.path.clone();
        if let Some(first) = part.first_seq
            && first != self.lines
        {
            let what = format!(
                "it is named for line {first}, but begins with {}",
                self.lines
            );
            self.broken(Some(first), Some(0), what);
        }
    }

    fn take_link(&mut self, number: u64, prev: Option<[u8; 32]>, at: u64) {
        self.strange = None;
        let (seq, offset) = (Some(number), Some(at));
        if number != self.lines {
            let what = format!("its `seq` is {number}, but it is line {}", self.lines);
            self.broken(seq, offset, what);
            // Go on from what it says, so that one lost line is one break.
            self.lines = number;
        }
        if prev != self.last {
            self.broken(seq, offset, "it does not follow the line before it");
        }
    }

    fn take_body(&mut self, record: &Record) {
        let (seq, offset) = (Some(record.seq), Some(record.offset));
        match &record.body {
            Body::Known(Event::TailRepaired(repaired)) => match repaired.anchored {
                Some(true) => {}
                Some(false) => {
                    let what = "a writer found the journal at a head that the anchor did not know";
                    self.broken(seq, offset, what);
                }
                None => self.untold = true,
            },
            Body::Known(Event::Segment(closed)) => {
                if closed.first_seq.saturating_add(closed.lines) != record.seq {
                    self.broken(
                        seq,
                        offset,
                        "the segment before it has not the lines it names",
                    );
                }
            }
            Body::Known(Event::Config(config)) if config.workspace != self.workspace.as_str() => {
                self.broken(seq, offset, "it is the journal of another workspace");
            }
            Body::Known(_) | Body::Unknown { .. } | Body::Invalid { .. } => {}
        }
    }

    fn broken(&mut self, seq: Option<u64>, offset: Option<u64>, what: impl Into<String>) {
        self.report.broken(Break {
            file: self.file.as_str().to_owned(),
            seq,
            offset,
            what: what.into(),
        });
    }

    /// Compares the head with the anchor.
    fn compare(&mut self, after: Option<Slot>) {
        let head = self.report.head;
        let mut told = Vec::new();
        if let Some((seq, offset)) = self.strange {
            told.push((
                Some(seq),
                Some(offset),
                "a line after the head that does not read",
            ));
        }
        let known = match (self.confirmed, after) {
            (Some((confirmed, met)), Some(after)) => {
                if head.lines < confirmed.lines {
                    told.push((None, None, "its tail is gone: the anchor knows more lines"));
                } else if !met {
                    told.push((None, None, "the anchor knows another line at its place"));
                }
                let within = head.lines <= after.confirmed.lines;
                let at = head.lines == after.confirmed.lines || head.lines == after.coming.lines;
                if head.lines > after.coming.lines {
                    told.push((
                        None,
                        None,
                        "it goes on behind the head that the anchor knows",
                    ));
                } else if (at || !within) && !after.knows(&head) {
                    told.push((None, None, "its head is not the one that the anchor knows"));
                }
                Some(told.is_empty())
            }
            _ => None,
        };
        self.report.anchored = known.filter(|_| !self.untold);
        for (seq, offset, what) in told {
            self.broken(seq, offset, what);
        }
    }
}
