//! A budget is used up: what a host does then.

use serde_json::{Value, json};

use super::cost::Microdollars;

/// Why no model is asked any more. What to tell the model, if there is another request, is in
/// [`Stop::advice`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The agent has had all its turns for this user message.
    #[error("{cap} turns were taken after one user message")]
    Turns {
        /// The cap.
        cap: u32,
    },
    /// The conversation does not fit, even with its middle summarised.
    #[error("the conversation holds about {tokens} tokens of {cap}")]
    Context {
        /// Tokens, estimated.
        tokens: u64,
        /// The cap.
        cap: u64,
    },
    /// What is left does not cover the next answer.
    #[error(
        "{spent} of {cap} are spent, {reserved} set aside, and the next answer may cost {wanted}"
    )]
    Cost {
        /// Spent.
        spent: Microdollars,
        /// Set aside for answers under way.
        reserved: Microdollars,
        /// What the answer may cost.
        wanted: Microdollars,
        /// The cap.
        cap: Microdollars,
    },
    /// Nobody has said what the model costs. The host's fault.
    #[error("no price is set for the model")]
    NoPrice,
    /// The model did not answer in time.
    #[error("the model did not answer within {seconds} seconds")]
    ModelTimeout {
        /// Seconds that it had.
        seconds: u64,
    },
    /// The session was aborted.
    #[error("the session was aborted")]
    Aborted,
    /// The session has ended.
    #[error("the session has ended")]
    Ended,
    /// The audit could not be written.
    #[error("the audit could not be written, so nothing goes on")]
    Unaudited,
}

impl Stop {
    /// Its name: lower case letters and underscores.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Turns { .. } => "turn_cap_reached",
            Self::Context { .. } => "context_cap_reached",
            Self::Cost { .. } => "cost_cap_reached",
            Self::NoPrice => "model_without_price",
            Self::ModelTimeout { .. } => "model_timeout",
            Self::Aborted => "session_aborted",
            Self::Ended => "session_ended",
            Self::Unaudited => "audit_unavailable",
        }
    }

    /// What to tell the agent. A constant.
    pub const fn advice(&self) -> &'static str {
        "Stop calling tools. Say briefly what was done, what was found and what is left."
    }

    /// `{"stop","detail","advice"}`.
    pub fn to_json(&self) -> Value {
        json!({"stop": self.name(), "detail": self.to_string(), "advice": self.advice()})
    }
}
