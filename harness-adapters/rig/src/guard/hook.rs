//! The hooks of a guarded agent.

use std::sync::{Arc, Mutex};

use harness_engine::host::TaskTools;
use harness_guard::{ModelReply, ModelTurn, Stop, ToolCall, Usage};
use rig_agent::AgentHook;
use rig_agent::agent::{
    CompletionCallAction, CompletionCallEvent, DispatchAction, DispatchEvent, HookContext,
    HookStack, InvalidToolCallAction, InvalidToolCallContext, OutcomeAction, OutcomeEvent,
    RequestPatch, RunStart, RunStartAction, StepEventKind,
};
use rig_core::completion::{CompletionRequest, CompletionResponse, FinishReason};
use rig_core::effect::EffectKind;
use rig_core::message::{AssistantContent, Message, UserContent};
use serde_json::Value;

use super::messages::{Fitted, fit};
use super::{RigGuard, held};
use crate::failure;
use crate::hook::words;

/// What the audit has of a failure that is none of a model's.
const FAILED: &str = "the request failed";

impl RigGuard {
    /// The hooks of a guarded agent: it fences what the user says, shows the model the tools that
    /// the phase admits, counts turns, fits the conversation, and sets money aside before a question
    /// and pays for the answer. A tool that is none of the guard's is not called.
    ///
    /// A question under way goes on after an abort: a host drops its run, as
    /// [`HarnessAgent`](crate::HarnessAgent) does.
    pub fn hook(&self) -> HookStack {
        let mut hooks = HookStack::with(Admitting {
            guard: self.clone(),
            fences: true,
        });
        hooks.push(Refusing(self.clone()));
        hooks
    }
}

/// Admits what a run may do: its turns, its tools, its conversation, its costs.
pub(crate) struct Admitting {
    pub(crate) guard: RigGuard,
    /// Whether the user's words are fenced here, and by no hook after this one.
    pub(crate) fences: bool,
}

/// The question under way, with what was set aside for it. Dropped, the worst is paid for.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Option<ModelTurn>>>);

impl AgentHook for Admitting {
    async fn on_run_start(&self, context: &HookContext, event: RunStart<'_>) -> RunStartAction {
        let said = words(event.prompt);
        self.guard.asked_for(&said);
        context.scratchpad().insert(Asked::default());
        match self.guard.guard().user_message(&said).await {
            Ok(fenced) if self.fences => match fenced_prompt(event.prompt, fenced.as_str()) {
                Some(prompt) => RunStartAction::rewrite(prompt),
                None => RunStartAction::continue_run(),
            },
            Ok(_) => RunStartAction::continue_run(),
            Err(stop) => RunStartAction::stop(self.guard.stop(stop)),
        }
    }

    async fn on_completion_call(
        &self,
        _context: &HookContext,
        _event: CompletionCallEvent<'_>,
    ) -> CompletionCallAction {
        let visible = self.guard.visible();
        CompletionCallAction::patch(RequestPatch::new().active_tools(visible))
    }

    async fn on_dispatch(&self, context: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        match event.kind {
            EffectKind::Completion { request, stream } => {
                match self.guard.admit(context, request.clone()).await {
                    Ok(request) => DispatchAction::patch(EffectKind::Completion {
                        request,
                        stream: *stream,
                    }),
                    Err(stop) => DispatchAction::stop(self.guard.stop(stop)),
                }
            }
            EffectKind::ToolCall { name, args } if !self.guard.lets_pass(name) => {
                let outcome = self.guard.call(name.clone(), args.clone()).await;
                DispatchAction::skip(outcome.for_model())
            }
            _ => DispatchAction::proceed(),
        }
    }

    async fn on_outcome(&self, context: &HookContext, event: OutcomeEvent<'_>) -> OutcomeAction {
        if !matches!(event.kind, EffectKind::Completion { .. }) {
            return OutcomeAction::proceed();
        }
        let asked = context.scratchpad().get::<Asked>();
        let Some(turn) = asked.and_then(|asked| held(&asked.0).take()) else {
            return OutcomeAction::proceed();
        };
        let guard = self.guard.guard();
        let told = match (event.completion(), event.outcome) {
            (Some(response), _) => {
                let usage = Usage {
                    tokens_in: response.usage.input_tokens,
                    tokens_out: response.usage.output_tokens,
                };
                guard.after_model(turn, &reply(response), usage).await
            }
            (None, Err(report)) => {
                let kind = failure::kind_of_report(report);
                let said = kind.map_or_else(|| FAILED.to_owned(), |kind| kind.to_string());
                guard.model_failed(turn, &said).await
            }
            (None, Ok(_)) => guard.model_failed(turn, FAILED).await,
        };
        match told {
            Ok(()) => OutcomeAction::proceed(),
            Err(stop) => OutcomeAction::stop(self.guard.stop(stop)),
        }
    }

    fn observes(&self, kind: StepEventKind) -> bool {
        matches!(
            kind,
            StepEventKind::RunStart
                | StepEventKind::CompletionCall
                | StepEventKind::CompletionDispatch
                | StepEventKind::ToolDispatch
        )
    }
}

/// Gives a model that called what it was not shown, or in no form that can be read, the guard's own
/// refusal; the audit has it.
pub(crate) struct Refusing(pub(crate) RigGuard);

impl AgentHook for Refusing {
    async fn on_invalid_tool_call(
        &self,
        _context: &HookContext,
        event: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        let Self(guard) = self;
        if guard.is_rule_tool(&event.tool_name) {
            return None;
        }
        let arguments = event.args.clone().unwrap_or_default();
        let outcome = guard.call(event.tool_name.clone(), arguments).await;
        Some(InvalidToolCallAction::skip(outcome.for_model()))
    }

    fn observes(&self, kind: StepEventKind) -> bool {
        kind == StepEventKind::InvalidToolCall
    }
}

impl RigGuard {
    /// The tools that the model is shown now.
    fn visible(&self) -> Vec<String> {
        let schemas = self.guard().visible_schemas(&self.context().phase);
        let guarded = schemas
            .iter()
            .filter_map(|schema| schema.get("name").and_then(Value::as_str));
        let rule_tools = TaskTools::specs().map(|tool| tool.name);
        let rule_tools = rule_tools.into_iter().filter(|_| self.rule_tools);
        guarded.chain(rule_tools).map(str::to_owned).collect()
    }

    fn is_rule_tool(&self, name: &str) -> bool {
        self.rule_tools && TaskTools::has(name)
    }

    fn lets_pass(&self, name: &str) -> bool {
        self.has(name) || self.is_rule_tool(name)
    }

    /// The request as it may be sent: within its tokens, its conversation fitted, paid for at the
    /// worst.
    async fn admit(
        &self,
        context: &HookContext,
        mut request: CompletionRequest,
    ) -> Result<CompletionRequest, Stop> {
        let mut model = self.inner.model.clone();
        if let Some(other) = &request.model {
            model.model.clone_from(other);
        }
        let most = request.max_tokens.unwrap_or(model.max_tokens_out);
        model.max_tokens_out = model.max_tokens_out.min(most);
        request.max_tokens = Some(model.max_tokens_out);

        let Fitted { mut messages, fit } = fit(&request, self.guard().tools());
        let turn = self
            .guard()
            .before_model(&self.context(), &model, &mut messages)
            .await?;
        fit.apply(&messages, &mut request.chat_history);
        let asked = context.scratchpad().get::<Asked>().unwrap_or_default();
        *held(&asked.0) = Some(turn);
        context.scratchpad().insert(asked);
        Ok(request)
    }
}

/// The prompt with its words replaced by one fenced text; `None` if there are none.
fn fenced_prompt(prompt: &Message, fenced: &str) -> Option<Message> {
    let Message::User { content } = prompt else {
        return None;
    };
    let others = content
        .iter()
        .filter(|part| !matches!(part, UserContent::Text(_)))
        .cloned();
    let content = std::iter::once(UserContent::text(fenced)).chain(others);
    Some(Message::User {
        content: content.collect(),
    })
}

fn reply(response: &CompletionResponse) -> ModelReply {
    let calls = response.choice.iter().filter_map(|part| match part {
        AssistantContent::ToolCall(call) => Some(ToolCall {
            id: call.id.to_string(),
            name: call.function.name.to_string(),
            arguments: call.function.arguments_value().to_string(),
        }),
        _ => None,
    });
    ModelReply {
        content: response.text(),
        calls: calls.collect(),
        finish: match response.finish_reason() {
            Some(FinishReason::Stop) => "stop".to_owned(),
            Some(FinishReason::Length) => "length".to_owned(),
            Some(FinishReason::ToolCalls) => "tool_calls".to_owned(),
            Some(FinishReason::ContentFilter) => "content_filter".to_owned(),
            Some(FinishReason::Other(reason)) => reason,
            _ => String::new(),
        },
    }
}
