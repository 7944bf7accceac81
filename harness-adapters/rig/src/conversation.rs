//! A repair request as rig's models take it.
//!
//! The exchange is rebuilt from what passed the gate, call by call, under ids of ours: what a model
//! made up as an id, or as a tool's name, never decides whether the next request is accepted.

use harness_repair::{Answer, Asked, Exchange, ModelRequest};
use rig_core::completion::{
    CompletionRequest, Effort, GenerationOptions, OnUnsupported, Reasoning, ToolDefinition,
};
use rig_core::message::{
    AssistantContent, CallId, Message, ToolCall, ToolFunction, ToolName, ToolResultContent,
};

/// What the model is told first, since a conversation starts with a user.
const OPENING: &str = "Work on your episode. Begin with harness_notice_read.";
/// What stands for a tool's name that no provider would take back.
const UNNAMED: &str = "unnamed_tool";
/// Bytes of a tool's name that every provider takes.
const MAX_NAME: usize = 64;

/// The request; `None` if a tool had no name, which none of ours and none that is sent back lacks.
pub(crate) fn request(asked: ModelRequest<'_>) -> Option<CompletionRequest> {
    let mut messages = vec![Message::user(OPENING)];
    let mut calls = Vec::new();
    for (step, at) in asked.exchange.iter().zip(0u32..) {
        match step {
            Exchange::Reply { text, calls: said } => {
                let said = said.iter().zip(0u32..);
                calls = said
                    .map(|(call, nth)| again(call, at, nth))
                    .collect::<Option<_>>()?;
                let content = reply(text.as_str(), &calls);
                if !content.is_empty() {
                    messages.push(Message::from(content));
                }
            }
            Exchange::Answers(answers) => messages.push(Message::tool_results(
                calls
                    .iter()
                    .zip(answers)
                    .map(|(call, answer)| call.result(said(answer)))
                    .collect(),
            )),
            Exchange::Reminder(text) => messages.push(Message::user(*text)),
        }
    }
    let last = messages.pop()?;
    let tools = asked
        .tools
        .iter()
        .map(|tool| {
            let name = ToolName::new(tool.name).ok()?;
            Some(ToolDefinition::new(
                name,
                tool.description,
                tool.parameters.clone(),
            ))
        })
        .collect::<Option<Vec<_>>>()?;
    let mut request = CompletionRequest::new(last)
        .messages(messages)
        .preamble(asked.prompt.render())
        .tools(tools)
        .max_tokens(asked.max_output_tokens)
        .temperature(asked.temperature);
    if let Some(reasoning) = asked.reasoning_effort.and_then(reasoning) {
        request.options = GenerationOptions::default()
            .reasoning(reasoning)
            .on_unsupported(OnUnsupported::Ignore);
    }
    Some(request)
}

fn reply(text: &str, calls: &[ToolCall]) -> Vec<AssistantContent> {
    let text = (!text.trim().is_empty()).then(|| AssistantContent::text(text));
    let calls = calls.iter().cloned().map(AssistantContent::ToolCall);
    text.into_iter().chain(calls).collect()
}

/// A call as it was taken up. Its id is nine letters and digits, which every provider takes.
fn again(call: &Asked, step: u32, nth: u32) -> Option<ToolCall> {
    let id = CallId::from_wire(format!("call{:03}{:02}", step % 1000, nth % 100));
    let name = ToolName::new(plain(call.name.as_str())).ok()?;
    Some(ToolCall::new(
        id,
        ToolFunction::parse(name, call.arguments.as_str()),
    ))
}

/// The name with what not every provider takes replaced.
fn plain(name: &str) -> String {
    let name = if name.is_empty() { UNNAMED } else { name };
    name.chars()
        .take(MAX_NAME)
        .map(|ch| {
            if ch.is_ascii_alphanumeric() || ch == '-' {
                ch
            } else {
                '_'
            }
        })
        .collect()
}

fn said(answer: &Answer) -> Vec<ToolResultContent> {
    vec![ToolResultContent::text(answer.content.as_str())]
}

fn reasoning(word: &str) -> Option<Reasoning> {
    Some(match word {
        "none" => Reasoning::Off,
        "minimal" => Effort::Minimal.into(),
        "low" => Effort::Low.into(),
        "medium" => Effort::Medium.into(),
        "high" => Effort::High.into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use harness_core::{CleanString, CleanText, Prompt};
    use harness_repair::repair_tools;

    use super::*;

    fn text(text: &str) -> CleanString {
        CleanText::new(text.to_owned()).unwrap()
    }

    fn asked(name: &str, arguments: &str) -> Asked {
        Asked {
            id: text("x"),
            name: text(name),
            arguments: text(arguments),
        }
    }

    fn answer(content: &str) -> Answer {
        Answer {
            call_id: text("x"),
            name: text(""),
            content: text(content),
        }
    }

    fn built(exchange: &[Exchange]) -> CompletionRequest {
        let prompt = Prompt::new().trusted("Repair.");
        request(ModelRequest {
            prompt: &prompt,
            exchange,
            tools: repair_tools(),
            max_output_tokens: 99,
            temperature: Some(0.5),
            reasoning_effort: Some("low"),
        })
        .unwrap()
    }

    #[test]
    fn a_first_request_has_the_prompt_the_tools_and_the_bounds() {
        let request = built(&[]);
        assert_eq!(request.system_instructions(), Some("Repair."));
        assert_eq!(request.chat_history.last(), Some(&Message::user(OPENING)));
        assert_eq!(request.chat_history.len(), 2);
        assert_eq!(request.tools.len(), repair_tools().len());
        assert_eq!(
            (request.max_tokens, request.temperature),
            (Some(99), Some(0.5))
        );
        assert_eq!(request.options.reasoning, Some(Effort::Low.into()));
        assert!(request.validate_message_content().is_ok());
    }

    #[test]
    fn calls_and_answers_go_back_in_order_under_ids_of_ours() {
        let calls = vec![
            asked("harness_notice_read", "{}"),
            asked("a b\u{e9}!", "{\"a\": 1"),
            asked("", "[]"),
        ];
        let answers = vec![answer("one"), answer("two"), answer("three")];
        let request = built(&[
            Exchange::Reply {
                text: text("look"),
                calls,
            },
            Exchange::Answers(answers),
            Exchange::Reply {
                text: text(" "),
                calls: Vec::new(),
            },
            Exchange::Reminder("go on"),
        ]);
        let [
            _,
            _,
            Message::Assistant(said),
            Message::User { content: results },
            reminder,
        ] = request.chat_history.as_slice()
        else {
            panic!("{:?}", request.chat_history)
        };
        let said: Vec<_> = said.tool_calls().collect();
        let names: Vec<&str> = said
            .iter()
            .map(|call| call.function.name.as_str())
            .collect();
        assert_eq!(names, ["harness_notice_read", "a_b__", UNNAMED]);
        let ids: Vec<_> = said
            .iter()
            .map(|call| call.id.wire().into_owned())
            .collect();
        assert_eq!(ids, ["call00000", "call00001", "call00002"]);
        assert_eq!(results.len(), 3);
        assert_eq!(reminder, &Message::user("go on"));
        assert!(request.validate_message_content().is_ok());
    }
}
