//! A conversation as it was recorded, turn by turn.

use harness_core::{CleanString, SessionId, Trace};

/// One recorded conversation.
///
/// A turn runs from one user message to just before the next, and `turns` holds them in order:
/// the position is the turn's index.
/// - Instructions (system, developer) belong to no turn.
/// - What the agent did before the first user message is a turn without a request if it called a
///   tool; a mere greeting is none.
/// - A user message that nothing follows is no finished turn. Where another user message comes
///   next, it becomes the first part of that turn's request; at the end (a goodbye) it is left
///   out, for there is nothing to evaluate.
///
/// Of spans, a trace is a turn, in order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// Its session.
    pub session: SessionId,
    /// The agent's model, where the recording says.
    pub model: Option<CleanString>,
    /// Its turns, at least one.
    pub turns: Vec<Trace>,
}
