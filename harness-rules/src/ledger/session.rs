//! What a trial needs to know of a session.

use harness_core::Principal;
use harness_store::wire::event::{OriginDoc, SessionOpened};

/// A session as the journal knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFacts {
    /// The journal's number of its first line; only sessions begun after a trial's opening take
    /// part in it.
    pub opened_seq: u64,
    /// Whether it is happening; recorded conversations never take part.
    pub live: bool,
    /// Whose it is; sessions without a principal share one.
    pub principal: Option<Principal>,
    /// Whether it has ended.
    pub closed: bool,
}

impl SessionFacts {
    pub(super) fn opened(seq: u64, opened: &SessionOpened) -> Self {
        Self {
            opened_seq: seq,
            live: opened.origin == OriginDoc::Live,
            principal: opened.principal.clone(),
            closed: false,
        }
    }
}
