//! A trace of the platform as a trace of ours.

use harness_core::{
    Arguments, CleanString, CleanText, ErrorClass, Span, SpanKind, SpanStatus, Speaker, Timestamp,
    Trace, TraceId,
};
use harness_sanitize::Intake;
use harness_sanitize::arguments::{LeafBounds, Node, free_text, take_apart};
use serde_json::Value;

use crate::answer::text;

/// Bytes of a request, a reply or a tool's result that are kept.
const MAX_TEXT: usize = 8192;
/// Bytes of a name that are kept.
const MAX_NAME: usize = 128;
const BOUNDS: LeafBounds = LeafBounds {
    value: 2048,
    raw: 1 << 20,
};

/// The trace, with its steps in order of time.
pub(crate) fn read(answer: &Value, id: TraceId, intake: &Intake) -> Trace {
    let clean = |text: &str, max| intake.text(text, max).into_owned();
    let request = answer
        .get("input")
        .map(|input| words(input, "user"))
        .unwrap_or_default();
    let entries = answer.get("spans").and_then(Value::as_array);
    let mut spans: Vec<Span> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| span(entry, intake))
        .collect();
    spans.sort_by_key(|span| (span.started_at.is_none(), span.started_at));
    Trace::new(id, clean(&request, MAX_TEXT), spans)
}

/// When the trace ended, where the platform says.
pub(crate) fn ended_at(answer: &Value) -> Option<Timestamp> {
    Timestamp::parse(text(answer, "ended_at")?).ok()
}

fn span(entry: &Value, intake: &Intake) -> Option<Span> {
    let kind = SpanKind::parse(text(entry, "kind")?)?;
    let output = entry.get("output").filter(|output| !output.is_null());
    let error = text(entry, "error");
    let said = match (kind, output, error) {
        (_, None, error) => error.unwrap_or_default().to_owned(),
        (SpanKind::Tool, Some(Value::String(text)), _) => text.clone(),
        (SpanKind::Tool, Some(output), _) => output.to_string(),
        (_, Some(output), _) => words(output, "assistant"),
    };
    let time = |name: &str| Timestamp::parse(text(entry, name)?).ok();
    let clean = |text: &str, max| -> CleanString { intake.text(text, max).into_owned() };
    Some(Span {
        kind,
        name: clean(
            text(entry, "model")
                .filter(|_| kind == SpanKind::Llm)
                .or_else(|| text(entry, "name"))
                .unwrap_or_default(),
            MAX_NAME,
        ),
        speaker: match kind {
            SpanKind::Tool => Speaker::Tool,
            _ => Speaker::Agent,
        },
        arguments: match (kind, entry.get("input")) {
            (SpanKind::Tool, Some(input)) => arguments(input, intake),
            _ => Arguments::none(),
        },
        // What a group says its steps say.
        output: match kind {
            SpanKind::Agent | SpanKind::Chain => CleanText::empty(),
            SpanKind::Llm | SpanKind::Tool => clean(&said, MAX_TEXT),
        },
        status: match (text(entry, "status"), error) {
            (Some("ERROR"), _) | (_, Some(_)) => SpanStatus::Failed(ErrorClass::Other),
            (Some("OK"), None) => SpanStatus::Ok,
            _ => SpanStatus::Unknown,
        },
        started_at: time("started_at"),
        ended_at: time("ended_at"),
        tokens: entry
            .get("token_usage")
            .and_then(|usage| usage.get("total_tokens").or_else(|| usage.get("total")))
            .and_then(Value::as_u64),
    })
}

/// The words of the last message of `role`, else of the value as it is.
fn words(value: &Value, role: &str) -> String {
    let message = value
        .get("messages")
        .and_then(Value::as_array)
        .and_then(|messages| {
            messages
                .iter()
                .rev()
                .find(|message| text(message, "role") == Some(role))
        });
    let content = message.and_then(|message| message.get("content"));
    match content.unwrap_or(value) {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn arguments(input: &Value, intake: &Intake) -> Arguments {
    match input {
        Value::Null => Arguments::none(),
        Value::Object(_) => take_apart(input, &look, intake, BOUNDS),
        Value::String(text) => free_text("input", text, intake, BOUNDS),
        other => free_text("input", &other.to_string(), intake, BOUNDS),
    }
}

fn look(node: &Value) -> Node<'_, Value> {
    match node {
        Value::String(text) => Node::Text(text),
        Value::Object(fields) => Node::fields(fields),
        Value::Array(list) => Node::list(list),
        _ => Node::Other,
    }
}

#[cfg(test)]
mod tests {
    use harness_sanitize::{Gate, Redactor};
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_come_in_order_of_time_with_what_they_say() {
        let answer = json!({
            "input": {"messages": [{"role": "system", "content": "be brief"},
                {"role": "user", "content": "a\u{1b}[1m box"}]},
            "ended_at": "2026-11-30T10:00:09Z",
            "spans": [
                {"kind": "TOOL", "name": "look", "status": "ERROR", "input": {"at": "shelf"},
                 "output": null, "error": "no shelf", "started_at": "2026-11-30T10:00:02Z"},
                {"kind": "LLM", "name": "chat", "model": "small", "status": "OK",
                 "output": {"messages": [{"role": "assistant", "content": "none"}]},
                 "token_usage": {"total_tokens": 7}, "started_at": "2026-11-30T10:00:03Z"},
                {"kind": "AGENT", "name": "agent", "output": "none", "status": "OK",
                 "started_at": "2026-11-30T10:00:01Z"},
                {"kind": "NOVEL"}, 3,
            ],
        });
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        let trace = read(&answer, TraceId::parse("t").unwrap(), &intake);
        assert_eq!(trace.request().as_str(), "a box");
        let told: Vec<_> = trace
            .spans()
            .iter()
            .map(|span| {
                (
                    span.kind,
                    span.name.as_str(),
                    span.output.as_str(),
                    span.status,
                )
            })
            .collect();
        let failed = SpanStatus::Failed(ErrorClass::Other);
        assert_eq!(
            told,
            [
                (SpanKind::Agent, "agent", "", SpanStatus::Ok),
                (SpanKind::Tool, "look", "no shelf", failed),
                (SpanKind::Llm, "small", "none", SpanStatus::Ok),
            ]
        );
        assert_eq!(
            trace.spans()[1].arguments.leaves()[0].value.as_str(),
            "shelf"
        );
        assert_eq!(trace.spans()[2].tokens, Some(7));
        assert!(ended_at(&answer).is_some());
    }
}
