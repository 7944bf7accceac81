//! The traces of a session, as the platform has them.

use std::sync::Arc;

use harness_core::{Origin, SessionId, TraceId, TurnPayload};

use crate::answer::{Id, text};
use crate::command::CommandError;
use crate::memory::Memory;
use crate::platform::{MAX_LISTED, Platform, PlatformError};
use crate::trace;

/// Traces that are asked for first; where all of them are new, the most that there can be.
const FIRST_LOOK: usize = 50;

/// Finds turns that the platform has and nobody has scored.
///
/// The ids of repair sessions are none of a [`SessionId`], and a trace counts only if the platform
/// says that its session is exactly the one that was asked for.
pub struct TraceSource {
    platform: Platform,
    memory: Arc<Memory>,
}

/// What a look at a session found.
#[derive(Debug, Default)]
pub struct Found {
    /// Traces that are not scored, oldest first, as turns; their indices go on from the number that
    /// was given.
    pub turns: Vec<TurnPayload>,
    /// Whether older traces may be left that the platform does not list.
    pub more_may_be_left: bool,
}

impl TraceSource {
    /// A source that knows from `memory` what is scored; an evaluator with the same memory fills it.
    pub const fn new(platform: Platform, memory: Arc<Memory>) -> Self {
        Self { platform, memory }
    }

    /// The finished traces of `session` that are not scored, as turns from `next_index` on. A trace
    /// that cannot be had yet is left for the next look, and those after it too, so that turns keep
    /// their order.
    ///
    /// # Errors
    /// See [`PlatformError`].
    pub async fn look(&self, session: &SessionId, next_index: u32) -> Result<Found, PlatformError> {
        let mut limit = FIRST_LOOK;
        let (new, more_may_be_left) = loop {
            let listed = self.platform.traces(session, limit).await?;
            let new: Vec<Id> = listed
                .iter()
                .filter(|entry| text(entry, "session_id") == Some(session.as_str()))
                .filter(|entry| text(entry, "status").is_none_or(|status| status == "COMPLETED"))
                .filter_map(|entry| Id::parse(text(entry, "trace_id")?))
                .filter(|trace| !self.memory.is_scored(trace))
                .collect();
            let all_new = listed.len() >= limit && new.len() >= listed.len();
            if !all_new || limit >= MAX_LISTED {
                break (new, all_new);
            }
            limit = MAX_LISTED;
        };
        let mut turns = Vec::new();
        for (trace, index) in new.iter().rev().zip(next_index..) {
            let answer = match self.platform.trace(trace).await {
                Ok(answer) => answer,
                Err(CommandError::NotFound(_)) => break,
                Err(error) => return Err(error.into()),
            };
            let id = TraceId::parse(trace.as_str()).map_err(|_| PlatformError::BadId)?;
            let read = trace::read(&answer, id, &self.platform.intake);
            let mut turn = TurnPayload::new(session.clone(), index, Origin::Live, read);
            turn.ended_at = trace::ended_at(&answer);
            turns.push(turn);
        }
        Ok(Found {
            turns,
            more_may_be_left,
        })
    }
}
