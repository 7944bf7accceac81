//! Asking a person: about a plan, about a call.

use harness_store::GuardEvent;
use serde_json::Value;

use super::Inner;
use super::record::{Named, Source};
use crate::approval::{Answer, ApprovalRequest, Ask};
use crate::call::CallContext;
use crate::checks::{Consent, Consented};
use crate::permit::Proofs;
use crate::plan::PlanState;
use crate::refusal::{Denial, Refusal};
use crate::tool::ArgumentKind;

/// Bytes of what a person is shown.
const MAX_PREVIEW: usize = 16_384;
/// Bytes of one argument that a person is shown, where it names nothing that the call touches.
const MAX_SHOWN: usize = 2048;

impl Inner {
    /// Lets an action through once the plan was approved. The first one asks.
    pub(super) async fn plan_approved(
        &self,
        ctx: &CallContext,
        proofs: &Proofs,
        named: &Named<'_>,
        events: &mut Vec<GuardEvent>,
    ) -> Result<(), Refusal> {
        let spec = &proofs.granted.tool().spec;
        if !self.config.approve_plan || spec.planning || !spec.does().acts() {
            return Ok(());
        }
        let rejected = || {
            Refusal::new(
                Denial::PlanRejected,
                "the plan was rejected: revise it, and say what it is before anything is done",
            )
        };
        let mut state = self.plan.state().await;
        match *state {
            PlanState::Approved => Ok(()),
            PlanState::Rejected => Err(rejected()),
            PlanState::Waiting => {
                let request = ApprovalRequest {
                    tool: named.tool.clone(),
                    phase: ctx.phase.name().to_owned(),
                    asks: vec![Ask::Plan],
                    detail: String::new(),
                    preview: self.intake.text(&ctx.plan, MAX_PREVIEW).into_owned(),
                };
                let answer = self.answer(&request).await;
                let approved = answer == Answer::Approve;
                events.push(named.plan(approved, &ctx.plan));
                match answer {
                    Answer::Approve => {
                        *state = PlanState::Approved;
                        Ok(())
                    }
                    Answer::Deny => {
                        *state = PlanState::Rejected;
                        Err(rejected())
                    }
                    Answer::Nobody => Err(nobody(&[Ask::Plan])),
                }
            }
        }
    }

    /// A person's yes to a call.
    pub(super) async fn person(
        &self,
        ctx: &CallContext,
        consent: Consent,
        proofs: &Proofs,
        named: &Named<'_>,
        events: &mut Vec<GuardEvent>,
    ) -> Result<Consented, Refusal> {
        let asks = match &consent {
            Consent::Ask(asks) => asks.clone(),
            Consent::NotNeeded | Consent::Granted(_) => Vec::new(),
        };
        let arguments = self.shown(proofs);
        let request = ApprovalRequest {
            tool: named.tool.clone(),
            phase: ctx.phase.name().to_owned(),
            asks: asks.clone(),
            detail: proofs
                .intent
                .drift
                .map_or_else(String::new, |what| format!("nobody spoke of `{what}`")),
            preview: self.intake.text(&arguments, MAX_PREVIEW).into_owned(),
        };
        match self.answer(&request).await {
            Answer::Approve => {
                events.push(named.approval(true, Source::Person, &asks));
                Ok(consent.by_person())
            }
            Answer::Deny => {
                events.push(named.approval(false, Source::Person, &asks));
                Err(Refusal::new(
                    Denial::ApprovalDenied,
                    "the person who was asked said no: do not ask for the same again",
                ))
            }
            Answer::Nobody => {
                events.push(named.approval(false, Source::Nobody, &asks));
                Err(nobody(&asks))
            }
        }
    }

    /// The arguments, one a line, each as JSON: what the call touches first and whole, so that
    /// nothing of that hides behind a long content.
    fn shown(&self, proofs: &Proofs) -> String {
        let kinds = &proofs.granted.tool().spec.arguments;
        let is_touched = |name: &String| {
            use ArgumentKind::{Command, Path, Pattern, Url};
            matches!(kinds.get(name), Some(Command | Path | Pattern | Url))
        };
        let (touched, others): (Vec<_>, Vec<_>) = proofs
            .arguments
            .get()
            .iter()
            .partition(|(name, _)| is_touched(name));
        let whole = touched.into_iter().map(|argument| (argument, usize::MAX));
        let cut = others.into_iter().map(|argument| (argument, MAX_SHOWN));
        let lines = whole.chain(cut).map(|((name, value), most)| {
            let value = value.to_string();
            // Redact, then cut: half a secret would not be recognised.
            let value = self.intake.redactor().redact(&value);
            let (name, bytes) = (Value::from(name.as_str()), value.len());
            match value.get(..value.floor_char_boundary(most)) {
                Some(start) if start.len() < bytes => {
                    format!("{name}: {start} ... {bytes} bytes in all")
                }
                _ => format!("{name}: {value}"),
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// An answer in time; silence is a no, and so is an abort.
    pub(super) async fn answer(&self, request: &ApprovalRequest) -> Answer {
        let aborted = self.abort.signal();
        tokio::select! {
            biased;
            () = aborted.aborted() => Answer::Deny,
            answer = self.approver.ask(request) => answer,
            () = tokio::time::sleep(self.config.approval_timeout()) => Answer::Deny,
        }
    }
}

fn nobody(asks: &[Ask]) -> Refusal {
    let reasons: Vec<&str> = asks.iter().map(|ask| ask.name()).collect();
    Refusal::new(
        Denial::ApprovalRequired,
        format!("the call needs a person ({})", reasons.join(", ")),
    )
}
