//! The journal's chain, and its head against the anchor.

mod look;
mod side_by_side;
#[cfg(test)]
mod tests;

use std::io;

use harness_core::{WorkspacePath, layout};

use self::look::{Seen, Told, What};
use self::side_by_side::{Way, walk_part};
use super::{AuditReport, Break};
use crate::anchor::{Head, Slot};
use crate::error::StoreError;
use crate::journal::OpenCommit;
use crate::reader::Reader;
use crate::segments::{self, Opened, Part};

/// The walk along the chain.
struct Walk<'r> {
    report: &'r mut AuditReport,
    /// The file that is being walked along.
    file: WorkspacePath,
    at: Place,
    /// Lines of a commit that is not complete yet, and the place before the first of them: if the
    /// last never comes, they count for nothing.
    open: OpenCommit,
    before: Option<Place>,
    /// The byte after the last complete commit of the file.
    complete: u64,
}

/// How far the walk has come, as far as a line changes that.
#[derive(Clone, Copy)]
struct Place {
    /// The head that was confirmed before the walk, and whether the chain goes through it.
    confirmed: Option<(Head, bool)>,
    /// Whether a writer once took the journal up without an anchor.
    untold: bool,
    /// Lines so far, and the digest of the last.
    lines: u64,
    last: Option<[u8; 32]>,
    /// The last line of the chain.
    head: Head,
    /// The first line after the head that nobody can read.
    strange: Option<(u64, u64)>,
    /// What the report counts: lines, other programs' lines, lines that nobody can read, breaks.
    events: u64,
    foreign: u64,
    unreadable: u64,
    breaks: usize,
}

/// Verifies the chain. `before` is the anchor as it was before the journal was opened.
pub(super) fn verify(
    reader: &Reader,
    before: Option<Slot>,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    let way = Way::of_this_machine();
    let mut walk = Walk::new(before, report);
    walk.parts(reader, |part, walk| {
        walk_part(&part.file, part.length, reader.workspace(), &way, walk)
    })?;
    // The anchor again: a writer may have gone on while the journal was read.
    let after = reader.slot()?;
    walk.finish(after);
    Ok(())
}

impl<'r> Walk<'r> {
    fn new(before: Option<Slot>, report: &'r mut AuditReport) -> Self {
        Self {
            report,
            file: layout::journal(),
            at: Place {
                confirmed: before.map(|slot| (slot.confirmed, slot.confirmed == Head::GENESIS)),
                untold: false,
                lines: 0,
                last: None,
                head: Head::GENESIS,
                strange: None,
                events: 0,
                foreign: 0,
                unreadable: 0,
                breaks: 0,
            },
            open: OpenCommit::default(),
            before: None,
            complete: 0,
        }
    }

    /// Goes along the files of the journal; `read` goes along the lines of one.
    fn parts(
        &mut self,
        reader: &Reader,
        read: impl Fn(Opened, &mut Self) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        let root = reader.root();
        for part in segments::parts(root, segments::growing(root)?)? {
            self.enter(&part);
            let shown = root.shown(part.path.as_str());
            let is_closed = part.first_seq.is_some();
            let opened = part.open(root)?;
            let length = opened.length;
            read(opened, self).map_err(|error| StoreError::from_io(&error, "read", &shown))?;
            self.go_back();
            let torn = length.saturating_sub(self.complete);
            if is_closed && torn > 0 {
                self.broken(
                    None,
                    Some(self.complete),
                    "bytes behind the last line of a closed segment",
                );
            }
            self.report.torn_bytes = torn;
        }
        Ok(())
    }

    /// Takes in the next lines.
    fn take(&mut self, lines: &[Seen]) {
        for seen in lines {
            if seen.goes_on() && !self.open.is_open() {
                self.before = Some(self.at);
            }
            let ends = self.open.ends_with(seen.goes_on(), seen.end - seen.offset);
            self.take_line(seen);
            if ends {
                self.before = None;
                self.complete = seen.end;
            }
        }
    }

    /// Goes back to before the commit that the file ends in, if that is not complete.
    fn go_back(&mut self) {
        if let Some(before) = self.before.take() {
            self.report.breaks.truncate(before.breaks);
            self.at = before;
        }
        self.open = OpenCommit::default();
    }

    fn take_line(&mut self, seen: &Seen) {
        let digest = seen.digest;
        match &seen.what {
            What::Link {
                seq, prev, told, ..
            } => {
                self.take_link(*seq, *prev, seen.offset);
                if let Some(told) = told {
                    self.take_told(told, *seq, seen.offset);
                }
            }
            What::Foreign => self.at.foreign += 1,
            What::Unreadable => {
                self.at.unreadable += 1;
                let strange = (self.at.lines, seen.offset);
                self.at.strange.get_or_insert(strange);
            }
        }
        let at = &mut self.at;
        at.lines = at.lines.saturating_add(1);
        at.last = Some(digest);
        at.events += 1;
        if matches!(seen.what, What::Link { .. }) {
            at.head = Head {
                lines: at.lines,
                digest,
            };
            if let Some((head, met)) = &mut at.confirmed
                && head.lines == at.lines
            {
                *met = head.digest == digest;
            }
        }
    }

    /// Goes on to a file of the journal.
    fn enter(&mut self, part: &Part) {
        self.file = part.path.clone();
        self.complete = 0;
        let lines = self.at.lines;
        if let Some(first) = part.first_seq
            && first != lines
        {
            let what = format!("it is named for line {first}, but begins with {lines}");
            self.broken(Some(first), Some(0), what);
        }
    }

    fn take_link(&mut self, number: u64, prev: Option<[u8; 32]>, at: u64) {
        self.at.strange = None;
        let (seq, offset) = (Some(number), Some(at));
        if number != self.at.lines {
            let what = format!("its `seq` is {number}, but it is line {}", self.at.lines);
            self.broken(seq, offset, what);
            // Go on from what it says, so that one lost line is one break.
            self.at.lines = number;
        }
        if prev != self.at.last {
            self.broken(seq, offset, "it does not follow the line before it");
        }
    }

    fn take_told(&mut self, told: &Told, number: u64, at: u64) {
        let (seq, offset) = (Some(number), Some(at));
        match told {
            Told::Repaired {
                anchored: Some(true),
            } => {}
            Told::Repaired {
                anchored: Some(false),
            } => {
                let what = "a writer found the journal at a head that the anchor did not know";
                self.broken(seq, offset, what);
            }
            Told::Repaired { anchored: None } => self.at.untold = true,
            Told::Segment { next } if *next == number => {}
            Told::Segment { .. } => {
                let what = "the segment before it has not the lines it names";
                self.broken(seq, offset, what);
            }
            Told::AnotherWorkspace => {
                self.broken(seq, offset, "it is the journal of another workspace");
            }
        }
    }

    fn broken(&mut self, seq: Option<u64>, offset: Option<u64>, what: impl Into<String>) {
        self.report.broken(Break {
            file: self.file.as_str().to_owned(),
            seq,
            offset,
            what: what.into(),
        });
        self.at.breaks = self.report.breaks.len();
    }

    /// Reports how far it came, and compares the head with the anchor.
    fn finish(&mut self, after: Option<Slot>) {
        let head = self.at.head;
        self.report.head = head;
        self.report.events = self.at.events;
        self.report.foreign = self.at.foreign;
        self.report.unreadable = self.at.unreadable;
        let mut told = Vec::new();
        if let Some((seq, offset)) = self.at.strange {
            told.push((
                Some(seq),
                Some(offset),
                "a line after the head that does not read",
            ));
        }
        let known = match (self.at.confirmed, after) {
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
        self.report.anchored = known.filter(|_| !self.at.untold);
        for (seq, offset, what) in told {
            self.broken(seq, offset, what);
        }
    }
}
