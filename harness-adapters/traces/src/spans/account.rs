//! What became of every span.

use harness_core::{CleanString, IdError};
use thiserror::Error;

use crate::Limits;

/// Every span that was taken in, accounted for: `read` is `used` and what was dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanAccount {
    /// Spans that gave a turn a step, its request, its answer or its session.
    pub used: usize,
    /// The others, in order; at most [`Limits::REPORTS`] of them.
    pub dropped: Vec<Dropped>,
    /// Dropped spans beyond that bound.
    pub unlisted: usize,
}

/// A span that no turn holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Its trace, cleaned and cut.
    pub trace: CleanString,
    /// Its id in the trace, cleaned and cut.
    pub span: CleanString,
    /// Its name, cleaned and cut.
    pub name: CleanString,
    /// Why.
    pub reason: DropReason,
}

/// Why a span is in no turn. None of these is a fault but the last two, which are the recording's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum DropReason {
    /// A wrapper: an agent, a chain, a graph's node.
    #[error("it groups other steps, and says nothing that they do not say")]
    Groups,
    /// A kind of work that is no step of an agent.
    #[error(
        "it is an embedding, a guardrail, a reranking or an evaluation, and no step of an agent"
    )]
    OtherWork,
    /// Of a reply nothing was recorded, neither words nor calls.
    #[error("it is a reply of which neither words nor calls were recorded")]
    Silent,
    /// A reply that is nothing but calls, which have spans.
    #[error("it only calls tools, and the calls have spans of their own")]
    OnlyCalls,
    /// One reply or call that two nested spans tell.
    #[error("a span around it or within it tells the same step")]
    Retold,
    /// The same span once more, as exporters do that try again.
    #[error("it was told before: the same trace and the same span id")]
    Repeated,
    /// Its whole trace holds no step.
    #[error("its trace holds neither a reply nor a call")]
    NoStep,
    /// Beyond the steps that a trace holds.
    #[error("a trace holds {} steps at most", harness_core::Trace::MAX_SPANS)]
    TraceFull,
    /// Beyond the spans, or the bytes of them, that are taken in.
    #[error(
        "{} spans of {} bytes at most are put together",
        Limits::SPANS,
        Limits::HELD
    )]
    TooMany,
    /// A session id that no session may have, such as one of a repair session.
    #[error("{0}")]
    BadSession(#[from] IdError),
}

impl SpanAccount {
    /// Spans that were taken in.
    pub const fn read(&self) -> usize {
        self.used + self.dropped.len() + self.unlisted
    }

    pub(crate) fn drop_one(&mut self, dropped: impl FnOnce() -> Dropped) {
        if self.dropped.len() < Limits::REPORTS {
            self.dropped.push(dropped());
        } else {
            self.unlisted += 1;
        }
    }
}
