//! What a host reports when a turn of its agent has ended.

use crate::id::{Principal, SessionId};
use crate::scope::{Applicability, Scope};
use crate::text::{CleanString, CleanText};
use crate::time::Timestamp;
use crate::trace::Trace;

/// A name that a rule learned from this turn might be filed under. It informs, never dictates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeHint {
    /// The name.
    pub key: Scope,
    /// What it stands for, at most [`ScopeHint::MAX_DESCRIPTION`] bytes.
    pub description: CleanString,
    /// How widely rules of this name apply.
    pub applicability: Applicability,
    /// Whether the host would choose it.
    pub recommended: bool,
}

impl ScopeHint {
    /// Bytes of a description that are kept.
    pub const MAX_DESCRIPTION: usize = 160;
}

/// Whether the conversation is happening or was recorded earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is happening; its session may take part in trials.
    Live,
    /// It was recorded; it never enters a trial.
    Recorded,
}

/// One finished turn: gated, bounded, ready to be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnPayload {
    /// The conversation.
    pub session: SessionId,
    /// The turn's number in it, from 0.
    pub index: u32,
    /// What was done.
    pub trace: Trace,
    /// Live or recorded.
    pub origin: Origin,
    /// When the turn ended, where known; turn time is this, never the time of reading.
    pub ended_at: Option<Timestamp>,
    /// What the task was, in the host's words.
    pub task_summary: Option<CleanString>,
    /// Names a rule might be filed under.
    pub scope_hints: Vec<ScopeHint>,
    /// What the host calls itself; no rule is filed under these.
    pub host_labels: Vec<Scope>,
    /// Whose conversation it is.
    pub principal: Option<Principal>,
    /// What would replay the turn, for hosts that can.
    pub replay_input: Option<CleanString>,
}

impl TurnPayload {
    /// Bytes of a task summary that are kept.
    pub const MAX_TASK_SUMMARY: usize = 600;
    /// Scope hints that are kept.
    pub const MAX_SCOPE_HINTS: usize = 16;
    /// Host labels that are kept.
    pub const MAX_HOST_LABELS: usize = 16;
    /// Turns after which a session is closed.
    pub const MAX_TURNS: u32 = 20;

    /// A turn with nothing but what every turn has.
    pub fn new(session: SessionId, index: u32, origin: Origin, trace: Trace) -> Self {
        Self {
            session,
            index,
            trace,
            origin,
            ended_at: None,
            task_summary: None,
            scope_hints: Vec::new(),
            host_labels: Vec::new(),
            principal: None,
            replay_input: None,
        }
    }

    /// Cuts every list and text to its bound; an intake calls this once.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.scope_hints.truncate(Self::MAX_SCOPE_HINTS);
        self.host_labels.truncate(Self::MAX_HOST_LABELS);
        for hint in &mut self.scope_hints {
            hint.description = cut(&hint.description, ScopeHint::MAX_DESCRIPTION);
        }
        self.task_summary = self
            .task_summary
            .map(|summary| cut(&summary, Self::MAX_TASK_SUMMARY));
        self
    }
}

/// The longest prefix of `text` within `max` bytes that is itself clean.
fn cut(text: &CleanString, max: usize) -> CleanString {
    text.as_str()
        .char_indices()
        .map(|(at, character)| at + character.len_utf8())
        .take_while(|end| *end <= max)
        .last()
        .and_then(|end| text.as_str().get(..end))
        .and_then(|prefix| CleanText::new(prefix.to_owned()).ok())
        .unwrap_or_else(CleanText::empty)
}
