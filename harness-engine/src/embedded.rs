//! The embedded evaluator at the port.

use async_trait::async_trait;
use harness_core::{CleanText, MetricRegistry, Tier, Trace};
use harness_rules::EvaluatorIdentity;

use crate::evaluator;
use crate::ports::{EvaluationError, Evaluator, Reading, ReadingValue};

/// Scores a trace from the trace alone: no model, no network, no cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmbeddedEvaluator;

#[async_trait]
impl Evaluator for EmbeddedEvaluator {
    fn identity(&self) -> EvaluatorIdentity {
        let clean = |text: String| CleanText::new(text).unwrap_or_else(|_| CleanText::empty());
        EvaluatorIdentity {
            name: clean(evaluator::NAME.to_owned()),
            version: clean(evaluator::VERSION.to_string()),
        }
    }

    fn registry(&self) -> MetricRegistry {
        evaluator::registry()
    }

    async fn score(&self, trace: &Trace, tier: Tier) -> Result<Vec<Reading>, EvaluationError> {
        let registry = evaluator::registry();
        Ok(evaluator::score(trace)
            .into_iter()
            .filter(|scored| {
                registry
                    .get(&scored.metric)
                    .is_some_and(|spec| spec.tier == tier)
            })
            .map(|scored| Reading {
                metric: scored.metric,
                value: scored
                    .score
                    .map_or(ReadingValue::Silent, ReadingValue::Scored),
                reason: Some(scored.reason),
            })
            .collect())
    }
}
