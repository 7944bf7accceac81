//! Verifying a workspace: the chain from its first line, the anchor, the mailbox's files.

mod chain;
mod mailbox;

use crate::anchor::Head;
use crate::error::StoreError;
use crate::reader::Reader;

/// Breaks that a report lists at most.
const MAX_BREAKS: usize = 1000;

/// What an audit cannot see, for its output.
pub const LIMITS: &[&str] = &[
    "who can write both the root and the folder of the anchor can forge all of it",
    "lines that another program appended are covered from the next line of ours on",
    "after a kill, the last commit can be cut off unseen until the next writer settles the anchor, a second at most",
    "after a loss of power, the anchor can be up to a second behind the journal, which is then marked for ever",
    "scores, gate states, eval cases and evaluation dumps are not in the chain",
    "code inside the writing process, and its clock, are trusted",
];

/// One thing that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// The file, relative to the root.
    pub file: String,
    /// The line, counted from 0, where a line is meant.
    pub seq: Option<u64>,
    /// The byte at which it begins, where a line is meant.
    pub offset: Option<u64>,
    /// What is wrong, for a person.
    pub what: String,
}

/// The outcome of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// Whether nothing is broken.
    pub ok: bool,
    /// Lines of the journal that count, of any kind.
    pub events: u64,
    /// The journal's head.
    pub head: Head,
    /// Whether the anchor knows that head; `None` if there is no anchor, or there was none when a
    /// writer took the journal up: then nobody can tell.
    pub anchored: Option<bool>,
    /// What is broken, at most a thousand entries.
    pub breaks: Vec<Break>,
    /// Lines of other programs.
    pub foreign: u64,
    /// Lines that do not read; of an audit also records whose fields do not.
    pub unreadable: u64,
    /// Bytes after the last complete commit: the next writer cuts them.
    pub torn_bytes: u64,
    /// What an audit cannot see.
    pub limits: &'static [&'static str],
}

pub(crate) fn audit(reader: &Reader) -> Result<AuditReport, StoreError> {
    let mut report = verify_chain(reader)?;
    mailbox::verify(reader, &mut report)?;
    report.ok = report.breaks.is_empty();
    Ok(report)
}

pub(crate) fn verify_chain(reader: &Reader) -> Result<AuditReport, StoreError> {
    let before = reader.slot()?;
    let mut report = AuditReport::empty();
    chain::verify(reader, before, &mut report)?;
    report.ok = report.breaks.is_empty();
    Ok(report)
}

impl AuditReport {
    /// One of nothing.
    const fn empty() -> Self {
        Self {
            ok: true,
            events: 0,
            head: Head::GENESIS,
            anchored: None,
            breaks: Vec::new(),
            foreign: 0,
            unreadable: 0,
            torn_bytes: 0,
            limits: LIMITS,
        }
    }

    fn broken(&mut self, found: Break) {
        if self.breaks.len() < MAX_BREAKS {
            self.breaks.push(found);
        }
    }
}
