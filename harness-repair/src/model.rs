//! The port to a model: what it is asked, what it answers, how it fails.
//!
//! An implementation carries a request to its provider and brings the reply back untouched.
//! Everything in a request has passed the gate; nothing in a reply has.

use std::time::Duration;

use async_trait::async_trait;
use harness_core::{CleanString, Prompt, Untrusted};

use crate::tools::ToolSchema;

/// A model that can work through a repair episode.
///
/// The caller may drop the future of [`RepairModel::reply`] at any await.
#[async_trait]
pub trait RepairModel: Send + Sync {
    /// The name in results and events, for example `provider/model`.
    fn name(&self) -> CleanString;

    /// One reply to the exchange so far. Retries are the caller's.
    ///
    /// # Errors
    /// Where no reply was had, see [`ModelError`].
    async fn reply(&self, request: ModelRequest<'_>) -> Result<ModelReply, ModelError>;
}

/// All that a model is given.
#[derive(Clone, Copy, Debug)]
pub struct ModelRequest<'a> {
    /// The system prompt: our constants and clean data.
    pub prompt: &'a Prompt,
    /// What was said and done since, oldest first; empty at the first turn.
    pub exchange: &'a [Exchange],
    /// The tools that may be called.
    pub tools: &'a [ToolSchema],
    /// Output tokens that this reply may have at most.
    pub max_output_tokens: u64,
    /// Sampling temperature; `None` leaves it to the provider.
    pub temperature: Option<f64>,
    /// How much to reason, in the provider's word; `None` leaves it to the provider. To be
    /// forwarded only where the provider supports it.
    pub reasoning_effort: Option<&'a str>,
}

/// One step of the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// What the model said, as far as it was taken up.
    Reply {
        /// Its text, gated.
        text: CleanString,
        /// Its calls, gated; each is answered by the next step, in this order.
        calls: Vec<Asked>,
    },
    /// The answers to the calls of the reply before.
    Answers(Vec<Answer>),
    /// A reminder of ours, after a reply without a call.
    Reminder(&'static str),
}

/// A call as the model made it, gated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The provider's id of the call.
    pub id: CleanString,
    /// The tool's name.
    pub name: CleanString,
    /// The arguments as JSON text.
    pub arguments: CleanString,
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The id of the call.
    pub call_id: CleanString,
    /// The tool's name, as it was called.
    pub name: CleanString,
    /// A JSON object with `ok`.
    pub content: CleanString,
}

/// What a model replied.
#[derive(Clone, Debug)]
pub struct ModelReply {
    /// Its text; may be empty.
    pub text: Untrusted<String>,
    /// The tools it calls, in order.
    pub calls: Vec<ModelCall>,
    /// Output tokens it used. `None` means "not reported", which is not zero: the worst case is
    /// counted.
    pub output_tokens: Option<u64>,
    /// Why it stopped.
    pub stop: StopReason,
}

/// A call in a reply.
#[derive(Clone, Debug)]
pub struct ModelCall {
    /// The provider's id of the call.
    pub id: Untrusted<String>,
    /// The tool's name.
    pub name: Untrusted<String>,
    /// The arguments as the model wrote them, meant to be a JSON object.
    pub arguments: Untrusted<String>,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// It was complete, with or without calls.
    Complete,
    /// It was cut at a limit on its length; its calls may be cut too.
    Truncated,
    /// The model or its provider declined.
    Refused,
}

/// Why there was no reply. Nothing of the provider's own words is in here: those are untrusted and
/// may hold credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// It could not be reached, or broke before it did anything: the provider's fault.
    #[error("the model cannot be reached")]
    Unavailable,
    /// It was reached, and its reply broke off or never came: the provider's fault, or the
    /// network's. It may have been billed, so it is counted at its worst.
    #[error("the model's reply was lost on its way")]
    Lost,
    /// Too many requests: the provider's or the operator's quota.
    #[error("the model is rate limited")]
    RateLimited {
        /// How long to wait, where the provider says.
        retry_after: Option<Duration>,
    },
    /// The credentials were not accepted: the operator's fault.
    #[error("the model's provider did not accept the credentials")]
    Unauthenticated,
    /// The request was not accepted, for example an unknown model: the operator's fault, or ours.
    #[error("the model's provider did not accept the request")]
    Rejected,
    /// The reply could not be read: the provider's fault.
    #[error("the model's reply could not be read")]
    Malformed,
}

impl ModelError {
    /// Whether the same request may succeed later.
    pub const fn may_retry(self) -> bool {
        matches!(
            self,
            Self::Unavailable | Self::Lost | Self::RateLimited { .. }
        )
    }

    /// Whether the model may have written something all the same.
    pub const fn may_have_cost(self) -> bool {
        matches!(self, Self::Lost | Self::Malformed)
    }
}
