//! The journal's chain, and its head against the anchor.

use std::io;

use harness_core::layout;

use super::{AuditReport, Break};
use crate::anchor::{Head, Slot};
use crate::error::StoreError;
use crate::follow::line_of;
use crate::journal::MAX_COMMIT;
use crate::lines::LineReader;
use crate::reader::Reader;
use crate::wire::{Body, Event, Line, Record};

/// The walk along the chain.
struct Walk<'r> {
    report: &'r mut AuditReport,
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
        confirmed,
        untold: false,
        lines: 0,
        last: None,
        strange: None,
    };
    if let Some((file, length)) = reader.journal()? {
        let failed = |error: io::Error| reader.failed(&error);
        let mut lines = LineReader::new(&file, 0, length);
        let mut complete = 0;
        let mut commit = Vec::new();
        while let Some(raw) = lines.next_line().map_err(failed)? {
            let line = line_of(raw);
            let ends = !line.goes_on() || commit.len() >= MAX_COMMIT;
            commit.push(line);
            if ends {
                commit.drain(..).for_each(|line| walk.take(&line));
                complete = lines.consumed();
            }
        }
        walk.report.torn_bytes = length.saturating_sub(complete);
    }
    // The anchor again: a writer may have gone on while the journal was read.
    let after = reader.slot()?;
    walk.compare(after);
    Ok(())
}

impl Walk<'_> {
    fn take(&mut self, line: &Line) {
        match line {
            Line::Chained(record) => self.take_record(record),
            Line::Foreign { .. } => self.report.foreign += 1,
            Line::Unreadable { offset, .. } => {
                self.report.unreadable += 1;
                self.strange.get_or_insert((self.lines, *offset));
            }
        }
        self.lines = self.lines.saturating_add(1);
        self.last = Some(*line.digest());
        self.report.events += 1;
        if let Line::Chained(record) = line {
            self.report.head = Head {
                lines: self.lines,
                digest: record.digest,
            };
            if let Some((head, met)) = &mut self.confirmed
                && head.lines == self.lines
            {
                *met = head.digest == record.digest;
            }
        }
    }

    fn take_record(&mut self, record: &Record) {
        self.strange = None;
        if record.seq != self.lines {
            let what = format!("its `seq` is {}, but it is line {}", record.seq, self.lines);
            self.broken(record, what);
            // Go on from what it says, so that one lost line is one break.
            self.lines = record.seq;
        }
        if record.prev != self.last {
            self.broken(record, "it does not follow the line before it".to_owned());
        }
        match &record.body {
            Body::Known(Event::TailRepaired(repaired)) => match repaired.anchored {
                Some(true) => {}
                Some(false) => {
                    let what = "a writer found the journal at a head that the anchor did not know";
                    self.broken(record, what.to_owned());
                }
                None => self.untold = true,
            },
            Body::Known(_) | Body::Unknown { .. } => {}
            Body::Invalid { .. } => self.report.unreadable += 1,
        }
    }

    fn broken(&mut self, record: &Record, what: String) {
        self.report.broken(Break {
            file: layout::journal().as_str().to_owned(),
            seq: Some(record.seq),
            offset: Some(record.offset),
            what,
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
            self.report.broken(Break {
                file: layout::journal().as_str().to_owned(),
                seq,
                offset,
                what: what.to_owned(),
            });
        }
    }
}
