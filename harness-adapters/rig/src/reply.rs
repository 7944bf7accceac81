//! What a model of rig replied, as the repair agent takes it: untouched, and untrusted.

use harness_core::Untrusted;
use harness_repair::{ModelCall, ModelReply, StopReason};
use rig_core::completion::{CompletionResponse, FinishReason, Usage};
use rig_core::message::ToolCall;

/// The reply.
pub(crate) fn reply(response: &CompletionResponse) -> ModelReply {
    let text = response.text();
    let calls: Vec<ModelCall> = response.tool_calls().map(call).collect();
    let is_empty = text.is_empty() && calls.is_empty();
    ModelReply {
        output_tokens: output_tokens(&response.usage, is_empty),
        stop: stop(response),
        text: Untrusted::new(text),
        calls,
    }
}

/// A reply that declined and said nothing that is needed.
pub(crate) const fn declined() -> ModelReply {
    ModelReply {
        text: Untrusted::new(String::new()),
        calls: Vec::new(),
        output_tokens: None,
        stop: StopReason::Refused,
    }
}

fn call(call: &ToolCall) -> ModelCall {
    let function = &call.function;
    let arguments = match &function.invalid_arguments {
        Some(said) => said.clone(),
        None => function.arguments_value().to_string(),
    };
    ModelCall {
        id: Untrusted::new(call.id.wire().into_owned()),
        name: Untrusted::new(function.name.as_str().to_owned()),
        arguments: Untrusted::new(arguments),
    }
}

/// Output tokens, those of reasoning among them. Something was said with no token at all: that is
/// a server which does not count, and "not reported" is not zero.
fn output_tokens(usage: &Usage, is_empty: bool) -> Option<u64> {
    let output = usage
        .output_tokens?
        .max(usage.reasoning_tokens.unwrap_or(0));
    (output > 0 || is_empty).then_some(output)
}

fn stop(response: &CompletionResponse) -> StopReason {
    if response.error.is_some() {
        return StopReason::Refused;
    }
    if response.aborted.is_some() {
        return StopReason::Truncated;
    }
    match response.finish_reason() {
        Some(FinishReason::ContentFilter) => StopReason::Refused,
        Some(FinishReason::Length) => StopReason::Truncated,
        // A word that rig does not know is no reason to lose a reply whose calls are checked one
        // by one, as every other's are.
        Some(_) | None => StopReason::Complete,
    }
}
