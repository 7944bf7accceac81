//! Rules: proposed by the repair agent, proven by evidence, read by agents.
//!
//! # Promises
//! - A rule is active only if its verdict follows from the journal and its text is the one that was
//!   proposed; this is derived at each read, never stored.
//! - Nothing accepts an e-value, a count or an observation: [`ValidationDesk::decide`] reads the
//!   journal itself. Of a replay it takes what the runs of a pair did, never who won. No agent holds
//!   that desk, and none can promote.
//! - One episode proposes at most one rule and ends exactly once, by type.
//! - No promotion takes a scope beyond its budget: what has proven itself waits for room.
//! - What a session is shown is decided by a key that was committed to before the session began.
//!
//! # Never
//! - No network, no clock but the journal's, no random choice of an arm.
//! - No answer of a tool is a panic: a failed call is `{"ok": false, "error": …}`.
//! - Rule text is never injected anywhere; it is read, through exactly four tools.
//!
//! # Who may depend on it
//! `harness-repair`, `harness-engine`, adapters and the CLI. It depends on core, sanitize and store.
//!
//! # How it fails
//! Closed: an entry that cannot be written in time gives the answer without the rule; a verdict
//! that does not follow leaves the rule where it was; a pair of runs that is not what it should be
//! counts for nothing; a proposal that is refused says why.

#![forbid(unsafe_code)]

mod admission;
mod attempts;
mod book;
mod decided;
mod desk;
mod desks;
pub mod evidence;
mod judge;
pub mod ledger;
mod novelty;
mod operator_desk;
mod outcome;
mod projection;
mod render;
mod repair_desk;
mod replay;
mod search;
mod settings;
#[cfg(test)]
mod testing;
mod toolset;
mod validation_desk;
pub mod verify;
mod words;
mod worth;

pub use admission::{
    MAX_CANDIDATES, MAX_CANDIDATES_A_SCOPE, MAX_SCOPE_RATIONALE, MAX_SCOPES, Proposal,
    ProposalRefusal,
};
pub use book::{LedgerView, RuleBook};
pub use desk::DeskError;
pub use desks::Desks;
pub use evidence::{Levels, MasterKey};
pub use judge::EvaluatorIdentity;
pub use ledger::{Ledger, MAX_ACTIVE_A_SCOPE};
pub use novelty::Difference;
pub use operator_desk::OperatorDesk;
pub use outcome::Scores;
pub use projection::{export, mismatches};
pub use repair_desk::{
    Abandoned, Category, Ended, ModelTurn, OpenEpisode, Opened, ProposeOutcome, ProposedEpisode,
    RepairDesk, ToolCallNote, Usage, WithoutRule,
};
pub use replay::{
    ReplayPair, ReplayPlan, ReplayResult, ReplayRound, ReplayTaken, RunOutcome, RunReport,
    TodayRun, TurnEnd,
};
pub use settings::{Provisional, ReplayBounds, Settings};
pub use toolset::{PREAMBLE, RuleReader, TaskSession, TaskToolset, ToolSchema, task_tool_schemas};
pub use validation_desk::{Decided, ValidationDesk};
pub use worth::{Worth, WorthArms};
