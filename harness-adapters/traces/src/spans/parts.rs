//! The parts of a message: texts, calls and results, in the words of whoever wrote them.

use std::collections::HashSet;

use serde_json::Value;

use super::said::{MAX_DEPTH, Said, SaidCall};

/// Texts, calls and results in a content that is text or a list of parts.
pub(super) fn parts(content: &Value, depth: usize, texts: &mut Vec<String>, said: &mut Said) {
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

pub(super) fn calls(value: Option<&Value>, found: &mut Vec<SaidCall>) {
    match value {
        Some(Value::Array(list)) => found.extend(list.iter().filter_map(call)),
        Some(value @ Value::Object(_)) => found.extend(call(value)),
        _ => {}
    }
}

/// A call: `{function: {name, arguments}, id}`, or flat, with the words of whoever wrote it.
pub(super) fn call(value: &Value) -> Option<SaidCall> {
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
pub(super) fn dedup(calls: &mut Vec<SaidCall>) {
    let mut seen = HashSet::new();
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

pub(super) fn text_of(value: &Value, name: &str) -> Option<String> {
    value
        .get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}
