//! The four tools of a task agent, as models are told of them and as loops call them.

use std::sync::Arc;

use harness_core::TASK_TOOLS;
use harness_rules::{TaskToolset, ToolSchema, task_tool_schemas};
use harness_sanitize::Intake;
use serde_json::{Value, json};
use tokio::runtime::Handle;

/// The four tools of one session, for the host to hand to its agent. They read; there is nothing
/// else that they could be asked to do.
#[derive(Clone)]
pub struct TaskTools {
    toolset: TaskToolset,
    intake: Arc<Intake>,
    runtime: Handle,
}

impl TaskTools {
    pub(super) const fn new(toolset: TaskToolset, intake: Arc<Intake>, runtime: Handle) -> Self {
        Self {
            toolset,
            intake,
            runtime,
        }
    }

    /// Names, purposes and parameters: constants, about 600 tokens in all.
    pub fn specs() -> [ToolSchema; 4] {
        task_tool_schemas()
    }

    /// The specs as entries of `tools` in an OpenAI chat-completion request.
    pub fn for_openai() -> [Value; 4] {
        Self::specs().map(|tool| {
            json!({
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            })
        })
    }

    /// The specs as entries of `tools` in an Anthropic messages request.
    pub fn for_anthropic() -> [Value; 4] {
        Self::specs().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.parameters,
            })
        })
    }

    /// Whether `name` is one of the four, for a loop that looks where to send a call.
    pub fn has(name: &str) -> bool {
        TASK_TOOLS.contains(&name)
    }

    /// Calls a tool by name, away from the caller's thread. Always answers with a JSON object that
    /// has `ok`; a name that is not one of the four is answered without any effect. A refusal that
    /// quotes the call is redacted.
    pub async fn call(&self, name: &str, arguments: Value) -> Value {
        let (toolset, name) = (self.toolset.clone(), name.to_owned());
        let mut answer = self
            .runtime
            .spawn_blocking(move || toolset.call(&name, &arguments))
            .await
            .unwrap_or_else(|_| json!({ "ok": false, "error": "the host is shutting down" }));
        if let Some(Value::String(error)) = answer.get_mut("error") {
            *error = self.intake.redactor().redact(error).into_owned();
        }
        answer
    }
}
