//! One piece of work gives one turn, whatever export tells it and with whichever attributes.

use harness_core::{ErrorClass, Span, SpanKind, SpanStatus};
use harness_traces::Document;
use serde_json::{Value, json};

use crate::{packed, read};

/// One span of the piece of work: an agent, in it a reply that calls, the call, and a reply.
struct Told {
    id: &'static str,
    parent: Option<&'static str>,
    name: &'static str,
    attributes: Value,
}

/// With the attributes of `gen_ai.*`.
fn by_gen_ai() -> Vec<Told> {
    let chat = |id, messages: Value, said: Value| Told {
        id,
        parent: Some("aa01"),
        name: "chat small",
        attributes: json!({
            "gen_ai.operation.name": "chat", "gen_ai.request.model": "small",
            "gen_ai.conversation.id": "s", "gen_ai.usage.input_tokens": 3,
            "gen_ai.usage.output_tokens": 4, "gen_ai.input.messages": messages.to_string(),
            "gen_ai.output.messages": said.to_string(),
        }),
    };
    let asked = json!([{"role": "user", "parts": [{"type": "text", "content": "move the box"}]}]);
    vec![
        Told {
            id: "aa01",
            parent: None,
            name: "invoke_agent mover",
            attributes: json!({"gen_ai.operation.name": "invoke_agent"}),
        },
        chat(
            "aa02",
            asked.clone(),
            json!([{"role": "assistant", "parts": [
                {"type": "tool_call", "id": "1", "name": "move", "arguments": {"to": "shelf"}}]}]),
        ),
        Told {
            id: "aa03",
            parent: Some("aa01"),
            name: "execute_tool move",
            attributes: json!({
                "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "move",
                "gen_ai.tool.call.id": "1", "gen_ai.tool.call.arguments": "{\"to\": \"shelf\"}",
                "gen_ai.tool.call.result": "Error: shelf not found",
            }),
        },
        chat(
            "aa04",
            asked,
            json!([{"role": "assistant",
                "parts": [{"type": "text", "content": "There is no shelf."}]}]),
        ),
    ]
}

/// With the attributes of OpenInference.
fn by_openinference() -> Vec<Told> {
    let llm = |id, said: Value| {
        let mut attributes = json!({
            "openinference.span.kind": "LLM", "llm.model_name": "small", "session.id": "s",
            "llm.token_count.total": 7,
            "llm.input_messages.0.message.role": "system",
            "llm.input_messages.0.message.content": "rules of the house",
            "llm.input_messages.1.message.role": "user",
            "llm.input_messages.1.message.content": "move the box",
            "llm.output_messages.0.message.role": "assistant",
        });
        for (name, value) in said.as_object().unwrap() {
            attributes[format!("llm.output_messages.0.message.{name}")] = value.clone();
        }
        Told {
            id,
            parent: Some("aa01"),
            name: "ChatModel",
            attributes,
        }
    };
    vec![
        Told {
            id: "aa01",
            parent: None,
            name: "agent",
            attributes: json!({"openinference.span.kind": "AGENT"}),
        },
        llm(
            "aa02",
            json!({
                "tool_calls.0.tool_call.id": "1",
                "tool_calls.0.tool_call.function.name": "move",
                "tool_calls.0.tool_call.function.arguments": "{\"to\": \"shelf\"}",
            }),
        ),
        Told {
            id: "aa03",
            parent: Some("aa01"),
            name: "move",
            attributes: json!({
                "openinference.span.kind": "TOOL", "tool.name": "move",
                "input.value": "{\"to\": \"shelf\"}", "output.value": "Error: shelf not found",
            }),
        },
        llm("aa04", json!({"content": "There is no shelf."})),
    ]
}

/// Nanoseconds at which the span starts: the exports list them backwards.
fn starts(told: &Told) -> u64 {
    1_700_000_000_000_000_000 + u64::from_str_radix(told.id, 16).unwrap() * 1_000_000
}

const TRACE: &str = "0123456789abcdef0123456789abcdef";

fn otlp_json(spans: &[Told]) -> Vec<u8> {
    let spans: Vec<Value> = spans
        .iter()
        .rev()
        .map(|told| {
            let attributes: Vec<Value> = told
                .attributes
                .as_object()
                .unwrap()
                .iter()
                .map(|(key, value)| match value {
                    Value::String(text) => json!({"key": key, "value": {"stringValue": text}}),
                    other => json!({"key": key, "value": {"intValue": other.to_string()}}),
                })
                .collect();
            json!({
                "traceId": TRACE, "spanId": told.id, "parentSpanId": told.parent.unwrap_or(""),
                "name": told.name, "attributes": attributes, "status": {},
                "startTimeUnixNano": starts(told).to_string(),
                "endTimeUnixNano": (starts(told) + 1000).to_string(),
            })
        })
        .collect();
    json!({"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans}]}]})
        .to_string()
        .into_bytes()
}

/// A field of a protocol buffer whose value has a length.
fn field(number: u8, value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![(number << 3) | 2];
    let mut length = value.len();
    while length >= 0x80 {
        bytes.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).unwrap());
    [bytes, value.to_vec()].concat()
}

fn fixed(number: u8, value: u64) -> Vec<u8> {
    [vec![(number << 3) | 1], value.to_le_bytes().to_vec()].concat()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn otlp_protobuf(spans: &[Told]) -> Vec<u8> {
    let spans: Vec<u8> = spans
        .iter()
        .rev()
        .flat_map(|told| {
            let mut span = [
                field(1, &bytes_of(TRACE)),
                field(2, &bytes_of(told.id)),
                field(4, &bytes_of(told.parent.unwrap_or(""))),
                field(5, told.name.as_bytes()),
                fixed(7, starts(told)),
                fixed(8, starts(told) + 1000),
            ]
            .concat();
            for (key, value) in told.attributes.as_object().unwrap() {
                let value = match value {
                    Value::String(text) => field(1, text.as_bytes()),
                    other => vec![0x18, u8::try_from(other.as_u64().unwrap()).unwrap()],
                };
                let pair = [field(1, key.as_bytes()), field(2, &value)].concat();
                span.extend(field(9, &pair));
            }
            field(2, &span)
        })
        .collect();
    let scope = [field(1, b""), spans].concat();
    field(1, &[field(1, b""), field(2, &scope)].concat())
}

/// One span a line, as SDKs print them.
fn printed(spans: &[Told]) -> Vec<u8> {
    spans
        .iter()
        .rev()
        .map(|told| {
            let seconds = starts(told) as f64 / 1e9;
            let millis = (seconds.fract() * 1000.0).round();
            json!({
                "name": told.name,
                "context": {"trace_id": format!("0x{TRACE}"), "span_id": format!("0x{}", told.id)},
                "parent_id": told.parent, "attributes": told.attributes,
                "start_time": format!("2023-11-14T22:14:{:02}.{millis:03}Z", seconds as u64 % 60),
                "end_time": null, "status": {"status_code": "UNSET"}, "events": [],
            })
            .to_string()
                + "\n"
        })
        .collect::<String>()
        .into_bytes()
}

/// Rows with columns of their own, kept with remarks around them.
fn rows() -> Vec<u8> {
    let row = |id: &str, parent: Value, kind: &str, name: &str, at: u8, more: Value| {
        let mut span = json!({
            "traceId": TRACE, "id": id, "parentObservationId": parent, "type": kind, "name": name,
            "level": "DEFAULT", "metadata": {"attributes": {}}, "usageDetails": {"total": 0},
            "startTime": format!("2023-11-14T22:13:{at}.000Z"), "endTime": null,
        });
        for (name, value) in more.as_object().unwrap() {
            span[name] = value.clone();
        }
        json!({"kept": "today", "span": span}).to_string()
    };
    let asked = json!([{"role": "user", "content": "move the box"}]);
    let lines = [
        row(
            "aa04",
            json!("aa01"),
            "GENERATION",
            "chat",
            24,
            json!({
            "model": "small", "input": asked, "usageDetails": {"total": 7},
            "output": {"role": "assistant", "content": "There is no shelf."}}),
        ),
        row(
            "aa03",
            json!("aa01"),
            "TOOL",
            "move",
            23,
            json!({
            "input": "{\"to\": \"shelf\"}", "output": "Error: shelf not found"}),
        ),
        row(
            "aa02",
            json!("aa01"),
            "GENERATION",
            "chat",
            22,
            json!({
            "model": "small", "input": asked, "usageDetails": {"total": 7},
            "output": {"role": "assistant", "content": "", "tool_calls": [
                {"id": "1", "function": {"name": "move", "arguments": "{\"to\": \"shelf\"}"}}]}}),
        ),
        row("aa01", Value::Null, "AGENT", "agent", 21, json!({})),
        json!({"span": {"id": TRACE, "timestamp": "2023-11-14T22:13:21Z", "name": "mover",
            "sessionId": "s", "input": "\"move the box\"", "output": null,
            "observations": [{"id": "aa02", "traceId": TRACE, "startTime": null}]}})
        .to_string(),
    ];
    lines.join("\n").into_bytes()
}

/// A trace with its spans in it, as a platform keeps it.
fn whole() -> Vec<u8> {
    let asked = json!({"messages": [{"role": "user", "content": "move the box"}]});
    let reply = |id: &str, at: u8, said: Value| {
        json!({
            "span_id": id, "trace_id": TRACE, "parent_span_id": "aa01", "name": "chat",
            "kind": "LLM", "status": "OK", "model": "small", "error": null, "input": asked,
            "output": {"messages": [said]}, "token_usage": {"total_tokens": 7},
            "started_at": format!("2026-11-30T10:00:0{at}+00:00"),
        })
    };
    let calls = json!([{"id": "1", "function": {"name": "move", "arguments": "{}"}}]);
    json!({
        "trace_id": TRACE, "session_id": "s", "name": "mover", "status": "COMPLETED",
        "input": asked, "output": null, "spans": [
            reply("aa04", 4, json!({"role": "assistant", "content": "There is no shelf."})),
            reply("aa02", 2, json!({"role": "assistant", "content": "", "tool_calls": calls})),
            {"span_id": "aa03", "trace_id": TRACE, "parent_span_id": "aa01", "name": "move",
             "kind": "TOOL", "status": "ERROR", "input": {"to": "shelf"}, "output": null,
             "error": "Error: shelf not found", "started_at": "2026-11-30T10:00:03+00:00"},
            {"span_id": "aa01", "trace_id": TRACE, "parent_span_id": null, "name": "agent",
             "kind": "AGENT", "status": "OK", "started_at": "2026-11-30T10:00:01+00:00"},
        ],
    })
    .to_string()
    .into_bytes()
}

/// What is left of a turn when times and names of spans are put aside.
fn outline(document: &Document) -> Vec<String> {
    let conversation = &document.conversations[0];
    assert_eq!(document.conversations.len(), 1);
    assert_eq!(conversation.turns.len(), 1);
    let turn = &conversation.turns[0];
    let of = |span: &Span| {
        let arguments: Vec<String> = span
            .arguments
            .leaves()
            .iter()
            .map(|leaf| format!("{}={}", leaf.path, leaf.value))
            .collect();
        let (kind, status, tokens) = (span.kind.as_str(), span.status, span.tokens);
        let arguments = arguments.join(",");
        format!(
            "{kind} {} {arguments} {} {status:?} {tokens:?}",
            span.name, span.output
        )
    };
    let model = conversation.model.as_ref().unwrap();
    [format!(
        "{} {model} {} {}",
        conversation.session,
        turn.id(),
        turn.request()
    )]
    .into_iter()
    .chain(turn.spans().iter().map(of))
    .collect()
}

#[test]
fn every_export_tells_the_same_turn() {
    let failed = SpanStatus::Failed(ErrorClass::NotFound);
    let wanted = [
        format!("s small {TRACE} move the box"),
        format!("TOOL move to=shelf Error: shelf not found {failed:?} None"),
        format!("LLM small  There is no shelf. {:?} Some(7)", SpanStatus::Ok),
    ];
    let exports = [
        ("otlp json, gen_ai", otlp_json(&by_gen_ai())),
        ("otlp json, openinference", otlp_json(&by_openinference())),
        ("otlp protobuf, gen_ai", otlp_protobuf(&by_gen_ai())),
        (
            "otlp protobuf, openinference",
            otlp_protobuf(&by_openinference()),
        ),
        ("printed, gen_ai", printed(&by_gen_ai())),
        ("rows", rows()),
        ("whole", whole()),
    ];
    for (name, bytes) in exports {
        let document = read(&bytes);
        assert_eq!(document.unreadable, [], "{name}");
        assert_eq!(outline(&document), wanted, "{name}");
        assert_eq!(read(&packed(&bytes)), document, "{name}");
        // The agent groups; a reply that is nothing but a call may tell what the user asked.
        assert!(
            matches!(document.spans.dropped.len(), 1 | 2),
            "{name}: {:?}",
            document.spans
        );
        assert!(matches!(document.spans.read(), 4 | 5), "{name}");
    }
}

#[test]
fn times_are_kept_where_they_are_told() {
    let document = read(&otlp_protobuf(&by_gen_ai()));
    let call = &document.conversations[0].turns[0].spans()[0];
    assert_eq!(call.kind, SpanKind::Tool);
    let started = call.started_at.unwrap().as_micros();
    assert_eq!(call.ended_at.unwrap().as_micros() - started, 1);
}
