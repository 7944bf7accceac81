//! One turn, evaluated: which tiers are asked, what the gate makes of the scores.
//!
//! The outcome and progress are scored for every turn. Steps are diagnosed only once one of those
//! alerts, on this trace; explanations are asked for only on a diagnosed breach, and never alert.
//! What failed to answer is tried again, then left pending, and asked for once more when the session
//! goes on or ends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use harness_core::{
    CleanString, Condition, MetricName, MetricRegistry, MetricSpec, Score, Tier, TurnPayload,
};
use harness_store::wire::score::GateState;

use crate::config::Config;
use crate::ports::{EvaluationError, Evaluator, Reading, ReadingValue, Verifier};

/// A score of `outcome_correct` strictly below this is a breach.
const OUTCOME_THRESHOLD: f64 = 0.9;

/// The judges of a harness.
#[derive(Clone)]
pub(crate) struct Judges {
    pub(crate) evaluator: Arc<dyn Evaluator>,
    pub(crate) verifier: Option<Arc<dyn Verifier>>,
    registry: MetricRegistry,
    config: Arc<Config>,
}

/// What one metric said of the turn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) spec: MetricSpec,
    pub(crate) score: Option<Score>,
    pub(crate) reason: Option<CleanString>,
    pub(crate) is_pending: bool,
    /// Whether a judge that has not answered may answer yet.
    pub(crate) may_come: bool,
    pub(crate) conditions: Vec<Condition>,
}

/// What a turn's evaluation came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Evaluation {
    /// Metric by metric, in the order in which they were asked.
    pub(crate) findings: Vec<Finding>,
    /// The gate after this turn.
    pub(crate) gates: BTreeMap<MetricName, GateState>,
    /// The last failure of a judge that could not be reached.
    pub(crate) unavailable: Option<CleanString>,
    /// Whether a later turn has been scored, so that what progress says now is of the past.
    is_overtaken: bool,
}

impl Evaluation {
    /// Every condition of the turn.
    pub(crate) fn conditions(&self) -> Vec<(Condition, MetricName)> {
        self.findings
            .iter()
            .flat_map(|finding| {
                finding
                    .conditions
                    .iter()
                    .map(|condition| (*condition, finding.spec.name.clone()))
            })
            .collect()
    }

    /// Every score that was asked for; `None` where it has not come.
    pub(crate) fn scores(&self) -> Vec<(MetricName, Option<Score>)> {
        self.findings
            .iter()
            .filter(|finding| finding.score.is_some() || finding.is_pending)
            .map(|finding| (finding.spec.name.clone(), finding.score))
            .collect()
    }

    /// Whether a score that has not come may come yet.
    pub(crate) fn awaits_a_score(&self) -> bool {
        self.findings.iter().any(|finding| finding.may_come)
    }

    /// Whether a score that was asked for has not come.
    pub(crate) fn is_missing_a_score(&self) -> bool {
        self.findings.iter().any(|finding| finding.is_pending)
    }

    fn knows(&self, metric: &MetricName) -> bool {
        self.findings
            .iter()
            .any(|finding| finding.spec.name == *metric)
    }

    fn alerts(&self, tier: Tier) -> bool {
        self.findings
            .iter()
            .any(|finding| finding.spec.tier == tier && !finding.conditions.is_empty())
    }
}

impl Judges {
    pub(crate) fn new(
        evaluator: Arc<dyn Evaluator>,
        verifier: Option<Arc<dyn Verifier>>,
        config: Arc<Config>,
    ) -> Self {
        let outcome = verifier.as_ref().and_then(|_| outcome_spec());
        let registry = MetricRegistry::new(
            outcome
                .into_iter()
                .chain(evaluator.registry().iter().cloned()),
        );
        Self {
            evaluator,
            verifier,
            registry,
            config,
        }
    }

    /// Every metric that is measured.
    pub(crate) const fn registry(&self) -> &MetricRegistry {
        &self.registry
    }

    /// Evaluates a turn, from the gate as the turns before left it.
    pub(crate) async fn evaluate(
        &self,
        turn: &TurnPayload,
        gates: BTreeMap<MetricName, GateState>,
    ) -> Evaluation {
        let mut blind = turn.clone();
        blind.trace = turn.trace.for_judges();
        let mut evaluation = Evaluation {
            gates,
            ..Evaluation::default()
        };
        self.outcome(&blind, &mut evaluation).await;
        self.tier(&blind, Tier::Progress, &mut evaluation).await;
        self.tiers_after_an_alert(&blind, &mut evaluation).await;
        evaluation
    }

    /// Asks once more for what has not come, and adds it to the evaluation. What was added, from
    /// the gate as the last turn left it.
    pub(crate) async fn ask_again(
        &self,
        turn: &TurnPayload,
        evaluation: &mut Evaluation,
        gates: BTreeMap<MetricName, GateState>,
        is_overtaken: bool,
    ) -> Evaluation {
        let mut blind = turn.clone();
        blind.trace = turn.trace.for_judges();
        evaluation.findings.retain(|finding| !finding.may_come);
        evaluation.gates = gates;
        evaluation.unavailable = None;
        evaluation.is_overtaken = is_overtaken;
        let known = evaluation.findings.len();
        self.outcome(&blind, evaluation).await;
        self.tier(&blind, Tier::Progress, evaluation).await;
        self.tiers_after_an_alert(&blind, evaluation).await;
        Evaluation {
            findings: evaluation.findings.iter().skip(known).cloned().collect(),
            gates: evaluation.gates.clone(),
            ..Evaluation::default()
        }
    }

    async fn tiers_after_an_alert(&self, blind: &TurnPayload, evaluation: &mut Evaluation) {
        if evaluation.alerts(Tier::Outcome) || evaluation.alerts(Tier::Progress) {
            self.tier(blind, Tier::Diagnosis, evaluation).await;
        }
        if self.config.enable_tier3 && evaluation.alerts(Tier::Diagnosis) {
            self.tier(blind, Tier::Explanation, evaluation).await;
        }
    }

    async fn outcome(&self, turn: &TurnPayload, evaluation: &mut Evaluation) {
        let (Some(verifier), Some(spec)) = (&self.verifier, outcome_spec()) else {
            return;
        };
        if evaluation.knows(&spec.name) {
            return;
        }
        let asked = self
            .insist(|| async {
                let verified = verifier.verify(turn).await?;
                Ok(vec![Reading {
                    metric: spec.name.clone(),
                    value: ReadingValue::Scored(verified.score),
                    reason: Some(verified.reason),
                }])
            })
            .await;
        self.take(vec![spec.clone()], asked, evaluation);
    }

    async fn tier(&self, turn: &TurnPayload, tier: Tier, evaluation: &mut Evaluation) {
        let specs: Vec<MetricSpec> = self
            .registry
            .iter()
            .filter(|spec| spec.tier == tier && !evaluation.knows(&spec.name))
            .cloned()
            .collect();
        if specs.is_empty() {
            return;
        }
        let asked = self
            .insist(|| self.evaluator.score(&turn.trace, tier))
            .await;
        self.take(specs, asked, evaluation);
    }

    /// Asks until there is an answer, as often as the configuration says. A judge that hangs is a
    /// judge that is not there.
    async fn insist<F, A>(&self, ask: F) -> Result<Vec<Reading>, EvaluationError>
    where
        F: Fn() -> A,
        A: Future<Output = Result<Vec<Reading>, EvaluationError>>,
    {
        let limit = Duration::from_secs(self.config.eval_timeout_s);
        let mut tries = 0;
        loop {
            let answer = match tokio::time::timeout(limit, ask()).await {
                Ok(answer) => answer,
                Err(_) => Err(EvaluationError::Unavailable(
                    harness_core::CleanText::new("no answer in time")
                        .unwrap_or_else(|_| harness_core::CleanText::empty()),
                )),
            };
            match answer {
                Err(EvaluationError::Unavailable(_)) if tries < self.config.eval_retries => {
                    tries += 1;
                    tokio::time::sleep(Duration::from_secs(self.config.eval_retry_s)).await;
                }
                answer => return answer,
            }
        }
    }

    /// Takes an answer up, metric by metric; a metric that the answer leaves out is pending.
    fn take(
        &self,
        specs: Vec<MetricSpec>,
        asked: Result<Vec<Reading>, EvaluationError>,
        evaluation: &mut Evaluation,
    ) {
        let (readings, may_come) = match asked {
            Ok(readings) => (readings, true),
            Err(EvaluationError::Unavailable(reason)) => {
                evaluation.unavailable = Some(reason);
                (Vec::new(), true)
            }
            Err(EvaluationError::Unscorable(_)) => (Vec::new(), false),
        };
        for spec in specs {
            let reading = readings.iter().find(|reading| reading.metric == spec.name);
            // Unscored is not fine: whatever was asked for and is not there is pending.
            let value = reading.map_or(ReadingValue::Pending, |reading| reading.value);
            let state = evaluation.gates.entry(spec.name.clone()).or_default();
            let conditions = if evaluation.is_overtaken && spec.tier == Tier::Progress {
                Vec::new()
            } else {
                self.config.gate().advance(state, &spec, value.score())
            };
            let is_pending = value == ReadingValue::Pending;
            evaluation.findings.push(Finding {
                score: value.score(),
                reason: reading.and_then(|reading| reading.reason.clone()),
                is_pending,
                may_come: is_pending && may_come,
                conditions,
                spec,
            });
        }
    }
}

fn outcome_spec() -> Option<MetricSpec> {
    Some(MetricSpec {
        name: MetricName::parse(MetricName::OUTCOME_CORRECT).ok()?,
        tier: Tier::Outcome,
        threshold: Score::new(OUTCOME_THRESHOLD)?,
    })
}
