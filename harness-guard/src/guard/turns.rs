//! Turns: what a user says, what a model is asked, and what it answers.

use std::sync::atomic::Ordering;

use harness_core::CleanString;
use harness_sanitize::{Delimited, Nonce, user_input};
use harness_store::GuardEvent;
use harness_store::wire::event::{
    CapScope, GuardAssistantMessage, GuardCapHit, GuardContextTrimmed, GuardCostLimit,
    GuardModelError, GuardModelRequest, GuardModelResponse, GuardUserMessage,
};

use super::{Guard, Inner};
use crate::answer::digest;
use crate::budget::{Spending, Stop, Usage};
use crate::call::CallContext;
use crate::model::{Message, ModelReply, ModelRequest, ModelTurn, Trimmed, estimated_tokens, trim};
use crate::plan::PlanState;

/// Bytes that a message costs beside what it says, at most.
const FRAME: u64 = 32;
/// Bytes of a name or an error in an event.
const MAX_TEXT: usize = 400;

impl Guard {
    /// A user said something: a new turn begins, with all its answers left and its plan to be
    /// approved. The text comes back in its fence, as it goes into the conversation.
    ///
    /// # Errors
    /// The session has stopped.
    pub async fn user_message(&self, text: &str) -> Result<Delimited, Stop> {
        let guard = &*self.inner;
        guard.may_go_on().await?;
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| Stop::Unaudited)?;
        guard.turns.reset();
        *guard.plan.state().await = PlanState::Waiting;
        let said = GuardUserMessage {
            session: guard.session.clone(),
            content: digest(text),
        };
        guard.or_stop(vec![GuardEvent::UserMessage(said)]).await?;
        Ok(user_input(&guard.intake.text(text, 0), Nonce::new(bytes)))
    }

    /// Before a model is asked: a turn is taken, the conversation is made to fit, and the most that
    /// the answer can cost is set aside.
    ///
    /// # Errors
    /// A budget is used up, or the session has stopped; nothing is set aside.
    pub async fn before_model(
        &self,
        ctx: &CallContext,
        request: &ModelRequest,
        messages: &mut Vec<Message>,
    ) -> Result<ModelTurn, Stop> {
        let guard = &*self.inner;
        guard.may_go_on().await?;
        let price = guard.prices.get(&request.model).ok_or(Stop::NoPrice)?;
        let mut events = Vec::new();
        let config = &guard.config;
        let trimmed = trim(
            messages,
            config.trim_threshold(),
            config.context_keep_recent,
            &guard.tools,
        );
        events.extend(trimmed.map(|trimmed| guard.trimmed(trimmed)));
        let tokens = estimated_tokens(messages);
        let cap = config.max_context_tokens;
        if tokens > cap {
            events.push(guard.cap_hit(CapScope::Context, cap));
            guard.or_stop(events).await?;
            return Err(Stop::Context { tokens, cap });
        }
        let Some(mut turn) = guard.turns.take() else {
            let cap = guard.turns.cap();
            events.push(guard.cap_hit(CapScope::PerTurn, cap.into()));
            guard.or_stop(events).await?;
            return Err(Stop::Turns { cap });
        };
        let tools = guard.tools.visible_schemas(&ctx.phase);
        // A token has at least a byte, so this many there are at most.
        let shown: u64 = tools.iter().map(|tool| tool.to_string().len() as u64).sum();
        let said: u64 = messages.iter().map(|message| message.bytes() + FRAME).sum();
        let worst_in = said + shown;
        let wanted = price.of(worst_in, request.max_tokens_out);
        let reservation = match guard.purse.reserve(wanted) {
            Ok(reservation) => reservation,
            Err(Spending {
                spent,
                reserved,
                cap,
            }) => {
                events.push(GuardEvent::CostLimit(GuardCostLimit {
                    session: guard.session.clone(),
                    spent_microdollars: spent.get(),
                    reserved_microdollars: reserved.get(),
                    wanted_microdollars: wanted.get(),
                    cap_microdollars: cap.get(),
                }));
                guard.or_stop(events).await?;
                return Err(Stop::Cost {
                    spent,
                    reserved,
                    wanted,
                    cap,
                });
            }
        };
        events.push(GuardEvent::ModelRequest(GuardModelRequest {
            session: guard.session.clone(),
            model: guard.text(&request.model),
            messages: messages.len() as u64,
            estimated_tokens: tokens,
            tools: tools.len() as u64,
            reserved_microdollars: wanted.get(),
        }));
        if let Err(stop) = guard.or_stop(events).await {
            // Nothing was asked, so nothing is spent.
            reservation.commit(crate::budget::Microdollars::ZERO);
            return Err(stop);
        }
        turn.keep();
        Ok(ModelTurn {
            model: request.model.clone(),
            price,
            worst_in,
            worst_out: request.max_tokens_out,
            reservation,
            timeout: config.model_timeout(),
            abort: guard.abort.signal(),
        })
    }

    /// After a model answered: what it came to is spent, at the worst where it does not say.
    ///
    /// # Errors
    /// The audit could not be written; the answer is paid for all the same.
    pub async fn after_model(
        &self,
        turn: ModelTurn,
        reply: &ModelReply,
        usage: Usage,
    ) -> Result<(), Stop> {
        let guard = &*self.inner;
        let cost = turn.bill(usage);
        let counts = &guard.counts;
        counts.answers.fetch_add(1, Ordering::Relaxed);
        for (count, tokens) in [
            (&counts.tokens_in, usage.tokens_in),
            (&counts.tokens_out, usage.tokens_out),
        ] {
            count.fetch_add(tokens.unwrap_or_default(), Ordering::Relaxed);
        }
        let answered = GuardModelResponse {
            session: guard.session.clone(),
            model: guard.text(&turn.model),
            finish: guard.text(&reply.finish),
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
            cost_microdollars: cost.get(),
        };
        turn.reservation.commit(cost);
        let said = GuardAssistantMessage {
            session: guard.session.clone(),
            content: digest(&reply.content),
            tool_calls: reply.calls.len() as u64,
        };
        guard
            .or_stop(vec![
                GuardEvent::ModelResponse(answered),
                GuardEvent::AssistantMessage(said),
            ])
            .await
    }

    /// A model did not answer. Whether it is billed is not known, so the worst is paid for.
    ///
    /// # Errors
    /// The audit could not be written.
    pub async fn model_failed(&self, turn: ModelTurn, error: &str) -> Result<(), Stop> {
        let guard = &*self.inner;
        let failed = GuardModelError {
            session: guard.session.clone(),
            model: guard.text(&turn.model),
            error: guard.text(error),
        };
        drop(turn);
        guard.or_stop(vec![GuardEvent::ModelError(failed)]).await
    }
}

impl Inner {
    async fn may_go_on(&self) -> Result<(), Stop> {
        if self.ended.load(Ordering::Acquire) {
            return Err(Stop::Ended);
        }
        if self.tell_abort().await {
            return Err(Stop::Aborted);
        }
        Ok(())
    }

    async fn or_stop(&self, events: Vec<GuardEvent>) -> Result<(), Stop> {
        self.record(events).await.map_err(|_| Stop::Unaudited)
    }

    fn trimmed(&self, trimmed: Trimmed) -> GuardEvent {
        GuardEvent::ContextTrimmed(GuardContextTrimmed {
            session: self.session.clone(),
            dropped: trimmed.dropped,
            tokens_before: trimmed.tokens_before,
            tokens_after: trimmed.tokens_after,
            sha256: trimmed.sha256,
        })
    }

    pub(super) fn cap_hit(&self, scope: CapScope, cap: u64) -> GuardEvent {
        GuardEvent::CapHit(GuardCapHit {
            session: self.session.clone(),
            scope,
            cap,
        })
    }

    fn text(&self, text: &str) -> CleanString {
        self.intake.text(text, MAX_TEXT).into_owned()
    }
}
