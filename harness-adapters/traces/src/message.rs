//! One message, read from JSON: of OpenAI's chat completions, or of Anthropic's messages, whose
//! calls and results are parts of the content.

use serde_json::Value;

use crate::reader::type_of;
use crate::unreadable::Reason;

/// A message by what it means for a turn.
pub(crate) enum Message<'v> {
    /// The host's own instructions (system, developer).
    Instruction,
    /// The user spoke; empty where they sent something else than text.
    User(String),
    /// The agent spoke, called tools, or both; tools that run where the model does have answered
    /// in the same message.
    Agent {
        text: String,
        calls: Vec<Call<'v>>,
        results: Vec<ToolResult<'v>>,
    },
    /// Tools answered.
    Results(Vec<ToolResult<'v>>),
}

/// A tool call.
pub(crate) struct Call<'v> {
    /// Its id, which may be used again later in a conversation; legacy calls have none.
    pub(crate) id: Option<&'v str>,
    pub(crate) name: &'v str,
    pub(crate) arguments: RawArguments<'v>,
}

/// The arguments of a call as they came.
pub(crate) enum RawArguments<'v> {
    /// Text that should be a JSON object.
    Json(&'v str),
    /// A value that was parsed with the message.
    Value(&'v Value),
    /// Text that was never meant to be an object, such as a custom tool's.
    Free(&'v str),
    /// None were given.
    None,
}

/// A tool's result.
pub(crate) struct ToolResult<'v> {
    pub(crate) id: Option<&'v str>,
    pub(crate) name: Option<&'v str>,
    pub(crate) text: String,
    /// Whether the message itself, not its text, says that the call failed.
    pub(crate) failed: bool,
}

/// Reads a message. What is wrong with a part of it goes to `report` and costs that part; what is
/// wrong with the whole is the error.
pub(crate) fn read<'v>(
    value: &'v Value,
    report: &mut impl FnMut(Reason),
) -> Result<Message<'v>, Reason> {
    if !value.is_object() {
        return Err(Reason::WrongType {
            what: "message",
            found: type_of(value),
            expected: "an object",
        });
    }
    match required_text(value, "role")? {
        "system" | "developer" => Ok(Message::Instruction),
        "user" => {
            let results = results_in_parts(value, report);
            if results.is_empty() {
                return Ok(Message::User(content(value, report)?));
            }
            // What stands beside a result is no new request: the agent is still at work.
            Ok(Message::Results(results))
        }
        "assistant" => {
            let mut text = content(value, report)?;
            if let (true, Some(refusal)) = (text.is_empty(), optional_text(value, "refusal")) {
                refusal.clone_into(&mut text);
            }
            let mut calls = calls(value, report);
            calls.extend(calls_in_parts(value, report));
            Ok(Message::Agent {
                text,
                calls,
                results: results_in_parts(value, report),
            })
        }
        "tool" | "function" => Ok(Message::Results(vec![ToolResult {
            id: optional_text(value, "tool_call_id"),
            name: optional_text(value, "name"),
            text: content(value, report)?,
            failed: value.get("is_error").and_then(Value::as_bool) == Some(true)
                || optional_text(value, "status") == Some("error"),
        }])),
        other => Err(Reason::UnknownRole(
            other.chars().take(MAX_QUOTED).collect(),
        )),
    }
}

/// Characters of an unknown role that are kept for its report.
const MAX_QUOTED: usize = 64;

fn required_text<'v>(value: &'v Value, key: &'static str) -> Result<&'v str, Reason> {
    match value.get(key) {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(Reason::WrongType {
            what: key,
            found: type_of(other),
            expected: "a string",
        }),
        None => Err(Reason::Missing(key)),
    }
}

fn optional_text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// The text of a message: a string, nothing, or the text parts of a list of parts.
fn content(value: &Value, report: &mut impl FnMut(Reason)) -> Result<String, Reason> {
    match value.get("content") {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => {
            let mut texts = Vec::new();
            for part in parts {
                match part {
                    Value::String(text) => texts.push(text.as_str()),
                    // Images, sound and files have no text of their own: nothing is lost.
                    Value::Object(object) => texts.extend(
                        ["text", "refusal"]
                            .into_iter()
                            .find_map(|key| object.get(key).and_then(Value::as_str)),
                    ),
                    other => report(Reason::WrongType {
                        what: "content part",
                        found: type_of(other),
                        expected: "an object with `text`",
                    }),
                }
            }
            Ok(texts.join("\n"))
        }
        Some(other) => Err(Reason::WrongType {
            what: "content",
            found: type_of(other),
            expected: "a string, null or a list of parts",
        }),
    }
}

/// The calls of a message, of today's form and of the legacy one.
fn calls<'v>(value: &'v Value, report: &mut impl FnMut(Reason)) -> Vec<Call<'v>> {
    let today = match value.get("tool_calls") {
        None | Some(Value::Null) => [].as_slice(),
        Some(Value::Array(list)) => list.as_slice(),
        Some(other) => {
            report(Reason::WrongType {
                what: "tool_calls",
                found: type_of(other),
                expected: "a list",
            });
            &[]
        }
    };
    let legacy = value.get("function_call").filter(|call| !call.is_null());
    let functions = today.iter().map(|call| {
        let id = optional_text(call, "id");
        match (call.get("function"), call.get("custom")) {
            (Some(function), _) => self::call(id, function),
            (None, Some(custom)) => Ok(Call {
                id,
                name: required_text(custom, "name")?,
                arguments: optional_text(custom, "input")
                    .map_or(RawArguments::None, RawArguments::Free),
            }),
            (None, None) => Err(Reason::Missing("function")),
        }
    });
    functions
        .chain(legacy.map(|function| self::call(None, function)))
        .filter_map(|call| call.map_err(&mut *report).ok())
        .collect()
}

/// The parts of a message whose type ends in `kind`: `tool_use` is also `server_tool_use`, and a
/// search that runs where the model does answers with a `web_search_tool_result`.
fn parts<'v>(value: &'v Value, kind: &'static str) -> impl Iterator<Item = &'v Value> {
    let parts = value.get("content").and_then(Value::as_array);
    parts
        .into_iter()
        .flatten()
        .filter(move |part| optional_text(part, "type").is_some_and(|found| found.ends_with(kind)))
}

fn calls_in_parts<'v>(value: &'v Value, report: &mut impl FnMut(Reason)) -> Vec<Call<'v>> {
    parts(value, "tool_use")
        .map(|part| {
            Ok(Call {
                id: optional_text(part, "id"),
                name: required_text(part, "name")?,
                arguments: part
                    .get("input")
                    .map_or(RawArguments::None, RawArguments::Value),
            })
        })
        .filter_map(|call: Result<Call<'v>, Reason>| call.map_err(&mut *report).ok())
        .collect()
}

fn results_in_parts<'v>(value: &'v Value, report: &mut impl FnMut(Reason)) -> Vec<ToolResult<'v>> {
    let mut results = Vec::new();
    for part in parts(value, "tool_result") {
        let kept = content(part, &mut *report).map(|text| ToolResult {
            id: optional_text(part, "tool_use_id"),
            name: None,
            text,
            failed: part.get("is_error").and_then(Value::as_bool) == Some(true),
        });
        match kept {
            Ok(result) => results.push(result),
            Err(reason) => report(reason),
        }
    }
    results
}

fn call<'v>(id: Option<&'v str>, function: &'v Value) -> Result<Call<'v>, Reason> {
    let arguments = match function.get("arguments") {
        None | Some(Value::Null) => RawArguments::None,
        Some(Value::String(text)) => RawArguments::Json(text),
        Some(other) => RawArguments::Value(other),
    };
    Ok(Call {
        id,
        name: required_text(function, "name")?,
        arguments,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reports(value: &Value) -> Vec<String> {
        let mut reports = Vec::new();
        if let Err(reason) = read(value, &mut |reason| reports.push(reason.to_string())) {
            reports.push(reason.to_string());
        }
        reports
    }

    fn calls_of(value: &Value) -> Vec<(Option<String>, String)> {
        match read(value, &mut |_| ()) {
            Ok(Message::Agent { calls, .. }) => calls
                .iter()
                .map(|call| (call.id.map(str::to_owned), call.name.to_owned()))
                .collect(),
            _ => panic!("no message of an agent"),
        }
    }

    #[test]
    fn content_is_a_string_nothing_or_the_text_parts_of_a_list() {
        for (content, text) in [
            (json!("a"), "a"),
            (json!(null), ""),
            (
                json!([{"type": "text", "text": "a"}, {"type": "image_url"}, "b"]),
                "a\nb",
            ),
            (json!([]), ""),
        ] {
            let message = json!({"role": "user", "content": content});
            match read(&message, &mut |_| ()) {
                Ok(Message::User(found)) => assert_eq!(found, text),
                _ => panic!("no message of a user"),
            }
        }
    }

    #[test]
    fn calls_of_every_form_are_read() {
        let message = json!({
            "role": "assistant",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "move", "arguments": "{}"}},
                {"id": "2", "type": "custom", "custom": {"name": "note", "input": "x"}},
            ],
            "function_call": {"name": "look", "arguments": "{}"},
        });
        let named = |id: Option<&str>, name: &str| (id.map(str::to_owned), name.to_owned());
        assert_eq!(
            calls_of(&message),
            [
                named(Some("1"), "move"),
                named(Some("2"), "note"),
                named(None, "look")
            ]
        );
    }

    #[test]
    fn calls_and_results_may_be_parts_of_the_content() {
        let asked = json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "where is it"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "1", "name": "move", "input": {"to": "shelf"}},
            {"type": "server_tool_use", "id": "2", "name": "search", "input": {}},
            {"type": "search_tool_result", "tool_use_id": "2", "content": "a box"},
        ]});
        let Ok(Message::Agent {
            text,
            calls,
            results,
        }) = read(&asked, &mut |_| ())
        else {
            panic!("no message of an agent");
        };
        assert_eq!(text, "I look.");
        let names: Vec<&str> = calls.iter().map(|call| call.name).collect();
        assert_eq!((names, results.len()), (vec!["move", "search"], 1));

        let answered = json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "1", "is_error": true,
             "content": [{"type": "text", "text": "no shelf"}]},
            {"type": "text", "text": "beside it"},
        ]});
        let Ok(Message::Results(results)) = read(&answered, &mut |_| ()) else {
            panic!("no results");
        };
        let told: Vec<_> = results
            .iter()
            .map(|result| (result.id, result.text.as_str(), result.failed))
            .collect();
        assert_eq!(told, [(Some("1"), "no shelf", true)]);

        let spoken = json!({"role": "user", "content": [{"type": "text", "text": "hello"}]});
        assert!(matches!(read(&spoken, &mut |_| ()), Ok(Message::User(text)) if text == "hello"));
    }

    #[test]
    fn a_part_that_is_wrong_costs_the_part() {
        let message = json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": "1", "input": {}},
            {"type": "tool_use", "id": "2", "name": "move", "input": {}},
        ]});
        assert_eq!(reports(&message), ["`name` is missing"]);
        assert_eq!(calls_of(&message).len(), 1);
    }

    #[test]
    fn what_is_wrong_is_named_and_the_rest_is_kept() {
        let message = json!({
            "role": "assistant",
            "content": ["a", 3],
            "tool_calls": [{"id": "1"}, {"id": "2", "function": {"name": "move"}}],
        });
        assert_eq!(
            reports(&message),
            [
                "`content part` is a number, an object with `text` was expected",
                "`function` is missing",
            ]
        );
        assert_eq!(calls_of(&message).len(), 1);
    }

    #[test]
    fn a_message_of_another_shape_is_refused_with_what_was_expected() {
        for (message, report) in [
            (json!(3), "`message` is a number, an object was expected"),
            (json!({}), "`role` is missing"),
            (
                json!({"role": 1}),
                "`role` is a number, a string was expected",
            ),
            (
                json!({"role": "user", "content": {}}),
                "`content` is an object, a string, null or a list of parts was expected",
            ),
            (
                json!({"role": "ma\u{1b}nager"}),
                "`ma\\u{1b}nager` is no role: `system`, `developer`, `user`, `assistant`, `tool` \
                 or `function` was expected",
            ),
        ] {
            assert_eq!(reports(&message), [report], "{message}");
        }
    }
}
