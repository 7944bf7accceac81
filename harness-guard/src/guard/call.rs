//! A call, from the model's words to the tool's answer.

use std::sync::atomic::Ordering;

use harness_store::GuardEvent;
use harness_store::wire::event::GuardAbort;

use super::record::{Named, Source};
use super::{Guard, Inner};
use crate::approval::Ask;
use crate::call::{CallContext, ToolCall};
use crate::checks::{Check, Consent, Judged, Step, StepVerdict, Steps, judge};
use crate::outcome::Outcome;
use crate::permit::Permitted;
use crate::refusal::{Denial, Refusal};

/// Bytes of an abort's reason in the journal.
const MAX_REASON: usize = 400;

impl Guard {
    /// Runs a call if everything allows it, and prepares what the tool answers for the model.
    ///
    /// Dropping the future ends the tool, as a timeout does.
    pub async fn call(&self, ctx: &CallContext, call: ToolCall) -> Outcome {
        let guard = &*self.inner;
        let number = guard.counts.numbered.fetch_add(1, Ordering::Relaxed) + 1;
        let named = Named::new(guard, number, ctx, &call);
        let mut events = Vec::new();
        match guard.permit(ctx, &call, &named, &mut events).await {
            Ok(permitted) => guard.run(permitted, &named).await,
            Err(refusal) => {
                events.push(named.refused(&refusal));
                // The refusal stands whether or not it could be recorded.
                let _ = guard.record(events).await;
                Outcome::Refused(refusal)
            }
        }
    }

    /// What the checks say of a call, one by one, up to the one that refuses. Nothing runs, nobody
    /// is asked, nothing is recorded; names are resolved.
    pub async fn explain(&self, ctx: &CallContext, call: &ToolCall) -> Vec<Step> {
        let mut steps = Steps::seen();
        if let Ok(judged) = judge(&self.inner, ctx, call, &mut steps).await
            && let Consent::Ask(asks) = &judged.consent
        {
            steps.note(Check::Person, StepVerdict::Asks(asks.clone()));
        }
        steps.into_steps()
    }
}

impl Inner {
    /// Checks, asks, keeps what would change, and records that the call may run: in this order,
    /// and nothing runs unless all of it went well.
    async fn permit(
        &self,
        ctx: &CallContext,
        call: &ToolCall,
        named: &Named<'_>,
        events: &mut Vec<GuardEvent>,
    ) -> Result<Permitted, Refusal> {
        self.goes_on().await?;
        let Judged {
            mut proofs,
            consent,
        } = judge(self, ctx, call, &mut Steps::unseen()).await?;
        let asks_about = |ask| matches!(&consent, Consent::Ask(asks) if asks.contains(&ask));
        if let Some(reaches_for) = proofs.intent.drift {
            events.push(named.drift(reaches_for, asks_about(Ask::Drift)));
        }
        self.plan_approved(ctx, &proofs, named, events).await?;
        let consented = match consent.without_asking() {
            Some(consented) => {
                if let Consent::Granted(asks) = &consent {
                    events.push(named.approval(true, Source::PolicyFile, asks));
                }
                consented
            }
            None => self.person(ctx, consent, &proofs, named, events).await?,
        };
        // Whoever was asked took their time.
        self.goes_on().await?;
        self.keep_files(&proofs).await?;
        events.push(named.allowed());
        self.record(std::mem::take(events)).await.map_err(|_| {
            Refusal::new(
                Denial::Unaudited,
                "the audit could not be written: nothing runs until it can be",
            )
        })?;
        proofs.slot.keep();
        Ok(Permitted::new(
            proofs,
            consented,
            self.abort.signal(),
            std::sync::Arc::clone(&self.resolver),
        ))
    }

    /// Whether the session goes on; tells the audit once if it does not.
    async fn goes_on(&self) -> Result<(), Refusal> {
        if self.ended.load(Ordering::Acquire) {
            return Err(Refusal::new(Denial::Ended, "the session has ended"));
        }
        if self.tell_abort().await {
            return Err(Refusal::new(
                Denial::Aborted,
                "the session was aborted: stop and say what was done",
            ));
        }
        Ok(())
    }

    /// Whether the session was aborted. The first to notice records it.
    pub(super) async fn tell_abort(&self) -> bool {
        let Some(reason) = self.abort.signal().reason() else {
            return false;
        };
        if !self.abort_told.swap(true, Ordering::AcqRel) {
            let abort = GuardAbort {
                session: self.session.clone(),
                reason: self.intake.text(&reason, MAX_REASON).into_owned(),
            };
            // The session stops whether or not this could be recorded.
            let _ = self.record(vec![GuardEvent::Abort(abort)]).await;
        }
        true
    }
}
