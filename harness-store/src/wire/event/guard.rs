//! Events of the guard: what an agent's tool calls asked for, what was decided, what came of it.
//!
//! What a model, a user or a tool said is a hash and a size; of a tool's result the start is kept,
//! redacted and cleaned.

use std::collections::BTreeMap;

use harness_core::{CleanString, SessionId};
use serde::{Deserialize, Serialize};

use crate::wire::as_text::one;

/// A text that is not kept: its SHA-256 in hex, and its size in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// SHA-256, in hex.
    pub sha256: String,
    /// Bytes.
    pub bytes: u64,
}

/// A guarded session began, under these settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardSessionStart {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// Every setting, by name.
    pub settings: BTreeMap<String, String>,
    /// The tools that there are.
    pub tools: Vec<String>,
    /// Variables of the environment that are named like secrets; how many, not which.
    pub secret_variables: u64,
    /// Credential folders of this machine that nothing may mount.
    pub credential_folders: Vec<String>,
}

/// A user said something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardUserMessage {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// What.
    pub content: Digest,
}

/// A model is about to be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardModelRequest {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The model.
    #[serde(with = "one")]
    pub model: CleanString,
    /// Messages of the request.
    pub messages: u64,
    /// Tokens of the request, estimated.
    pub estimated_tokens: u64,
    /// Tools that the model is shown.
    pub tools: u64,
    /// What was set aside for the answer, in millionths of a dollar.
    pub reserved_microdollars: u64,
}

/// A model answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardModelResponse {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The model.
    #[serde(with = "one")]
    pub model: CleanString,
    /// Why it stopped, in its words, gated.
    #[serde(with = "one")]
    pub finish: CleanString,
    /// Tokens read, where reported.
    pub tokens_in: Option<u64>,
    /// Tokens written, where reported.
    pub tokens_out: Option<u64>,
    /// What the answer cost, in millionths of a dollar; the worst case where nothing was reported.
    pub cost_microdollars: u64,
}

/// What the model said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardAssistantMessage {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// What.
    pub content: Digest,
    /// Calls in it.
    pub tool_calls: u64,
}

/// A model did not answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardModelError {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The model.
    #[serde(with = "one")]
    pub model: CleanString,
    /// What happened, gated.
    #[serde(with = "one")]
    pub error: CleanString,
}

/// A call was allowed or refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardPermissionDecision {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The call's number in the session.
    pub call: u64,
    /// The tool; `unknown` for a name that no tool has.
    pub tool: String,
    /// The phase.
    pub phase: String,
    /// The mode.
    pub mode: String,
    /// The arguments as they came.
    pub arguments: Digest,
    /// Whether it may run.
    pub allowed: bool,
    /// Why not, from a closed set.
    pub error: Option<String>,
    /// The boundary that refused.
    pub boundary: Option<String>,
    /// What is the matter, gated.
    #[serde(with = "one")]
    pub detail: CleanString,
}

/// A call's arguments do not fit its schema, or are none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardValidationError {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The call's number in the session.
    pub call: u64,
    /// The tool.
    pub tool: String,
    /// The arguments as they came.
    pub arguments: Digest,
    /// Which of the two.
    pub error: String,
    /// What does not fit, gated.
    #[serde(with = "one")]
    pub detail: CleanString,
}

/// A call reaches for something that neither the user nor the plan spoke of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardIntentDrift {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The call's number in the session.
    pub call: u64,
    /// The tool.
    pub tool: String,
    /// What for, from a closed list.
    pub reaches_for: String,
    /// Whether a person is asked; recorded only where nobody is.
    pub asked: bool,
}

/// Somebody answered for a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardApproval {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The call's number in the session; 0 for what is no call.
    pub call: u64,
    /// The tool, or what was asked about.
    pub tool: String,
    /// Who answered: `person`, `policy-file` or `nobody`.
    pub source: String,
    /// Why it was asked, from a closed list.
    pub asked: Vec<String>,
    /// The arguments it was asked about.
    pub arguments: Digest,
}

/// Somebody answered for a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardPlan {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The call that waited for it.
    pub call: u64,
    /// Its tool.
    pub tool: String,
    /// The plan.
    pub plan: Digest,
}

/// A tool answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardToolResult {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The call's number in the session.
    pub call: u64,
    /// The tool.
    pub tool: String,
    /// Whether it succeeded by its own account.
    pub ok: bool,
    /// The whole of what it answered.
    pub content: Digest,
    /// The start of it, redacted and cleaned, 8 KiB at most.
    #[serde(with = "one")]
    pub start: CleanString,
    /// Milliseconds that it took.
    pub elapsed_ms: u64,
}

/// A tool did not answer in time and was ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardToolTimeout {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The call's number in the session.
    pub call: u64,
    /// The tool.
    pub tool: String,
    /// Seconds that it had.
    pub timeout_s: u64,
}

/// A tool's answer speaks to a model, or hides something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardInjectionFlag {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The call's number in the session.
    pub call: u64,
    /// The tool.
    pub tool: String,
    /// The worst level: `soft` or `hard`.
    pub level: String,
    /// What was found, from a closed list.
    pub kinds: Vec<String>,
}

/// The middle of a conversation was replaced by a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardContextTrimmed {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// Messages that went.
    pub dropped: u64,
    /// Tokens before, estimated.
    pub tokens_before: u64,
    /// Tokens after, estimated.
    pub tokens_after: u64,
    /// SHA-256 of what went, in hex.
    pub sha256: String,
}

/// How far a cap reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapScope {
    /// Turns after one user message.
    PerTurn,
    /// Calls of the session.
    Session,
    /// Tokens of one request.
    Context,
}

/// A cap was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardCapHit {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// How far it reaches.
    pub scope: CapScope,
    /// The cap.
    pub cap: u64,
}

/// What is left of the money does not cover the next answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardCostLimit {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// Spent, in millionths of a dollar.
    pub spent_microdollars: u64,
    /// Set aside for answers under way.
    pub reserved_microdollars: u64,
    /// What the next answer could cost.
    pub wanted_microdollars: u64,
    /// The cap.
    pub cap_microdollars: u64,
}

/// Everything was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardAbort {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// Why, gated.
    #[serde(with = "one")]
    pub reason: CleanString,
}

/// Files were put back as they were before the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardRollback {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// Files put back.
    pub restored: u64,
    /// Files left alone, because somebody changed them since.
    pub kept: u64,
    /// Files that could not be put back.
    pub failed: u64,
}

/// A guarded session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardSessionEnd {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// Calls that ran.
    pub calls: u64,
    /// Answers of models.
    pub turns: u64,
    /// Tokens read, as far as reported.
    pub tokens_in: u64,
    /// Tokens written, as far as reported.
    pub tokens_out: u64,
    /// What it cost, in millionths of a dollar.
    pub cost_microdollars: u64,
}
