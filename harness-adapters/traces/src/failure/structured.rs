//! Results in JSON: the fields in which a failure is announced.

use harness_core::ErrorClass;
use serde_json::{Map, Value};

use super::text;
use crate::class;

/// How the call failed, if a field says that it did.
pub(super) fn classify(value: &Value) -> Option<ErrorClass> {
    match value {
        Value::Object(object) => of_object(object),
        Value::String(text) => text::classify(text.trim()),
        // A list is an answer, unless it is a list of parts of which the first is an error.
        Value::Array(parts) => text::classify(parts.first().and_then(text_of_part)?.trim()),
        _ => None,
    }
}

fn text_of_part(part: &Value) -> Option<&str> {
    let is_text = part.get("type").and_then(Value::as_str) == Some("text");
    part.get("text").and_then(Value::as_str).filter(|_| is_text)
}

fn of_object(object: &Map<String, Value>) -> Option<ErrorClass> {
    let flag = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| object.get(*name).and_then(Value::as_bool))
    };
    let number = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| object.get(*name).and_then(Value::as_u64))
    };
    let succeeded = flag(&["ok", "success"]) == Some(true);
    let error = ["error", "errors"]
        .iter()
        .find_map(|name| object.get(*name))
        .filter(|error| !is_nothing(error) && !succeeded);
    // A list of errors beside other content is a report that was asked for; alone it is a failure.
    let error = error.filter(|error| !error.is_array() || is_envelope(object));
    let said =
        flag(&["is_error", "isError"]) == Some(true) || flag(&["ok", "success"]) == Some(false);
    let http = number(&["status", "statusCode", "status_code", "http_status"])
        .or_else(|| number(&["code"]).filter(|_| is_envelope(object)))
        .and_then(class::of_http);
    let status = object
        .get("status")
        .and_then(Value::as_str)
        .is_some_and(|status| matches!(status, "error" | "fail") && is_envelope(object));
    let exit = number(&["exit_code", "exitCode", "returncode"]).unwrap_or(0);
    let complaint = ["stderr", "error"]
        .iter()
        .find_map(|name| object.get(*name).and_then(Value::as_str))
        .is_some_and(|text| !text.trim().is_empty());
    // `grep` and `diff` answer "no" with 1 and complain with a message or a higher number.
    let exited = exit > 1 || (exit == 1 && complaint);
    if error.is_none() && http.is_none() && !(said || status || exited) {
        return None;
    }
    class::named_in(&words(object))
        .or(http)
        .or(Some(ErrorClass::Other))
}

/// Whether a field that may tell of an error tells of none.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_u64() == Some(0),
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
    }
}

/// Whether an object speaks of the call and of nothing else.
fn is_envelope(object: &Map<String, Value>) -> bool {
    object
        .iter()
        .all(|(name, value)| ENVELOPE.contains(&name.as_str()) || value.is_null())
}

const ENVELOPE: &[&str] = &[
    "code",
    "detail",
    "details",
    "error",
    "errors",
    "hint",
    "message",
    "msg",
    "name",
    "reason",
    "request_id",
    "status",
    "title",
    "type",
];

/// The words in which an object tells what went wrong.
fn words(object: &Map<String, Value>) -> String {
    const TELLING: &[&str] = &[
        "error", "errors", "message", "msg", "detail", "reason", "code", "type", "stderr",
        "content",
    ];
    let mut words = Vec::new();
    for value in TELLING.iter().filter_map(|name| object.get(*name)) {
        match value {
            Value::String(text) => words.push(text.clone()),
            Value::Object(inner) => words.extend(
                TELLING
                    .iter()
                    .filter_map(|name| inner.get(*name)?.as_str())
                    .map(str::to_owned),
            ),
            Value::Array(list) => words.extend(list.first().map(|first| {
                match first {
                    Value::String(text) => text.clone(),
                    other => text_of_part(other)
                        .or_else(|| other.get("message").and_then(Value::as_str))
                        .unwrap_or_default()
                        .to_owned(),
                }
            })),
            _ => {}
        }
    }
    words.join(" ")
}
