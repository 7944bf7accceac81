//! A repair as a trace of its own, for whoever watches the repair agent.
//!
//! It has names, times, numbers and kinds: no prompt, no reply, no argument and no evidence.

mod otlp;

use std::sync::Arc;
use std::time::Duration;

use harness_core::{CleanString, EpisodeId, RepairSessionId, RepairStatus};
use tokio::time::Instant;

/// Takes the trace of each attempt, once, when it ends. The caller's thread is a runtime's, so an
/// implementation that writes or sends does it elsewhere.
pub trait TraceSink: Send + Sync {
    /// Takes it.
    fn take(&self, trace: RepairTrace);
}

/// What one attempt did. Times are since it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairTrace {
    /// The session of the repair, which is none of the task's.
    pub repair_session: RepairSessionId,
    /// The episode.
    pub episode: EpisodeId,
    /// The model's name.
    pub model: CleanString,
    /// How it ended.
    pub status: RepairStatus,
    /// How long it took.
    pub took: Duration,
    /// The model's replies, in order.
    pub turns: Vec<TracedTurn>,
}

/// One reply of the model, and the calls in it that were carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedTurn {
    /// When it was asked for.
    pub asked: Duration,
    /// When it was there.
    pub replied: Duration,
    /// Output tokens that were counted for it.
    pub output_tokens: u64,
    /// The calls, in order.
    pub calls: Vec<TracedCall>,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedCall {
    /// The tool's name as the model said it, gated.
    pub tool: CleanString,
    /// When it began.
    pub began: Duration,
    /// When it was answered.
    pub ended: Duration,
    /// Whether it was one that can be carried out.
    pub understood: bool,
}

/// A trace that is being made. It goes to its sink when this is dropped: once, whether the attempt
/// ended or was stopped.
pub(crate) struct Recording {
    trace: RepairTrace,
    began: Instant,
    sink: Option<Arc<dyn TraceSink>>,
}

impl Recording {
    pub(crate) fn new(
        repair_session: RepairSessionId,
        episode: EpisodeId,
        model: CleanString,
        began: Instant,
        sink: Option<Arc<dyn TraceSink>>,
    ) -> Self {
        let trace = RepairTrace {
            repair_session,
            episode,
            model,
            status: RepairStatus::Cancelled,
            took: Duration::ZERO,
            turns: Vec::new(),
        };
        Self { trace, began, sink }
    }

    /// The model replied just now to what it was asked then.
    pub(crate) fn replied(&mut self, asked: Instant, output_tokens: u64) {
        self.trace.turns.push(TracedTurn {
            asked: asked.duration_since(self.began),
            replied: self.began.elapsed(),
            output_tokens,
            calls: Vec::new(),
        });
    }

    /// A call of the last reply, which began then, was answered just now.
    pub(crate) fn called(&mut self, tool: CleanString, began: Instant, understood: bool) {
        let call = TracedCall {
            tool,
            began: began.duration_since(self.began),
            ended: self.began.elapsed(),
            understood,
        };
        if let Some(turn) = self.trace.turns.last_mut() {
            turn.calls.push(call);
        }
    }

    /// The attempt ended in this way.
    pub(crate) const fn ended(&mut self, status: RepairStatus) {
        self.trace.status = status;
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if let Some(sink) = self.sink.take() {
            self.trace.took = self.began.elapsed();
            sink.take(self.trace.clone());
        }
    }
}
