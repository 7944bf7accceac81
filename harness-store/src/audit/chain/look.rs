//! What a line says of the chain. Each is looked at by itself, whatever comes before it.

use crate::follow::line_of;
use crate::identity::WorkspaceId;
use crate::lines::RawLine;
use crate::wire::{Body, Event, Line, LinkedLine, parse_linked, sha256};

/// The kinds that say something of the chain, so that their fields are read.
const TOLD: [&[u8]; 3] = [b"tail_repaired", b"segment", b"config"];

/// A line, as far as the chain needs it. It holds nothing of the line's text.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) what: What,
    /// SHA-256 of its bytes.
    pub(super) digest: [u8; 32],
    /// The byte at which it begins.
    pub(super) offset: u64,
    /// The byte after its line feed.
    pub(super) end: u64,
}

#[derive(Debug)]
pub(super) enum What {
    /// A link; of most kinds, whether their fields read is not looked at.
    Link {
        seq: u64,
        prev: Option<[u8; 32]>,
        more: bool,
        told: Option<Box<Told>>,
    },
    /// Another program's.
    Foreign,
    /// One that nobody can read.
    Unreadable,
}

/// What a record says of the chain.
#[derive(Debug)]
pub(super) enum Told {
    /// A writer repaired the tail; whether the anchor knew the head, if there was one.
    Repaired { anchored: Option<bool> },
    /// A segment was closed; the number that the line after it has by its own account.
    Segment { next: u64 },
    /// The journal names a workspace that is not this one.
    AnotherWorkspace,
}

impl Seen {
    pub(super) fn of(line: &LinkedLine<'_>, workspace: &WorkspaceId) -> Self {
        let (what, digest) = match &line.link {
            Some(link) if !TOLD.contains(&link.kind) => {
                let what = What::Link {
                    seq: link.seq,
                    prev: link.prev,
                    more: link.more,
                    told: None,
                };
                (what, sha256(line.bytes))
            }
            link => {
                let line = parse_linked(line.bytes, line.offset, link.as_ref());
                (What::of(&line, workspace), *line.digest())
            }
        };
        Self {
            what,
            digest,
            offset: line.offset,
            end: line.end,
        }
    }

    /// A line that was read by itself.
    pub(super) fn alone(raw: RawLine, workspace: &WorkspaceId) -> Self {
        let (offset, end) = (raw.offset, raw.end);
        let line = line_of(raw);
        Self {
            what: What::of(&line, workspace),
            digest: *line.digest(),
            offset,
            end,
        }
    }

    pub(super) const fn goes_on(&self) -> bool {
        matches!(self.what, What::Link { more: true, .. })
    }
}

impl What {
    fn of(line: &Line, workspace: &WorkspaceId) -> Self {
        match line {
            Line::Chained(record) => Self::Link {
                seq: record.seq,
                prev: record.prev,
                more: record.more,
                told: Told::by(&record.body, workspace).map(Box::new),
            },
            Line::Foreign { .. } => Self::Foreign,
            Line::Unreadable { .. } => Self::Unreadable,
        }
    }
}

impl Told {
    fn by(body: &Body, workspace: &WorkspaceId) -> Option<Self> {
        match body {
            Body::Known(Event::TailRepaired(repaired)) => Some(Self::Repaired {
                anchored: repaired.anchored,
            }),
            Body::Known(Event::Segment(closed)) => Some(Self::Segment {
                next: closed.first_seq.saturating_add(closed.lines),
            }),
            Body::Known(Event::Config(config)) if config.workspace != workspace.as_str() => {
                Some(Self::AnotherWorkspace)
            }
            Body::Known(_) | Body::Unknown { .. } | Body::Invalid { .. } => None,
        }
    }
}
