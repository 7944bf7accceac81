//! Rig: its models for the repair agent, and its agents under the harness in about ten lines.
//!
//! [`RigRepairModel`] lets any completion model of rig repair; [`RigRepairModel::from_spec`] finds
//! one by a name such as `openai/gpt-5-mini`. [`HarnessAgent`] is a rig agent in a conversation of
//! the harness: four tools that read rules, every turn reported. A host that keeps its own rig
//! agent gives it [`task_tools`] and a [`TurnHook`]. [`TraceCollector`] takes the traces of repairs.
//! With the feature `guard`, its module `guard` puts an agent's tools behind `harness-guard`.
//!
//! # Promises
//! - A provider sees what the repair agent's request holds and nothing else: no variable of the
//!   environment but its own key, in the header that is meant for it.
//! - A request goes to the host that was named: no proxy out of the environment, no redirect, and
//!   no plain HTTP but to this machine. Connecting, the whole exchange and the body have a bound.
//! - Of a provider's failure only its kind comes back; its words, which may hold a key, do not.
//! - No agent starts on a system prompt with a secret in it; what its tools say is redacted,
//!   scanned and fenced before its model sees it.
//! - A guarded agent calls no tool but its guard's and the four that read rules, and its model is
//!   shown those alone that its phase admits.
//! - A turn is reported whether its run ended, failed, panicked or was dropped.
//!
//! # Never
//! - No environment is read: the host hands in the variables.
//! - No model is chosen, and no request repeated: both are the caller's.
//! - No type of rig in the interface of any other crate.
//!
//! # Who may depend on it
//! Hosts with rig agents, and the binary where its feature `rig` is on. It depends on the engine and
//! what that depends on; with the feature `guard`, on harness-guard.
//!
//! # How it fails
//! A name that makes no model is a [`SpecError`] before anything is sent. A failed request is a
//! [`ModelError`], and the repair agent decides what becomes of its episode. A run that fails is an
//! [`AgentError`]; the conversation goes on.

#![forbid(unsafe_code)]

mod agent;
mod base_url;
mod client;
mod collector;
mod conversation;
mod failure;
#[cfg(feature = "guard")]
pub mod guard;
mod hook;
mod model;
mod provider;
mod reply;
mod spec;
mod tools;

pub use agent::{AgentError, HarnessAgent, HarnessAgentBuilder};
pub use base_url::BaseUrlError;
pub use client::{BoundedClient, NoClient};
pub use collector::{CollectorError, NotTaken, TraceCollector};
pub use hook::TurnHook;
pub use model::RigRepairModel;
pub use spec::{BASE_URL_VARIABLE, SpecError, providers};
pub use tools::task_tools;

// What a host needs of the crates below: opening, settings, ports, results.
pub use harness_engine::host::{
    Conversation, HarnessSession, HostHarness, OpenError, SecretInPrompt, SetupError, StartError,
    ToolOutcome, TurnReport, setup_from_variables,
};
pub use harness_engine::{
    Config, EmbeddedEvaluator, EvaluationError, Evaluator, ModelChoice, Repair, RepairModel,
    RepairResult, Settled, Setup, Verified, Verifier,
};
pub use harness_repair::ModelError;
pub use harness_sanitize::Redactor;
pub use harness_store::WorkspacePaths;
pub use rig_agent;
pub use rig_core;
