//! OTLP as JSON, as collectors write it to files; single spans, one object each; and traces with
//! their spans in them, as platforms keep them.

use serde_json::{Map, Value};

use super::attributes::Attributes;
use super::foreign::{ForeignSpan, Kind, time_of_nanos};
use super::shape::{self, Event, Otlp};
use super::vocabulary;
use crate::reader::type_of;
use crate::unreadable::Reason;

/// Values in values that are read.
const MAX_DEPTH: usize = 8;

/// Hands the spans of an object with `resourceSpans` to `take`.
pub(crate) fn read(
    document: &Value,
    take: &mut impl FnMut(ForeignSpan),
    report: &mut impl FnMut(Reason),
) {
    for resource in list(document, &["resourceSpans", "resource_spans"], report) {
        let names = ["scopeSpans", "scope_spans", "instrumentationLibrarySpans"];
        for scope in list(resource, &names, report) {
            for span in list(scope, &["spans"], report) {
                read_span(span, take, report);
            }
        }
    }
}

/// Hands a trace that holds its spans to `take`, itself as their frame.
pub(crate) fn read_trace(
    trace: &Value,
    take: &mut impl FnMut(ForeignSpan),
    report: &mut impl FnMut(Reason),
) {
    let id = id(trace, &["traceId", "trace_id"]).unwrap_or_default();
    let frame = ForeignSpan {
        trace: id.clone(),
        id,
        name: text(trace, &["name"]).unwrap_or_default().to_owned(),
        started: time(trace, &["started_at"]),
        ended: time(trace, &["ended_at"]),
        kind: Some(Kind::Frame),
        session: text(trace, &["session_id"]).map(str::to_owned),
        input: part(trace, "input"),
        output: part(trace, "output"),
        ..ForeignSpan::default()
    };
    shape::checked(frame, take, report);
    for span in list(trace, &["spans"], report) {
        read_span(span, take, report);
    }
}

/// Hands one span to `take`: with the names of OTLP, of the SDKs that print spans, or of platforms,
/// which make columns of the most important attributes.
pub(crate) fn read_span(
    value: &Value,
    take: &mut impl FnMut(ForeignSpan),
    report: &mut impl FnMut(Reason),
) {
    if !value.is_object() {
        return report(Reason::WrongType {
            what: "span",
            found: type_of(value),
            expected: "an object",
        });
    }
    let context = value.get("context").unwrap_or(value);
    let mut otlp = Otlp {
        span: ForeignSpan {
            trace: id(context, &["traceId", "trace_id"]).unwrap_or_default(),
            id: id(context, &["spanId", "span_id"]).unwrap_or_default(),
            parent: id(value, &["parentSpanId", "parent_span_id", "parent_id"]),
            name: text(value, &["name"]).unwrap_or_default().to_owned(),
            started: time(value, &["startTimeUnixNano", "start_time", "started_at"]),
            ended: time(value, &["endTimeUnixNano", "end_time", "ended_at"]),
            failure: text(value, &["error"])
                .map(str::to_owned)
                .or_else(|| failure(value.get("status"))),
            kind: text(value, &["kind"]).and_then(vocabulary::kind_named),
            model: text(value, &["model"]).map(str::to_owned),
            tokens: value
                .get("token_usage")
                .and_then(|usage| usage.get("total_tokens").or_else(|| usage.get("total")))
                .and_then(Value::as_u64),
            input: part(value, "input"),
            output: part(value, "output"),
            ..ForeignSpan::default()
        },
        attributes: attributes(value.get("attributes")),
        events: Vec::new(),
    };
    for event in list(value, &["events"], report) {
        otlp.events.push(Event {
            name: text(event, &["name"]).unwrap_or_default().to_owned(),
            attributes: attributes(event.get("attributes")),
        });
    }
    shape::checked(otlp.finish(), take, report);
}

fn list<'v>(
    value: &'v Value,
    names: &[&'static str],
    report: &mut impl FnMut(Reason),
) -> &'v [Value] {
    let found = names
        .iter()
        .find_map(|name| Some((*name, value.get(*name)?)));
    match found {
        Some((_, Value::Array(list))) => list,
        None | Some((_, Value::Null)) => &[],
        Some((name, other)) => {
            report(Reason::WrongType {
                what: name,
                found: type_of(other),
                expected: "a list",
            });
            &[]
        }
    }
}

fn part(value: &Value, name: &str) -> Option<Value> {
    value.get(name).filter(|part| !part.is_null()).cloned()
}

fn text<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    names
        .iter()
        .find_map(|name| value.get(*name).and_then(Value::as_str))
}

/// An id; some SDKs print it as a number in hexadecimal.
fn id(value: &Value, names: &[&str]) -> Option<String> {
    text(value, names)
        .map(|id| id.strip_prefix("0x").unwrap_or(id).to_owned())
        .filter(|id| !id.is_empty())
}

/// Nanoseconds since 1970 as a number or in text, or a date.
fn time(value: &Value, names: &[&str]) -> Option<harness_core::Timestamp> {
    let found = names.iter().find_map(|name| value.get(*name))?;
    match found {
        Value::Number(nanos) => time_of_nanos(nanos.as_u64()?),
        Value::String(text) => match text.parse() {
            Ok(nanos) => time_of_nanos(nanos),
            Err(_) => harness_core::Timestamp::parse(text).ok(),
        },
        _ => None,
    }
}

fn failure(status: Option<&Value>) -> Option<String> {
    let status = status?;
    let code = ["code", "status_code"]
        .iter()
        .find_map(|name| status.get(*name))
        .unwrap_or(status);
    let failed = match code {
        Value::Number(number) => number.as_u64() == Some(2),
        Value::String(text) => matches!(text.as_str(), "STATUS_CODE_ERROR" | "ERROR"),
        _ => false,
    };
    let said = text(status, &["message", "description"]).unwrap_or_default();
    failed.then(|| said.to_owned())
}

/// A list of `{key, value}` as OTLP has it, or an object.
fn attributes(value: Option<&Value>) -> Attributes {
    let mut attributes = Attributes::default();
    match value {
        Some(Value::Array(list)) => {
            for pair in list {
                if let Some(name) = text(pair, &["key"]) {
                    let value = pair.get("value").map_or(Value::Null, |v| any_value(v, 0));
                    attributes.add(name.to_owned(), value);
                }
            }
        }
        Some(other) => attributes.add_all(other),
        None => {}
    }
    attributes
}

/// A value of OTLP: an object with one field that is named for its type.
fn any_value(value: &Value, depth: usize) -> Value {
    let Some((kind, inner)) = value.as_object().and_then(|fields| fields.iter().next()) else {
        return value.clone();
    };
    if depth >= MAX_DEPTH {
        return Value::Null;
    }
    let values = || inner.get("values").and_then(Value::as_array);
    match kind.as_str() {
        "intValue" => match inner {
            // 64-bit numbers are text in this mapping.
            Value::String(text) => text.parse::<i64>().map_or(Value::Null, Value::from),
            other => other.clone(),
        },
        "arrayValue" => values()
            .into_iter()
            .flatten()
            .map(|value| any_value(value, depth + 1))
            .collect(),
        "kvlistValue" => values()
            .into_iter()
            .flatten()
            .filter_map(|pair| {
                let name = text(pair, &["key"])?.to_owned();
                Some((name, any_value(pair.get("value")?, depth + 1)))
            })
            .collect::<Map<String, Value>>()
            .into(),
        "bytesValue" => Value::Null,
        _ => inner.clone(),
    }
}
