//! A plugin at the engine's ports.

use std::sync::Arc;

use async_trait::async_trait;
use harness_core::{MetricName, MetricRegistry, Tier, Trace, TurnPayload};
use harness_engine::{EvaluationError, Evaluator, HealthReport, Reading, Verified, Verifier};
use harness_rules::EvaluatorIdentity;
use serde_json::json;

use crate::answer::{self, clean};
use crate::plugged::Plugged;

/// A plugin that scores.
pub struct PluginEvaluator(Arc<dyn Plugged>);

impl PluginEvaluator {
    /// Has `plugin` score.
    pub fn new(plugin: Arc<impl Plugged>) -> Self {
        Self(plugin)
    }
}

#[async_trait]
impl Evaluator for PluginEvaluator {
    fn identity(&self) -> EvaluatorIdentity {
        EvaluatorIdentity {
            name: self.0.declared().name.clone(),
            version: self.0.version(),
        }
    }

    fn registry(&self) -> MetricRegistry {
        self.0.declared().metrics.clone()
    }

    async fn health(&self) -> HealthReport {
        match self.0.ask(json!({ "do": "describe" })).await {
            Ok(_) => HealthReport::Up,
            Err(error) => HealthReport::Down(clean(error.to_string())),
        }
    }

    async fn score(&self, trace: &Trace, tier: Tier) -> Result<Vec<Reading>, EvaluationError> {
        let declared: Vec<MetricName> = self
            .0
            .declared()
            .metrics
            .iter()
            .filter(|spec| spec.tier == tier)
            .map(|spec| spec.name.clone())
            .collect();
        if declared.is_empty() {
            return Ok(Vec::new());
        }
        let asked = json!({
            "do": "score",
            "tier": tier.number(),
            "trace": answer::of_trace(trace),
        });
        let said = self.0.ask(asked).await?;
        answer::readings(&said, &declared, self.0.intake())
            .map_err(|error| EvaluationError::Unavailable(clean(error.to_string())))
    }
}

/// A plugin that checks outcomes.
pub struct PluginVerifier(Arc<dyn Plugged>);

impl PluginVerifier {
    /// Has `plugin` check outcomes, if it declares that it does.
    pub fn new(plugin: Arc<impl Plugged>) -> Option<Self> {
        plugin.declared().verifies.then_some(Self(plugin))
    }
}

#[async_trait]
impl Verifier for PluginVerifier {
    async fn verify(&self, turn: &TurnPayload) -> Result<Verified, EvaluationError> {
        let summary = turn.task_summary.as_ref().map(|summary| summary.as_str());
        let asked = json!({
            "do": "verify",
            "trace": answer::of_trace(&turn.trace),
            "turn": {
                "session": turn.session.as_str(),
                "index": turn.index,
                "task_summary": summary,
            },
        });
        let said = self.0.ask(asked).await?;
        let score = answer::score(said.get("score").unwrap_or(&serde_json::Value::Null))
            .map_err(|error| EvaluationError::Unavailable(clean(error.to_string())))?;
        Ok(Verified {
            score,
            reason: answer::reason(&said, self.0.intake()).unwrap_or_default(),
        })
    }
}
