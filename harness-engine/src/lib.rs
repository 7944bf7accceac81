//! The loop: watch, notice, repair, prove.
//!
//! # Promises
//! - The host's loop is never blocked and never broken: [`Harness::record_turn`] returns at once,
//!   everything else happens elsewhere, and a failure is a value or a line in the journal.
//! - Every queue, wait and retry has a bound with a name; what a host may choose is in [`Config`].
//! - Whoever scores never sees an arm: judges get traces without the spans of the rule tools.
//! - A repair session is never scored: no type of it is accepted here. A repair runs in a task of
//!   its own, outside the host's spans.
//! - A host's raw text becomes part of a trace only through the intake: redacted, cleaned, cut; and
//!   no conversation starts on a system prompt with a secret in it. See [`host`].
//! - A host's replay may panic, hang or lie: that costs a pair, and the journal says why.
//!
//! # Never
//! - No message in an agent's conversation, no rule in a prompt.
//! - No environment, no network; no file of its own but the probe for a container's root; a
//!   billable model only by explicit choice.
//!
//! # Who may depend on it
//! Adapters and the CLI. It depends on core, sanitize, store, rules and repair.
//!
//! # How it fails
//! Evaluation that fails leaves scores pending, which never alert; an evaluator whose health check
//! fails is a journaled outage; a full queue refuses a turn and says so.

#![forbid(unsafe_code)]

mod capture;
mod config;
mod counts;
mod diagnosis;
mod embedded;
mod evaluation;
pub mod evaluator;
mod gate;
mod harness;
pub mod host;
mod off_thread;
mod ports;
mod recording;
mod replay;
mod roster;
mod runs;
mod session;
mod setup;
mod skips;
mod validation;
mod watcher;

pub use config::Config;
pub use embedded::EmbeddedEvaluator;
pub use gate::GateRules;
pub use harness::{Harness, HarnessError, Recorded, Settled};
pub use harness_repair::{ModelChoice, RepairModel, RepairResult, RepairTrace, TraceSink};
pub use harness_rules::{PREAMBLE, TaskToolset, task_tool_schemas};
pub use harness_store::Capture;
pub use harness_store::wire::event::{CaseResult, RegressionCase};
pub use off_thread::Lost;
pub use ports::{
    EvaluationError, Evaluator, HealthReport, Reading, ReadingValue, Verified, Verifier,
};
pub use replay::{Replay, ReplayFailure, ReplayRun, Replayed};
pub use setup::{OpenError, Repair, Setup};
