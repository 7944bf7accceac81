//! What a writer derived from the journal, as a snapshot holds it: see [`crate::snapshot`].

use std::collections::BTreeMap;
use std::fmt;

use harness_core::{
    Notice, NoticeId, Principal, ResolutionKind, RuleId, SessionId, Signature, Timestamp,
};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::as_text::Spelt;
use super::event::{CloseReason, OriginDoc, RepairContext};
use super::notice::NoticeDoc;

/// The mailbox; `P` is its notices that wait, as they are written or as they are read.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedMailbox<P> {
    pub(crate) pending: P,
    /// What was resolved, and the hash of its file in hex.
    pub(crate) resolved: Vec<(Spelt<NoticeId>, String)>,
    pub(crate) reported: Vec<SavedReports>,
}

/// The notices that wait, each taken from its document as it comes: there may be very many, and
/// documents are larger than notices.
pub(crate) struct PendingNotices(pub(crate) BTreeMap<NoticeId, Notice>);

impl<'de> Deserialize<'de> for PendingNotices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(EachNotice)
    }
}

struct EachNotice;

impl<'de> Visitor<'de> for EachNotice {
    type Value = PendingNotices;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of notices")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut notices: A) -> Result<PendingNotices, A::Error> {
        let mut pending = BTreeMap::new();
        while let Some(doc) = notices.next_element::<NoticeDoc>()? {
            let notice = doc.try_into_domain().map_err(A::Error::custom)?;
            pending.insert(notice.id.clone(), notice);
        }
        Ok(PendingNotices(pending))
    }
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
