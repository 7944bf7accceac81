//! Replay of captured cases with and without a candidate: what is to be run, and what is taken of
//! how it came out. The running itself is a host's, through the engine.
//!
//! A round is a sequence of turns, one a candidate; a turn is a [`ReplayPlan`], and each of its
//! pairs is handed out once and handed back once, by type. Nothing here accepts who won: a result
//! says what the two runs did, and the ledger derives the rest.

mod cases;
mod plan;
mod regression;
mod rounds;

pub(crate) use cases::Cases;
pub use plan::{ReplayPair, ReplayPlan, ReplayResult, RunOutcome, RunReport};
pub use regression::TodayRun;
pub use rounds::{ReplayRound, ReplayTaken, TurnEnd};
