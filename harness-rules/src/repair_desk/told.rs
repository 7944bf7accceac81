//! What the repair agent tells the desk of an attempt, and what it is told of its end.

use harness_core::{CleanString, RepairStatus, RuleId};

/// One reply of the model, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelTurn {
    /// Tool calls in it.
    pub tool_calls: u32,
    /// Tokens counted for it; the worst case where the model did not say.
    pub output_tokens: u64,
}

/// One tool call, as hashes and sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCallNote {
    /// The tool.
    pub tool: CleanString,
    /// Whether the call did what it was for.
    pub ok: bool,
    /// SHA-256 of the arguments, in hex.
    pub arguments_sha256: String,
    /// Bytes of the answer.
    pub result_bytes: u64,
}

/// What an attempt used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Model turns.
    pub turns: u32,
    /// Tool calls.
    pub tool_calls: u32,
    /// Output tokens counted.
    pub output_tokens: u64,
    /// Milliseconds from start to end.
    pub elapsed_ms: u64,
}

/// How an attempt ends without acknowledging anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abandoned {
    /// A bound was reached.
    TimedOut,
    /// The model or the store failed.
    Failed,
    /// It was stopped from outside.
    Cancelled,
}

/// What kind of failure ended an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// The model could not be reached.
    ModelUnavailable,
    /// The model refused for too many requests.
    RateLimited,
    /// A reply that could not be read.
    MalformedReply,
    /// A reply that was cut short.
    TruncatedReply,
    /// The model declined.
    Refusal,
    /// No turn left.
    TurnLimit,
    /// No token left.
    TokenLimit,
    /// No time left.
    TimeLimit,
    /// The workspace could not be written.
    StoreFailed,
    /// The host stopped it.
    Stopped,
}

impl Category {
    /// The name in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ModelUnavailable => "model_unavailable",
            Self::RateLimited => "rate_limited",
            Self::MalformedReply => "malformed_reply",
            Self::TruncatedReply => "truncated_reply",
            Self::Refusal => "refusal",
            Self::TurnLimit => "turn_limit",
            Self::TokenLimit => "token_limit",
            Self::TimeLimit => "time_limit",
            Self::StoreFailed => "store_failed",
            Self::Stopped => "stopped",
        }
    }
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The status.
    pub status: RepairStatus,
    /// The rule that was added or that covers the failure.
    pub rule: Option<RuleId>,
}
