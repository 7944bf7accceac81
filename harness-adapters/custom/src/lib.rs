//! Any agent loop, in about twenty lines: a session to report to, four tools to read from.
//!
//! A host opens a [`CustomHarness`], starts a [`HarnessSession`] for each conversation, reports
//! each turn as a [`TurnReport`] and goes on; or it implements [`TaskAgent`] and lets [`drive`] do
//! that. `examples/loop.rs` is a loop written by hand. A host that can run its agent on a captured
//! case says so with a [`HostReplay`], and candidates are tried there before any session sees one.
//!
//! # Promises
//! - A host's raw text becomes part of a trace only through the intake: redacted, cleaned, cut.
//! - No session starts on a system prompt with a secret in it.
//! - The task agent gets four tools that read, and nothing else; their texts are constants.
//! - What may wait for the workspace, its lock or a judge does so away from the host's thread.
//!
//! # Never
//! - No rule, notice or message is put into a prompt or a conversation.
//! - No environment is read and no model is chosen: the host hands in both.
//! - No panic on any report, argument or name; no text, list or count without a bound.
//!
//! # Who may depend on it
//! Hosts with a loop of their own, and the binary. It depends on the engine and what that depends
//! on, and re-exports what a host needs of them.
//!
//! # How it fails
//! Opening and starting return an error that says whose fault it is. From then on the host's loop
//! is safe: a failed tool call is an answer with `"ok": false`, a turn that finds no room is
//! [`Recorded::Refused`], and everything else is told by [`HarnessSession::settle`].

#![forbid(unsafe_code)]

mod drive;

pub use drive::{AgentError, Driven, TaskAgent, drive};
pub use harness_engine::host::{
    Conversation, HarnessSession, HostHarness as CustomHarness, HostReplay, HostRun, OpenError,
    SecretInPrompt, SetupError, StartError, TaskTools, ToolOutcome, TurnReport,
    setup_from_variables,
};

// What a host needs of the crates below: settings, ports, results, and the values in them.
pub use harness_core::{
    Applicability, CaseKind, CleanString, CleanText, ErrorClass, EvalCase, MetricName,
    MetricRegistry, MetricSpec, Principal, Scope, ScopeHint, Score, SessionId, SettingError, Span,
    SpanKind, SpanStatus, Tier, Timestamp, Trace, TurnPayload,
};
pub use harness_engine::{
    Config, EmbeddedEvaluator, EvaluationError, Evaluator, HarnessError, HealthReport, ModelChoice,
    Reading, ReadingValue, Recorded, Repair, RepairModel, RepairResult, ReplayFailure, Settled,
    Setup, Verified, Verifier,
};
pub use harness_repair::{
    Answer, Asked, Exchange, ModelCall, ModelError, ModelReply, ModelRequest, StopReason,
};
pub use harness_rules::{Decided, EvaluatorIdentity, ToolSchema};
pub use harness_sanitize::{Delimited, Redactor, SecretKind, TRUST_BOUNDARIES};
pub use harness_store::WorkspacePaths;
