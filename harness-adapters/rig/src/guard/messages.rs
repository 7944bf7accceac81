//! A conversation of rig as the guard counts and trims it.

use harness_guard::{Message, MessageRole, SUMMARY_START, ToolCall, Tools};
use rig_core::completion::CompletionRequest;
use rig_core::message::{AssistantContent, Message as RigMessage, ToolResultContent, UserContent};

/// A request in the guard's messages, and the way back.
pub(super) struct Fitted {
    pub(super) messages: Vec<Message>,
    pub(super) fit: Fit,
}

/// Which message of rig each message of the guard's came from.
// INVARIANT: in order, and what one message of rig became stands together.
pub(super) struct Fit(Vec<Source>);

#[derive(Clone, Copy)]
enum Source {
    /// What is sent beside the conversation, counted and never trimmed.
    Beside,
    At(usize),
}

/// The request in the guard's messages. What is sent beside the conversation stands first; the
/// guard counts its own tools by itself.
pub(super) fn fit(request: &CompletionRequest, tools: &Tools) -> Fitted {
    let mut beside = request.clone();
    beside.chat_history.clear();
    beside
        .tools
        .retain(|tool| !tools.names().any(|name| tool.name == *name));
    let mut messages = vec![Message::system(written(&beside))];
    let mut sources = vec![Source::Beside];
    for (at, message) in request.chat_history.iter().enumerate() {
        let before = messages.len();
        match message {
            RigMessage::System { content } => messages.push(Message::system(content.as_str())),
            RigMessage::User { content } => of_user(content, &mut messages),
            RigMessage::Assistant(said) => messages.push(of_assistant(&said.content)),
        }
        sources.extend((before..messages.len()).map(|_| Source::At(at)));
    }
    Fitted {
        messages,
        fit: Fit(sources),
    }
}

impl Fit {
    /// Trims the conversation as the guard trimmed its messages: a summary stands in the place of
    /// those that are gone.
    pub(super) fn apply(&self, kept: &[Message], history: &mut Vec<RigMessage>) {
        let Self(sources) = self;
        let is_summary = |message: &&Message| {
            message.role == MessageRole::System && message.content.starts_with(SUMMARY_START)
        };
        let Some(summary) = kept.iter().find(is_summary) else {
            return;
        };
        let head = kept
            .iter()
            .take_while(|message| !is_summary(message))
            .count();
        let tail = kept.len() - head - 1;
        let at = |index: usize| match sources.get(index) {
            Some(Source::At(at)) => Some(*at),
            Some(Source::Beside) | None => None,
        };
        let end = at(sources.len().saturating_sub(tail)).unwrap_or(history.len());
        if let Some(start) = at(head)
            && kept.len() < sources.len()
            && start < end
        {
            let content = summary.content.clone();
            history.splice(start..end, [RigMessage::System { content }]);
        }
    }
}

/// What a user's message holds: words first, then each result of a tool by itself.
fn of_user(content: &[UserContent], messages: &mut Vec<Message>) {
    let words: Vec<String> = content
        .iter()
        .filter_map(|part| match part {
            UserContent::Text(text) => Some(text.text().to_owned()),
            UserContent::ToolResult(_) => None,
            // As it is sent, so that it is paid for.
            other => Some(written(other)),
        })
        .collect();
    if !words.is_empty() {
        messages.push(Message::user(words.join("\n")));
    }
    messages.extend(content.iter().filter_map(|part| match part {
        UserContent::ToolResult(result) => {
            let said = result.content.iter().map(|part| match part {
                ToolResultContent::Text(text) => text.text().to_owned(),
                ToolResultContent::Json { value } => value.to_string(),
                image @ ToolResultContent::Image(_) => written(image),
            });
            let said: Vec<String> = said.collect();
            Some(Message::tool(result.call.to_string(), said.join("\n")))
        }
        _ => None,
    }));
}

fn of_assistant(content: &[AssistantContent]) -> Message {
    let mut words = Vec::new();
    let mut calls = Vec::new();
    for part in content {
        match part {
            AssistantContent::Text(text) => words.push(text.text().to_owned()),
            AssistantContent::ToolCall(call) => calls.push(ToolCall {
                id: call.id.to_string(),
                name: call.function.name.to_string(),
                arguments: call.function.arguments_value().to_string(),
            }),
            other => words.push(written(other)),
        }
    }
    Message::assistant(words.join("\n"), calls)
}

/// A value as it is sent, about. What cannot be written is not sent either.
fn written(value: &impl rig_core::serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
