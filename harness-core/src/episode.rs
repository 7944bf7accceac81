//! One failure, one diagnosis: related notices that are repaired together.

use std::fmt;

use crate::id::{EpisodeId, NoticeId, SessionId};
use crate::notice::ResolutionKind;

/// The notices of one failure. There is at least one; they are sorted and each stands once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Episode {
    id: EpisodeId,
    session: SessionId,
    turn_index: u32,
    notices: Vec<NoticeId>,
}

impl Episode {
    /// An episode of `notices`, or `None` if there are none. `digest` is the SHA-256 of the
    /// sorted ids joined by line feeds; this crate has no hash of its own.
    pub fn new(
        session: SessionId,
        turn_index: u32,
        mut notices: Vec<NoticeId>,
        digest: impl FnOnce(&[u8]) -> [u8; 32],
    ) -> Option<Self> {
        notices.sort();
        notices.dedup();
        if notices.is_empty() {
            return None;
        }
        let names: Vec<&str> = notices.iter().map(NoticeId::as_str).collect();
        let id = EpisodeId::from_digest(&digest(names.join("\n").as_bytes()));
        Some(Self {
            id,
            session,
            turn_index,
            notices,
        })
    }

    /// Its id.
    pub const fn id(&self) -> &EpisodeId {
        &self.id
    }

    /// The conversation that failed.
    pub const fn session(&self) -> &SessionId {
        &self.session
    }

    /// The turn that failed.
    pub const fn turn_index(&self) -> u32 {
        self.turn_index
    }

    /// Its notices, sorted.
    pub fn notices(&self) -> &[NoticeId] {
        &self.notices
    }
}

/// How an episode ended; it ends in exactly one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RepairStatus {
    /// One candidate rule was added.
    CandidateAdded,
    /// An active rule covers the failure.
    Duplicate,
    /// A candidate rule covers the failure.
    AlreadyCovered,
    /// Nothing worth a rule.
    NoProposal,
    /// Nothing an agent could do about it.
    Unactionable,
    /// A bound was reached; the notices stay pending.
    TimedOut,
    /// The model or the store failed; the notices stay pending.
    Failed,
    /// It was stopped from outside; the notices stay pending.
    Cancelled,
}

impl RepairStatus {
    /// The name in events and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CandidateAdded => "candidate_added",
            Self::Duplicate => "duplicate",
            Self::AlreadyCovered => "already_covered",
            Self::NoProposal => "no_proposal",
            Self::Unactionable => "unactionable",
            Self::TimedOut => "timed_out",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the notices were acknowledged.
    pub const fn acknowledges(self) -> bool {
        !matches!(self, Self::TimedOut | Self::Failed | Self::Cancelled)
    }
}

impl From<ResolutionKind> for RepairStatus {
    fn from(kind: ResolutionKind) -> Self {
        match kind {
            ResolutionKind::Candidate => Self::CandidateAdded,
            ResolutionKind::Duplicate => Self::Duplicate,
            ResolutionKind::AlreadyCovered => Self::AlreadyCovered,
            ResolutionKind::NoProposal => Self::NoProposal,
            ResolutionKind::Unactionable => Self::Unactionable,
        }
    }
}

impl fmt::Display for RepairStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
