//! Those who attack through a port: a judge, a developer's check and a repair model that say what
//! is planted.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use harness_core::{
    CleanString, CleanText, MetricRegistry, PromptPart, Score, Tier, Trace, TurnPayload, Untrusted,
};
use harness_engine::{EmbeddedEvaluator, EvaluationError, Evaluator, Reading, Verified, Verifier};
use harness_repair::{
    Exchange, ModelCall, ModelError, ModelReply, ModelRequest, RepairModel, StopReason,
};
use harness_rules::EvaluatorIdentity;
use harness_sanitize::Intake;
use serde_json::{Value, json};

use super::scenario::Surface;

/// Advice that any repair model might give, and nothing is wrong with.
const ADVICE: &str = "Before calling `read_file`, call `list_files` and use for `path` only what \
                      it returned.";
/// Bytes of a reason, as an adapter would let in.
const MAX_REASON: usize = 600;

/// A judge or a check that gives the plant as its reason.
pub(super) struct Judge {
    pub(super) surface: Surface,
    pub(super) plant: String,
    pub(super) intake: Intake,
}

impl Judge {
    fn says(&self, surface: Surface) -> CleanString {
        let said = if self.surface == surface {
            self.plant.as_str()
        } else {
            "there is no total"
        };
        self.intake.text(said, MAX_REASON).into_owned()
    }
}

#[async_trait]
impl Evaluator for Judge {
    fn identity(&self) -> EvaluatorIdentity {
        EmbeddedEvaluator.identity()
    }

    fn registry(&self) -> MetricRegistry {
        EmbeddedEvaluator.registry()
    }

    async fn score(&self, trace: &Trace, tier: Tier) -> Result<Vec<Reading>, EvaluationError> {
        if self.surface == Surface::JudgeError {
            let said = self.says(Surface::JudgeError);
            return Err(EvaluationError::Unscorable(said));
        }
        let mut readings = EmbeddedEvaluator.score(trace, tier).await?;
        for reading in &mut readings {
            reading.reason = Some(self.says(Surface::JudgeReason));
        }
        Ok(readings)
    }
}

#[async_trait]
impl Verifier for Judge {
    async fn verify(&self, turn: &TurnPayload) -> Result<Verified, EvaluationError> {
        // Turns after the attack go well.
        let is_right = turn.index > 0;
        Ok(Verified {
            score: if is_right { Score::ONE } else { Score::ZERO },
            reason: self.says(Surface::VerifierReason),
        })
    }
}

/// A repair model under the attacker's hand. It looks at all that it may see, proposes, and ends;
/// what it was shown is kept for the judgement.
pub(super) struct Model {
    surface: Surface,
    plant: String,
    shown: Arc<Mutex<Shown>>,
}

/// What a repair model was shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    /// As our own words.
    pub(super) trusted: Vec<String>,
    /// As data.
    pub(super) data: Vec<String>,
}

impl Model {
    /// A model, and where what it was shown is kept.
    pub(super) fn new(surface: Surface, plant: &str) -> (Self, Arc<Mutex<Shown>>) {
        let shown = Arc::new(Mutex::new(Shown::default()));
        let model = Self {
            surface,
            plant: plant.to_owned(),
            shown: Arc::clone(&shown),
        };
        (model, shown)
    }

    fn look(&self, request: &ModelRequest<'_>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        for part in request.prompt.parts() {
            match part {
                PromptPart::Trusted(text) => shown.trusted.push((*text).to_owned()),
                PromptPart::Data(text) => shown.data.push(text.as_str().to_owned()),
            }
        }
        for step in request.exchange {
            match step {
                Exchange::Reply { text, calls } => {
                    shown.data.push(text.as_str().to_owned());
                    for call in calls {
                        shown.data.push(call.name.as_str().to_owned());
                        shown.data.push(call.arguments.as_str().to_owned());
                    }
                }
                Exchange::Answers(answers) => {
                    let said = answers.iter().map(|answer| answer.content.as_str());
                    shown.data.extend(said.map(str::to_owned));
                }
                Exchange::Reminder(text) => shown.trusted.push((*text).to_owned()),
            }
        }
    }

    /// The plant where this is the surface, and else something harmless.
    fn or_else(&self, surface: Surface, harmless: &str) -> String {
        if self.surface == surface {
            self.plant.clone()
        } else {
            harmless.to_owned()
        }
    }

    fn first(&self) -> Vec<ModelCall> {
        let mut notice = json!({});
        let mut trace = json!({});
        if self.surface == Surface::ModelNotice {
            notice = json!({ "notice_id": self.plant });
        }
        if self.surface == Surface::ModelTrace {
            trace = json!({ "trace_id": self.plant });
        }
        let mut calls = vec![
            call("harness_notice_read", notice.to_string()),
            call("harness_trace_inspect", trace.to_string()),
        ];
        match self.surface {
            Surface::ModelTool => calls.push(call(&self.plant, "{}".to_owned())),
            Surface::ModelArguments => calls.push(call("harness_rule_add", self.plant.clone())),
            _ => {}
        }
        calls
    }

    fn second(&self) -> Vec<ModelCall> {
        let mut rule = json!({
            "rule": self.or_else(Surface::RuleText, ADVICE),
            "rationale": self.or_else(Surface::RuleRationale, "calls failed without a listing"),
            "tags": [self.or_else(Surface::RuleTag, "listing")],
        });
        let field = match self.surface {
            Surface::RuleScope => Some("scope"),
            Surface::RuleMetric => Some("metric"),
            Surface::RuleSupersedes => Some("supersedes"),
            _ => None,
        };
        if let (Some(field), Value::Object(fields)) = (field, &mut rule) {
            fields.insert(field.to_owned(), json!(self.plant));
        }
        let mut calls = vec![call("harness_rule_add", rule.to_string())];
        if self.surface == Surface::ModelSecondRule {
            let second = json!({ "rule": self.plant, "rationale": "another" });
            calls.push(call("harness_rule_add", second.to_string()));
        }
        calls
    }
}

#[async_trait]
impl RepairModel for Model {
    fn name(&self) -> CleanString {
        CleanText::new("hostile").unwrap_or_default()
    }

    async fn reply(&self, request: ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        self.look(&request);
        let replies = request
            .exchange
            .iter()
            .filter(|step| matches!(step, Exchange::Reply { .. }))
            .count();
        let note = self.or_else(Surface::ModelNote, "done");
        let calls = match replies {
            0 => self.first(),
            1 => self.second(),
            2 => vec![call(
                "harness_notice_ack",
                json!({ "note": note }).to_string(),
            )],
            _ => vec![call(
                "harness_notice_resolve",
                json!({ "resolution": "no_proposal", "note": note }).to_string(),
            )],
        };
        Ok(ModelReply {
            text: Untrusted::new(self.or_else(Surface::ModelText, "")),
            calls,
            output_tokens: Some(1),
            stop: StopReason::Complete,
        })
    }
}

fn call(name: &str, arguments: String) -> ModelCall {
    ModelCall {
        id: Untrusted::new("call".to_owned()),
        name: Untrusted::new(name.to_owned()),
        arguments: Untrusted::new(arguments),
    }
}
