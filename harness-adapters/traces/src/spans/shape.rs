//! Which export a JSON value is of, and what the OTLP forms share.

use serde_json::Value;

use super::attributes::Attributes;
use super::foreign::{ForeignSpan, is_id};
use super::{langfuse, otlp_json, vocabulary};
use crate::unreadable::Reason;

/// Lists in lists that are followed.
const MAX_DEPTH: usize = 4;
/// Events of a span that are read.
const MAX_EVENTS: usize = 256;

/// Whether a value is a span, or holds spans, of a form that is known.
pub(crate) fn holds_spans(value: &Value) -> bool {
    form(value).is_some()
}

enum Form<'v> {
    Otlp,
    Span,
    Observation,
    Trace,
    /// A trace with its spans in it.
    Whole,
    /// A span with remarks of whoever kept it around it, or a page of a list.
    Within(&'v Value),
    List(&'v [Value]),
}

fn form(value: &Value) -> Option<Form<'_>> {
    let fields = match value {
        Value::Array(list) => {
            let first = list.first()?;
            return form(first).map(|_| Form::List(list));
        }
        Value::Object(fields) => fields,
        _ => return None,
    };
    let has = |name: &str| fields.contains_key(name);
    let ids = |value: &Value| {
        let has = |name: &str| value.get(name).is_some();
        (has("traceId") || has("trace_id")) && (has("spanId") || has("span_id"))
    };
    if has("resourceSpans") || has("resource_spans") {
        return Some(Form::Otlp);
    }
    if ids(value) || fields.get("context").is_some_and(ids) {
        return Some(Form::Span);
    }
    if (has("traceId") || has("trace_id")) && fields.get("spans").is_some_and(Value::is_array) {
        return Some(Form::Whole);
    }
    if has("traceId") && has("id") && has("startTime") {
        return Some(Form::Observation);
    }
    if has("id") && has("timestamp") && (has("sessionId") || has("observations")) {
        return Some(Form::Trace);
    }
    ["span", "data", "spans"]
        .iter()
        .filter_map(|name| fields.get(*name))
        .find(|inner| inner.is_object() || inner.is_array())
        .map(Form::Within)
}

/// Hands the spans of a value to `take`.
pub(crate) fn read(
    value: &Value,
    take: &mut impl FnMut(ForeignSpan),
    report: &mut impl FnMut(Reason),
) {
    read_within(value, 0, take, report);
}

fn read_within(
    value: &Value,
    depth: usize,
    take: &mut impl FnMut(ForeignSpan),
    report: &mut impl FnMut(Reason),
) {
    match form(value).filter(|_| depth <= MAX_DEPTH) {
        Some(Form::Otlp) => otlp_json::read(value, take, report),
        Some(Form::Span) => otlp_json::read_span(value, take, report),
        Some(Form::Observation) => langfuse::observation(value, take, report),
        Some(Form::Trace) => langfuse::trace(value, take, report),
        Some(Form::Whole) => otlp_json::read_trace(value, take, report),
        Some(Form::Within(inner)) => read_within(inner, depth + 1, take, report),
        Some(Form::List(list)) => {
            for inner in list {
                read_within(inner, depth + 1, take, report);
            }
        }
        None => report(Reason::NoSpan),
    }
}

/// Passes a span on if it can be named.
pub(crate) fn checked(
    span: ForeignSpan,
    take: &mut impl FnMut(ForeignSpan),
    report: &mut impl FnMut(Reason),
) {
    match (is_id(&span.trace), is_id(&span.id)) {
        (true, true) => take(span),
        (false, _) => report(Reason::NoId("trace")),
        (true, false) => report(Reason::NoId("span")),
    }
}

/// An event of a span: an exception, or a message as older conventions tell it.
#[derive(Default)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) attributes: Attributes,
}

/// A span of OTLP before its attributes are understood.
#[derive(Default)]
pub(crate) struct Otlp {
    pub(crate) span: ForeignSpan,
    pub(crate) attributes: Attributes,
    pub(crate) events: Vec<Event>,
}

impl Otlp {
    /// The span, with whatever its attributes and events say.
    pub(crate) fn finish(mut self) -> ForeignSpan {
        for event in std::mem::take(&mut self.events).iter().take(MAX_EVENTS) {
            self.event(event);
        }
        vocabulary::read(&self.attributes, &mut self.span);
        self.span
    }

    fn event(&mut self, event: &Event) {
        let of_exception = event
            .attributes
            .text(&["exception.message", "exception.type"]);
        // An exception that was handled does not make the span fail; one that failed it says how.
        if let (Some(said), Some(exception)) = (&mut self.span.failure, of_exception)
            && said.is_empty()
        {
            exception.clone_into(said);
        }
        for name in [
            "gen_ai.prompt",
            "gen_ai.completion",
            "gen_ai.input.messages",
            "gen_ai.output.messages",
        ] {
            if let Some(value) = event.attributes.get(&[name]) {
                self.attributes.add(name.to_owned(), value.clone());
            }
        }
        let into = match event.name.as_str() {
            "gen_ai.user.message" => "gen_ai.prompt",
            "gen_ai.choice" => "gen_ai.completion",
            _ => return,
        };
        if let Some(value) = event
            .attributes
            .get(&["message", "content", "gen_ai.event.content"])
        {
            self.attributes.add(into.to_owned(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spans(value: &Value) -> (Vec<ForeignSpan>, Vec<String>) {
        let (mut spans, mut reports) = (Vec::new(), Vec::new());
        read(value, &mut |span| spans.push(span), &mut |reason| {
            reports.push(reason.to_string());
        });
        (spans, reports)
    }

    #[test]
    fn each_form_is_told_and_a_conversation_is_none() {
        for value in [
            json!({"resourceSpans": []}),
            json!({"traceId": "t", "spanId": "s"}),
            json!({"context": {"trace_id": "0x1", "span_id": "0x2"}}),
            json!({"traceId": "t", "id": "s", "startTime": null}),
            json!({"id": "t", "timestamp": null, "sessionId": null}),
            json!([{"traceId": "t", "spanId": "s"}]),
            json!({"kept": "today", "span": {"traceId": "t", "spanId": "s"}}),
            json!({"trace_id": "t", "spans": []}),
        ] {
            assert!(holds_spans(&value), "{value}");
        }
        for value in [
            json!({"messages": []}),
            json!([{"role": "user"}]),
            json!([]),
            json!(1),
        ] {
            assert!(!holds_spans(&value), "{value}");
        }
    }

    #[test]
    fn a_span_without_ids_is_reported_and_its_neighbour_is_taken() {
        let (taken, reports) = spans(&json!({"resourceSpans": [{"scopeSpans": [{"spans": [
            {"spanId": "a"}, 3, {"traceId": "t", "spanId": ""}, {"traceId": "t", "spanId": "b"},
        ]}, {"spans": {}}]}]}));
        assert_eq!(taken.len(), 1);
        assert_eq!(taken[0].id, "b");
        assert_eq!(
            reports,
            [
                "the span has no trace id, or one of too many characters",
                "`span` is a number, an object was expected",
                "the span has no span id, or one of too many characters",
                "`spans` is an object, a list was expected",
            ]
        );
    }

    #[test]
    fn a_failed_span_says_how_with_its_status_or_its_exception() {
        let exception = json!([{"name": "exception", "attributes": [
            {"key": "exception.message", "value": {"stringValue": "shelf not found"}}
        ]}]);
        let span = |status: Value| json!({"traceId": "t", "spanId": "s", "status": status, "events": exception});
        let failure = |status: Value| spans(&span(status)).0.remove(0).failure;
        assert_eq!(
            failure(json!({"code": 2})).as_deref(),
            Some("shelf not found")
        );
        assert_eq!(
            failure(json!({"code": "STATUS_CODE_ERROR", "message": "full"})).as_deref(),
            Some("full")
        );
        assert_eq!(failure(json!({"code": 1})), None);
        assert_eq!(failure(json!({})), None);
    }
}
