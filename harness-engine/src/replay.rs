//! The replay that a host may bring: it runs its own agent on a captured case.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use harness_core::{CleanString, CleanText, EvalCase, SessionId, TurnPayload};
use harness_rules::TaskToolset;

use crate::watcher::lock;

/// One run of a case: what to run, the four tools to run it with, and where to report its turns.
///
/// A run is no session. Its turns are reported here and nowhere else: they are judged like any
/// others, post nothing, and are forgotten. The agent must have no other rule tools than these.
pub struct ReplayRun {
    /// What is to be run; its replay input is the host's own.
    pub case: EvalCase,
    /// The four tools, in the arm of this run.
    pub tools: TaskToolset,
    /// What the agent's randomness is to begin with, as far as the host can have it so.
    pub seed: u64,
    turns: Arc<Mutex<Vec<TurnPayload>>>,
}

impl ReplayRun {
    pub(crate) const fn new(
        case: EvalCase,
        tools: TaskToolset,
        seed: u64,
        turns: Arc<Mutex<Vec<TurnPayload>>>,
    ) -> Self {
        Self {
            case,
            tools,
            seed,
            turns,
        }
    }

    /// Takes a finished turn of the run; ones after the [`TurnPayload::MAX_TURNS`]th are dropped, as
    /// a session's are.
    pub fn report(&self, turn: TurnPayload) {
        let mut turns = lock(&self.turns);
        if turns.len() < TurnPayload::MAX_TURNS as usize {
            turns.push(turn.bounded());
        }
    }
}

/// What a run was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The session that its turns were reported under: a fresh one, that nothing else was or will
    /// be recorded under.
    pub session: SessionId,
    /// The seed that it was run with. If it is not the one that was asked for, the pair counts for
    /// nothing.
    pub seed: u64,
}

/// Why a run did not come to its end. If the agent had made no step the pair counts for nothing;
/// if it had, the run has failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the replay broke off: {0}")]
pub struct ReplayFailure(pub CleanString);

/// Runs a host's agent on captured cases. It may panic, hang or lie: that costs the pair.
///
/// It must not block its thread; a run that takes too long is dropped at its next await.
#[async_trait]
pub trait Replay: Send + Sync {
    /// Brings the environment of a case to where a run begins, waits for it, and names the state it
    /// is in. Asked before each run, on a budget of its own. If the two runs of a pair began in
    /// states of different names, the pair counts for nothing.
    ///
    /// # Errors
    /// [`ReplayFailure`]: it cannot be had now.
    async fn environment(&self, case: &EvalCase) -> Result<CleanString, ReplayFailure> {
        let _ = case;
        Ok(CleanText::empty())
    }

    /// Runs the case once, reporting its turns to `run`.
    ///
    /// # Errors
    /// [`ReplayFailure`].
    async fn run(&self, run: ReplayRun) -> Result<Replayed, ReplayFailure>;
}
