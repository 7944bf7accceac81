//! For hosts that want the harness to drive: one method a turn, and the loop around it.

use async_trait::async_trait;
use harness_engine::host::{HarnessSession, TurnReport};
use harness_engine::{Recorded, Settled};

/// Why an agent broke off, in whatever type it has for that.
pub type AgentError = Box<dyn std::error::Error + Send + Sync>;

/// An agent that works turn by turn.
#[async_trait]
pub trait TaskAgent: Send {
    /// Works one turn: does what the user asks, and tells `turn` of each call and reply as it
    /// happens. Rules are read through the session's
    /// [`task_tools`](HarnessSession::task_tools).
    ///
    /// # Errors
    /// The agent cannot go on. What it told of the turn until then is recorded.
    async fn turn(
        &mut self,
        session: &HarnessSession,
        user: &str,
        turn: &mut TurnReport,
    ) -> Result<(), AgentError>;
}

/// What a driven conversation came to.
#[derive(Debug)]
#[must_use]
pub struct Driven {
    /// Turns that were reported and will be, or were, evaluated.
    pub accepted: u32,
    /// Turns for which there was no room; the journal says so.
    pub refused: u32,
    /// Why the agent broke off, if it did.
    pub failure: Option<AgentError>,
    /// What came of it all.
    pub settled: Settled,
}

/// Drives a conversation from first to last: a turn for each of the user's `requests`, until they
/// or the agent end; then the conversation is ended and settled. A turn in which the agent did
/// nothing before it broke off is not reported.
pub async fn drive(
    session: HarnessSession,
    agent: &mut dyn TaskAgent,
    requests: impl IntoIterator<Item: AsRef<str>>,
) -> Driven {
    let (mut accepted, mut refused, mut failure) = (0, 0, None);
    for request in requests {
        let user = request.as_ref();
        let mut turn = session.turn(user);
        failure = agent.turn(&session, user, &mut turn).await.err();
        if failure.is_none() || !turn.is_empty() {
            match session.record_turn(turn) {
                Recorded::Accepted => accepted += 1,
                Recorded::Refused => refused += 1,
            }
        }
        if failure.is_some() {
            break;
        }
    }
    session.end();
    Driven {
        accepted,
        refused,
        failure,
        settled: session.settle().await,
    }
}
