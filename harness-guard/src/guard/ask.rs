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

/// Bytes of what a person is shown: the longest command whole, so that nothing hides behind a cut.
const MAX_PREVIEW: usize = 16_384;

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
        let arguments = Value::Object(proofs.arguments.get().clone()).to_string();
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
