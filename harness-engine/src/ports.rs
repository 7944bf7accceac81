//! What a host may bring: an evaluator, and a check of outcomes. Both object-safe, both bounded in
//! time by the engine, both free to fail.

use async_trait::async_trait;
use harness_core::{CleanString, MetricName, MetricRegistry, Score, Tier, Trace, TurnPayload};
use harness_rules::EvaluatorIdentity;

/// What an evaluator says of one metric of one trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The metric.
    pub metric: MetricName,
    /// What it says.
    pub value: ReadingValue,
    /// What in the trace led to it.
    pub reason: Option<CleanString>,
}

/// A score, or the lack of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReadingValue {
    /// A score.
    Scored(Score),
    /// The metric has nothing to say of this trace, now or later.
    Silent,
    /// A score was asked for and has not come. It never alerts and never moves a peak.
    Pending,
}

impl ReadingValue {
    /// The score, if there is one.
    pub const fn score(self) -> Option<Score> {
        match self {
            Self::Scored(score) => Some(score),
            Self::Silent | Self::Pending => None,
        }
    }
}

/// Why a trace was not scored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// The evaluator could not be reached or broke; worth another try.
    #[error("the evaluator is unavailable: {0}")]
    Unavailable(CleanString),
    /// The evaluator works, and cannot score this trace; no outage.
    #[error("the trace cannot be scored: {0}")]
    Unscorable(CleanString),
}

/// Whether an evaluator can score at all, by a real read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HealthReport {
    /// It can.
    Up,
    /// It cannot, and why.
    Down(CleanString),
}

/// Scores traces. It is given the trace as a judge may see it, without the spans of the four rule
/// tools; it never sees an arm.
#[async_trait]
pub trait Evaluator: Send + Sync {
    /// Its name and version, as trials record them. A new version restarts open trials; hosts of
    /// several versions on one workspace do not take turns in that.
    fn identity(&self) -> EvaluatorIdentity;

    /// The metrics it declares.
    fn registry(&self) -> MetricRegistry;

    /// Whether it can score, asked after a failure. A failing check is an outage.
    async fn health(&self) -> HealthReport {
        HealthReport::Up
    }

    /// Scores the metrics of one tier.
    ///
    /// # Errors
    /// [`EvaluationError`]; only an unavailable evaluator is asked again.
    async fn score(&self, trace: &Trace, tier: Tier) -> Result<Vec<Reading>, EvaluationError>;
}

/// A developer's own check of what a turn achieved.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// 1 for right, 0 for wrong, or between; below 0.9 is a breach of `outcome_correct`.
    pub score: Score,
    /// What it is about the outcome.
    pub reason: CleanString,
}

/// Checks outcomes: tier 0. It is given the turn as a judge may see it.
#[async_trait]
pub trait Verifier: Send + Sync {
    /// Checks one turn.
    ///
    /// # Errors
    /// [`EvaluationError`], as for an evaluator.
    async fn verify(&self, turn: &TurnPayload) -> Result<Verified, EvaluationError>;
}
