//! What was said, in whichever form a span has it: messages of OpenAI, Anthropic, Gemini and
//! LangChain, the parts of `gen_ai.*`, a message that is wrapped in a response, or plain text.
//!
//! Everything is read leniently: a form that is not known says nothing.

use serde_json::Value;

use super::parts::{call, calls, dedup, parts, text_of};

/// Wrappers in wrappers, JSON in text among them.
pub(super) const MAX_DEPTH: usize = 8;
/// Messages of one span that are read, from the last back.
const MAX_MESSAGES: usize = 4096;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    System,
    User,
    Agent,
    Tool,
}

/// One message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Said {
    /// Who, where the message says so.
    pub(crate) role: Option<Role>,
    pub(crate) text: String,
    pub(crate) calls: Vec<SaidCall>,
    /// Results by the ids of their calls.
    pub(crate) results: Vec<(String, String)>,
    /// The tool that answers, where the message names it.
    pub(crate) tool: Option<String>,
}

/// A call that a model made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SaidCall {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Option<Value>,
}

/// The messages that `value` holds.
pub(crate) fn read(value: &Value) -> Vec<Said> {
    let mut found = Vec::new();
    collect(value, 0, &mut found);
    found
}

/// The words in `value`: of its messages or parts, else itself as text.
pub(crate) fn words(value: &Value) -> String {
    let inner = match value {
        Value::String(text) => nested(text),
        _ => None,
    };
    let content = inner.as_ref().unwrap_or(value).get("content");
    let mut texts = Vec::new();
    if let Some(list @ Value::Array(_)) = content {
        parts(list, 0, &mut texts, &mut Said::default());
    }
    if !texts.is_empty() {
        return texts.join("\n");
    }
    let found = read(value);
    if found.iter().all(|said| said.role.is_none()) {
        return match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
    }
    let texts: Vec<&str> = found
        .iter()
        .map(|said| said.text.as_str())
        .chain(
            found
                .iter()
                .flat_map(|said| said.results.iter().map(|(_, text)| text.as_str())),
        )
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n")
}

fn collect(value: &Value, depth: usize, found: &mut Vec<Said>) {
    if depth >= MAX_DEPTH || found.len() >= MAX_MESSAGES {
        return;
    }
    match value {
        Value::String(text) => match nested(text) {
            Some(inner) => collect(&inner, depth + 1, found),
            None => found.push(Said {
                text: text.clone(),
                ..Said::default()
            }),
        },
        Value::Array(list) => {
            let skipped = list.len().saturating_sub(MAX_MESSAGES);
            for inner in list.iter().skip(skipped) {
                collect(inner, depth + 1, found);
            }
        }
        Value::Object(_) => {
            if let Some(inner) = wrapped(value) {
                collect(inner, depth + 1, found);
            } else if let Some(said) = message(value) {
                found.push(said);
            }
        }
        _ => {}
    }
}

/// JSON in text, if it is an object or a list.
fn nested(text: &str) -> Option<Value> {
    let looks = text.trim_start().starts_with(['{', '[', '"']);
    let value: Value = looks.then(|| serde_json::from_str(text).ok()).flatten()?;
    (value.is_object() || value.is_array() || value.is_string()).then_some(value)
}

/// What a wrapper holds: a response, a state of a graph, a serialised constructor.
fn wrapped(value: &Value) -> Option<&Value> {
    let has_role = value.get("role").is_some_and(Value::is_string);
    if has_role {
        return None;
    }
    let within = |name: &str| value.get(name).filter(|inner| !inner.is_null());
    let first = |name: &str| within(name)?.as_array()?.first();
    within("messages")
        .or_else(|| first("choices"))
        .or_else(|| first("candidates")?.get("content"))
        .or_else(|| within("contents"))
        .or_else(|| within("message").filter(|inner| inner.is_object()))
        // A list of batches, as chains record them.
        .or_else(|| first("generations"))
}

/// A message, if it says who speaks, or has words or calls.
fn message(value: &Value) -> Option<Said> {
    let role = role(value);
    let inner = value.get("kwargs").filter(|inner| inner.is_object());
    let body = inner.unwrap_or(value);
    let mut said = Said {
        role,
        tool: text_of(body, "name"),
        ..Said::default()
    };
    let content = [
        "content", "parts", "contents", "text", "prompt", "input", "query", "question",
    ]
    .iter()
    .filter_map(|name| body.get(*name))
    .find(|content| !content.is_null());
    if role.is_none() && value.get("prompt").is_some() {
        said.role = Some(Role::User);
    }
    let mut texts = Vec::new();
    if let Some(content) = content {
        parts(content, 0, &mut texts, &mut said);
    }
    said.text = texts.join("\n");
    for name in ["tool_calls", "toolCalls", "function_call"] {
        calls(body.get(name), &mut said.calls);
    }
    calls(
        body.get("additional_kwargs")
            .and_then(|inner| inner.get("tool_calls")),
        &mut said.calls,
    );
    // A list of bare calls, as some record a reply without words.
    if let Some(call) = call(body).filter(|_| role.is_none()) {
        said = Said {
            role: Some(Role::Agent),
            calls: vec![call],
            ..Said::default()
        };
    }
    dedup(&mut said.calls);
    if let (Some(Role::Tool), Some(id)) = (said.role, text_of(body, "tool_call_id")) {
        said.results.push((id, std::mem::take(&mut said.text)));
    }
    let says = said.role.is_some() || !said.text.is_empty() || !said.calls.is_empty();
    says.then_some(said)
}

fn role(value: &Value) -> Option<Role> {
    let constructor = || value.get("id").and_then(Value::as_array)?.last()?.as_str();
    let kwargs = value.get("kwargs");
    let name = value
        .get("role")
        .and_then(Value::as_str)
        .or_else(constructor)
        .or_else(|| value.get("type").and_then(Value::as_str))
        .or_else(|| kwargs?.get("type")?.as_str())?;
    Some(match name.to_ascii_lowercase().as_str() {
        "system" | "developer" | "systemmessage" => Role::System,
        "user" | "human" | "humanmessage" => Role::User,
        "assistant" | "ai" | "model" | "aimessage" | "aimessagechunk" => Role::Agent,
        "tool" | "function" | "toolmessage" => Role::Tool,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Who said what and called what, in a line each.
    fn told(value: &Value) -> Vec<String> {
        read(value)
            .iter()
            .map(|said| {
                let calls: Vec<&str> = said.calls.iter().map(|call| call.name.as_str()).collect();
                let results: Vec<String> = said
                    .results
                    .iter()
                    .map(|(id, text)| format!("{id}={text}"))
                    .collect();
                let role = said.role.map_or("-".to_owned(), |role| format!("{role:?}"));
                format!(
                    "{role} {} {} {}",
                    said.text,
                    calls.join(","),
                    results.join(",")
                )
            })
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn the_same_reply_in_every_form() {
        for value in [
            json!({"role": "assistant", "content": "done", "tool_calls": [
                {"id": "1", "function": {"name": "move", "arguments": "{}"}}]}),
            json!([{"role": "assistant", "parts": [{"type": "text", "content": "done"},
                {"type": "tool_call", "id": "1", "name": "move", "arguments": {}}]}]),
            json!({"role": "assistant", "content": [{"type": "text", "text": "done"},
                {"type": "tool_use", "id": "1", "name": "move", "input": {}}]}),
            json!({"choices": [{"message": {"role": "assistant", "content": "done",
                "tool_calls": [{"id": "1", "function": {"name": "move"}}]}}]}),
            json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "done"},
                {"functionCall": {"name": "move", "args": {}}}]}}]}),
            json!({"messages": [{"lc": 1, "id": ["m", "AIMessage"], "kwargs": {"content": "done",
                "tool_calls": [{"id": "1", "name": "move", "args": {}}],
                "additional_kwargs": {"tool_calls": [
                    {"id": "1", "function": {"name": "move", "arguments": "{}"}}]}}}]}),
            json!([{"message": {"role": "assistant", "content": "done", "tool_calls": [
                {"tool_call": {"id": "1", "function": {"name": "move", "arguments": "{}"}}}]}}]),
            json!({"type": "ai", "content": "done",
                "tool_calls": [{"name": "move", "args": {}, "id": "1"}]}),
        ] {
            assert_eq!(told(&value), ["Agent done move"], "{value}");
            assert_eq!(
                told(&value.to_string().into()),
                ["Agent done move"],
                "{value}"
            );
        }
    }

    #[test]
    fn the_same_result_in_every_form() {
        for value in [
            json!({"role": "tool", "tool_call_id": "1", "content": "moved"}),
            json!({"role": "tool", "parts": [
                {"type": "tool_call_response", "id": "1", "response": "moved"}]}),
            json!({"type": "tool", "name": "move", "tool_call_id": "1", "content": "moved"}),
            json!({"lc": 1, "id": ["m", "ToolMessage"],
                "kwargs": {"content": "moved", "tool_call_id": "1"}}),
        ] {
            assert_eq!(told(&value), ["Tool 1=moved"], "{value}");
            assert_eq!(words(&value), "moved", "{value}");
        }
        let beside = json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "moved"}]}
        ]});
        assert_eq!(told(&beside), ["User 1=moved"]);
    }

    #[test]
    fn what_is_no_message_is_its_own_words() {
        assert_eq!(told(&json!("hello")), ["- hello"]);
        assert_eq!(
            told(&json!({"prompt": "hello", "system": "be brief"})),
            ["User hello"]
        );
        assert_eq!(told(&json!({"city": "oslo"})), [""; 0]);
        assert_eq!(words(&json!({"city": "oslo"})), "{\"city\":\"oslo\"}");
        assert_eq!(words(&json!("a box")), "a box");
        assert_eq!(words(&json!([{"title": "a"}])), "[{\"title\":\"a\"}]");
        let answer = json!({"content": [{"type": "text", "text": "a box"}], "isError": false});
        assert_eq!(words(&answer), "a box");
        assert_eq!(words(&answer.to_string().into()), "a box");
    }

    #[test]
    fn a_deep_wrapper_ends() {
        let mut value = json!("hello");
        for _ in 0..100 {
            value = json!({ "messages": [value] });
        }
        assert_eq!(told(&value), [""; 0]);
    }
}
