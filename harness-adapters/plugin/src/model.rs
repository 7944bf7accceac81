//! A plugin as the model of the repair agent.

use std::sync::Arc;

use async_trait::async_trait;
use harness_core::{CleanString, Untrusted};
use harness_engine::EvaluationError;
use harness_repair::{
    Exchange, ModelCall, ModelError, ModelReply, ModelRequest, RepairModel, StopReason,
};
use serde_json::{Value, json};

use crate::answer::clean;
use crate::plugged::Plugged;

/// Calls of one reply that are read; the repair agent has bounds of its own.
const MAX_CALLS: usize = 64;

/// A plugin that repairs. What it says is untrusted, as every model's words are: it goes to the
/// repair agent, which gates it, and it has that agent's tools and no other.
pub struct PluginModel(Arc<dyn Plugged>);

impl PluginModel {
    /// Has `plugin` repair, if it declares that it does.
    pub fn new(plugin: Arc<impl Plugged>) -> Option<Self> {
        plugin.declared().repairs.then_some(Self(plugin))
    }
}

#[async_trait]
impl RepairModel for PluginModel {
    fn name(&self) -> CleanString {
        clean(format!("plugin {}", self.0.declared().name))
    }

    async fn reply(&self, request: ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let said = self
            .0
            .ask(asked(&request))
            .await
            .map_err(|error| match error {
                EvaluationError::Unavailable(_) => ModelError::Unavailable,
                EvaluationError::Unscorable(_) => ModelError::Rejected,
            })?;
        reply(&said).ok_or(ModelError::Malformed)
    }
}

fn asked(request: &ModelRequest<'_>) -> Value {
    let exchange: Vec<Value> = request.exchange.iter().map(step).collect();
    let tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            })
        })
        .collect();
    json!({
        "do": "reply",
        "prompt": request.prompt.render(),
        "exchange": exchange,
        "tools": tools,
        "max_output_tokens": request.max_output_tokens,
        "temperature": request.temperature,
        "reasoning_effort": request.reasoning_effort,
    })
}

fn step(step: &Exchange) -> Value {
    match step {
        Exchange::Reply { text, calls } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| {
                    json!({
                        "id": call.id.as_str(),
                        "name": call.name.as_str(),
                        "arguments": call.arguments.as_str(),
                    })
                })
                .collect();
            json!({ "reply": { "text": text.as_str(), "calls": calls } })
        }
        Exchange::Answers(answers) => {
            let answers: Vec<Value> = answers
                .iter()
                .map(|answer| {
                    json!({
                        "call_id": answer.call_id.as_str(),
                        "name": answer.name.as_str(),
                        "content": answer.content.as_str(),
                    })
                })
                .collect();
            json!({ "answers": answers })
        }
        Exchange::Reminder(text) => json!({ "reminder": text }),
    }
}

/// A reply: `{text, calls: [{id, name, arguments}], output_tokens, stop}`. Tokens that are not
/// reported are none that were not used.
fn reply(said: &Value) -> Option<ModelReply> {
    let text =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let calls = match said.get("calls") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(calls)) => calls
            .iter()
            .take(MAX_CALLS)
            .map(|call| {
                Some(ModelCall {
                    id: Untrusted::new(text(call, "id").unwrap_or_default()),
                    name: Untrusted::new(text(call, "name")?),
                    arguments: Untrusted::new(match call.get("arguments")? {
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    }),
                })
            })
            .collect::<Option<_>>()?,
        Some(_) => return None,
    };
    Some(ModelReply {
        text: Untrusted::new(text(said, "text").unwrap_or_default()),
        calls,
        output_tokens: said.get("output_tokens").and_then(Value::as_u64),
        stop: match said.get("stop").and_then(Value::as_str) {
            None | Some("complete") => StopReason::Complete,
            Some("truncated") => StopReason::Truncated,
            Some("refused") => StopReason::Refused,
            Some(_) => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_read_and_what_is_none_is_malformed() {
        let said = json!({
            "text": "I add one.", "output_tokens": 7, "stop": "truncated",
            "calls": [{"id": "1", "name": "harness_rule_add", "arguments": {"rule": "look first"}}],
        });
        let read = reply(&said).unwrap();
        assert_eq!((read.calls.len(), read.output_tokens), (1, Some(7)));
        assert_eq!(read.stop, StopReason::Truncated);
        let silent = reply(&json!({})).unwrap();
        assert_eq!((silent.calls.len(), silent.output_tokens), (0, None));
        for bad in [
            json!({"calls": 3}),
            json!({"calls": [{"name": "x"}]}),
            json!({"calls": [{"arguments": "{}"}]}),
            json!({"stop": "whenever"}),
        ] {
            assert!(reply(&bad).is_none(), "{bad}");
        }
    }
}
