//! One question to a model, from its budget to its bill.

use std::future::Future;
use std::time::Duration;

use crate::budget::{Price, Reservation, Stop, Usage};
use crate::call::ToolCall;
use crate::session::AbortSignal;

/// What is about to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRequest {
    /// The model's name, by which it has a price.
    pub model: String,
    /// Tokens that it may write.
    pub max_tokens_out: u64,
}

/// What a model said.
#[derive(Clone, Debug, Default)]
pub struct ModelReply {
    /// Its text.
    pub content: String,
    /// Its calls.
    pub calls: Vec<ToolCall>,
    /// Why it stopped, in its own words.
    pub finish: String,
}

/// A question that may be asked: a turn was left, the conversation fits, and the most that the
/// answer can cost is set aside. Dropped without an answer, all of it counts as spent.
#[derive(Debug)]
#[must_use = "the answer is reported, or the worst is paid for"]
pub struct ModelTurn {
    pub(crate) model: String,
    pub(crate) price: Price,
    pub(crate) worst_in: u64,
    pub(crate) worst_out: u64,
    pub(crate) reservation: Reservation,
    pub(crate) timeout: Duration,
    pub(crate) abort: AbortSignal,
}

impl ModelTurn {
    /// Waits for an answer, as long as a model has.
    ///
    /// # Errors
    /// It took too long, or the session was aborted; the question is dropped.
    pub async fn within<T>(&self, question: impl Future<Output = T>) -> Result<T, Stop> {
        tokio::select! {
            biased;
            () = self.abort.aborted() => Err(Stop::Aborted),
            answer = question => Ok(answer),
            () = tokio::time::sleep(self.timeout) => Err(Stop::ModelTimeout {
                seconds: self.timeout.as_secs(),
            }),
        }
    }

    /// What an answer came to; what was not reported counts as the worst.
    pub(crate) fn bill(&self, usage: Usage) -> crate::budget::Microdollars {
        self.price.of(
            usage.tokens_in.unwrap_or(self.worst_in),
            usage.tokens_out.unwrap_or(self.worst_out),
        )
    }
}
