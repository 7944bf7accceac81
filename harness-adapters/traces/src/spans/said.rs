//! What was said, in whichever form a span has it: messages of OpenAI, Anthropic, Gemini and
//! LangChain, the parts of `gen_ai.*`, a message that is wrapped in a response, or plain text.
//!
//! Everything is read leniently: a form that is not known says nothing.

use serde_json::Value;

/// Wrappers in wrappers, JSON in text among them.
const MAX_DEPTH: usize = 8;
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
    let parts = inner.as_ref().unwrap_or(value).get("content");
    let mut texts = Vec::new();
    if let Some(list @ Value::Array(_)) = parts {
        self::parts(list, 0, &mut texts, &mut Said::default());
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
        .or_else(|| {
            // A list of batches of generations, as chains record them.
            first("generations")
        })
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

/// Texts, calls and results in a content that is text or a list of parts.
fn parts(content: &Value, depth: usize, texts: &mut Vec<String>, said: &mut Said) {
    match content {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(list) if depth < MAX_DEPTH => {
            for part in list {
                self::part(part, depth, texts, said);
            }
        }
        Value::Object(_) if depth < MAX_DEPTH => self::part(content, depth, texts, said),
        _ => {}
    }
}

fn part(part: &Value, depth: usize, texts: &mut Vec<String>, said: &mut Said) {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or("text");
    let result = ["functionResponse", "function_response"]
        .iter()
        .find_map(|name| part.get(*name));
    if matches!(kind, "tool_use" | "tool_call" | "tool-call") {
        said.calls.extend(call(part));
    } else if let Some(inner) = part
        .get("functionCall")
        .or_else(|| part.get("function_call"))
    {
        said.calls.extend(call(inner));
    } else if matches!(kind, "tool_result" | "tool_call_response" | "tool-result")
        || result.is_some()
    {
        let id = ["tool_use_id", "toolCallId", "id"]
            .iter()
            .find_map(|name| id_of(part.get(*name)?));
        let told = result
            .or_else(|| part.get("content"))
            .or_else(|| part.get("response"))
            .or_else(|| part.get("result"))
            .or_else(|| part.get("output"));
        if let (Some(id), Some(told)) = (id, told) {
            let mut inner = Vec::new();
            parts(told, depth + 1, &mut inner, &mut Said::default());
            let text = if inner.is_empty() {
                told.to_string()
            } else {
                inner.join("\n")
            };
            said.results.push((id, text));
        }
    } else if let Value::String(text) = part {
        texts.push(text.clone());
    } else {
        let inner = part.get("message_content").unwrap_or(part);
        for name in ["text", "content"] {
            if let Some(content) = inner.get(name) {
                return parts(content, depth + 1, texts, said);
            }
        }
    }
}

fn calls(value: Option<&Value>, found: &mut Vec<SaidCall>) {
    match value {
        Some(Value::Array(list)) => found.extend(list.iter().filter_map(call)),
        Some(value @ Value::Object(_)) => found.extend(call(value)),
        _ => {}
    }
}

/// A call: `{function: {name, arguments}, id}`, or flat, with the words of whoever wrote it.
fn call(value: &Value) -> Option<SaidCall> {
    let outer = value.get("tool_call").unwrap_or(value);
    let inner = outer.get("function").unwrap_or(outer);
    let name = ["name", "toolName", "tool_name"]
        .iter()
        .find_map(|name| text_of(inner, name))?;
    let arguments = ["arguments", "args", "input"]
        .iter()
        .find_map(|name| inner.get(*name));
    // A tool that answers has a name too, and no arguments.
    let calls = arguments.is_some() || outer.get("function").is_some();
    calls.then(|| SaidCall {
        id: ["id", "toolCallId", "tool_call_id"]
            .iter()
            .find_map(|name| id_of(outer.get(*name)?)),
        name,
        arguments: arguments.cloned(),
    })
}

/// The same calls may stand in a message twice, in two forms.
fn dedup(calls: &mut Vec<SaidCall>) {
    let mut seen = std::collections::HashSet::new();
    calls.retain(|call| call.id.as_ref().is_none_or(|id| seen.insert(id.clone())));
}

/// An id is text; where it is something else, its JSON.
fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn text_of(value: &Value, name: &str) -> Option<String> {
    value
        .get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
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
