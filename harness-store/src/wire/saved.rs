//! What a writer derived from the journal, as a snapshot holds it: see [`crate::snapshot`].

use harness_core::{NoticeId, Principal, ResolutionKind, RuleId, SessionId, Signature, Timestamp};
use serde::{Deserialize, Serialize};

use super::as_text::Spelt;
use super::event::{CloseReason, OriginDoc, RepairContext};
use super::notice::NoticeDoc;

/// The mailbox.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedMailbox {
    pub(crate) pending: Vec<NoticeDoc>,
    /// What was resolved, and the hash of its file in hex.
    pub(crate) resolved: Vec<(Spelt<NoticeId>, String)>,
    pub(crate) reported: Vec<SavedReports>,
}

/// What was reported of a conversation, and at which turn.
pub(crate) type SavedReports = (Spelt<SessionId>, Vec<(Spelt<Signature>, u32)>);

/// When a principal's notices came.
pub(crate) type SavedTimes = (Option<Spelt<Principal>>, Vec<Spelt<Timestamp>>);

/// The breaker.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedBreaker {
    pub(crate) times: Vec<SavedTimes>,
    pub(crate) paused: Vec<Option<Spelt<Principal>>>,
    pub(crate) everyone: bool,
    pub(crate) suppressed: u64,
}

/// A conversation: whence, whose, the line at which it began, why it ended.
pub(crate) type SavedSession = (
    Spelt<SessionId>,
    OriginDoc,
    Option<Spelt<Principal>>,
    u64,
    Option<CloseReason>,
);

/// An attempt under way, and how its notices were resolved.
pub(crate) type SavedAttempt = (
    RepairContext,
    Option<(Spelt<ResolutionKind>, Option<Spelt<RuleId>>)>,
);
