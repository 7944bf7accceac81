//! The trace in the JSON form of the OpenTelemetry protocol (an `ExportTraceServiceRequest`), with
//! span kinds named as OpenInference has them.

use std::time::Duration;

use harness_core::Timestamp;
use harness_store::wire::sha256_hex;
use serde_json::{Value, json};

use super::{RepairTrace, TracedTurn};

/// The trace's name, which the platform knows repairs by.
const TRACE_NAME: &str = "pandaprobe";
/// Hex digits of a trace's id.
const TRACE_ID: usize = 32;
/// Hex digits of a span's id.
const SPAN_ID: usize = 16;

impl RepairTrace {
    /// The one trace of this attempt, which ended at `ended_at`: a chain `harness` with an agent
    /// `repair-agent` for each reply, which holds the call of the model, and an agent `tools` for
    /// the calls that the reply made. Ids follow from the repair session, so the same trace sent
    /// twice is the same trace.
    pub fn to_otlp(&self, ended_at: Timestamp) -> Value {
        let mut spans = Spans {
            trace: self,
            began: i128::from(ended_at.as_micros()) * 1000 - nanos(self.took),
            all: Vec::new(),
        };
        let chain = spans.add(
            None,
            "harness",
            "CHAIN",
            [Duration::ZERO, self.took],
            vec![
                text("trace.name", TRACE_NAME),
                text("harness.episode", self.episode.as_str()),
                text("harness.status", self.status.as_str()),
            ],
        );
        for turn in &self.turns {
            spans.add_turn(&chain, turn);
        }
        json!({ "resourceSpans": [{
            "resource": { "attributes": [text("service.name", "harness")] },
            "scopeSpans": [{
                "scope": { "name": "harness-repair" },
                "spans": spans.all,
            }],
        }] })
    }
}

struct Spans<'a> {
    trace: &'a RepairTrace,
    /// When it began, in nanoseconds of Unix time.
    began: i128,
    all: Vec<Value>,
}

impl Spans<'_> {
    fn add_turn(&mut self, chain: &str, turn: &TracedTurn) {
        let reply = [turn.asked, turn.replied];
        let agent = self.add(Some(chain), "repair-agent", "AGENT", reply, Vec::new());
        let model = vec![
            text("llm.model_name", self.trace.model.as_str()),
            number("llm.token_count.completion", turn.output_tokens),
        ];
        self.add(Some(&agent), "chat", "LLM", reply, model);
        if let (Some(first), Some(last)) = (turn.calls.first(), turn.calls.last()) {
            let all = [first.began, last.ended];
            let tools = self.add(Some(chain), "tools", "AGENT", all, Vec::new());
            for call in &turn.calls {
                let understood = vec![text(
                    "harness.understood",
                    if call.understood { "yes" } else { "no" },
                )];
                let time = [call.began, call.ended];
                self.add(Some(&tools), call.tool.as_str(), "TOOL", time, understood);
            }
        }
    }

    /// Adds a span and returns its id.
    fn add(
        &mut self,
        parent: Option<&str>,
        name: &str,
        kind: &str,
        [began, ended]: [Duration; 2],
        mut attributes: Vec<Value>,
    ) -> String {
        let session = self.trace.repair_session.to_string();
        let id = hash(&format!("{session} {}", self.all.len()), SPAN_ID);
        let at = |time| (self.began + nanos(time)).to_string();
        attributes.extend([
            text("openinference.span.kind", kind),
            text("session.id", &session),
            text("role", "repair"),
        ]);
        let mut span = json!({
            "traceId": hash(&session, TRACE_ID),
            "spanId": id,
            "name": name,
            "kind": 1,
            "startTimeUnixNano": at(began),
            "endTimeUnixNano": at(ended),
            "attributes": attributes,
        });
        if let (Some(fields), Some(parent)) = (span.as_object_mut(), parent) {
            fields.insert("parentSpanId".to_owned(), parent.into());
        }
        self.all.push(span);
        id
    }
}

fn nanos(time: Duration) -> i128 {
    i128::try_from(time.as_nanos()).unwrap_or(i128::MAX)
}

fn hash(text: &str, digits: usize) -> String {
    sha256_hex(text.as_bytes()).chars().take(digits).collect()
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn number(key: &str, value: u64) -> Value {
    // The protocol has 64-bit integers as text.
    json!({ "key": key, "value": { "intValue": value.to_string() } })
}

#[cfg(test)]
mod tests {
    use harness_core::{CleanText, EpisodeId, RepairSessionId, RepairStatus};

    use super::super::TracedCall;
    use super::*;

    fn trace() -> RepairTrace {
        let ms = Duration::from_millis;
        let clean = |text: &'static str| CleanText::new(text).unwrap();
        let call = |tool, began, understood| TracedCall {
            tool: clean(tool),
            began: ms(began),
            ended: ms(began + 5),
            understood,
        };
        let turn = |asked, calls| TracedTurn {
            asked: ms(asked),
            replied: ms(asked + 10),
            output_tokens: 20,
            calls,
        };
        RepairTrace {
            repair_session: RepairSessionId::from_bits(7),
            episode: EpisodeId::parse("e-0123456789ab").unwrap(),
            model: clean("vendor/model"),
            status: RepairStatus::NoProposal,
            took: ms(100),
            turns: vec![
                turn(
                    0,
                    vec![
                        call("harness_notice_read", 11, true),
                        call("fly", 20, false),
                    ],
                ),
                turn(30, Vec::new()),
            ],
        }
    }

    #[test]
    fn one_trace_of_a_chain_agents_a_model_and_tools() {
        let request = trace().to_otlp(Timestamp::from_micros(2_000_000));
        let spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
            .as_array()
            .unwrap();
        let tree: Vec<(&str, String, Option<usize>)> = spans
            .iter()
            .map(|span| {
                let parent = span["parentSpanId"].as_str();
                let at = spans
                    .iter()
                    .position(|other| other["spanId"].as_str() == parent);
                (
                    span["name"].as_str().unwrap(),
                    attribute(span, "openinference.span.kind"),
                    at,
                )
            })
            .collect();
        let span = |name, kind: &str, parent| (name, kind.to_owned(), parent);
        assert_eq!(
            tree,
            [
                span("harness", "CHAIN", None),
                span("repair-agent", "AGENT", Some(0)),
                span("chat", "LLM", Some(1)),
                span("tools", "AGENT", Some(0)),
                span("harness_notice_read", "TOOL", Some(3)),
                span("fly", "TOOL", Some(3)),
                span("repair-agent", "AGENT", Some(0)),
                span("chat", "LLM", Some(6)),
            ]
        );
        for span in spans {
            assert_eq!(span["traceId"], spans[0]["traceId"]);
            assert_eq!(attribute(span, "role"), "repair");
            assert!(attribute(span, "session.id").starts_with("repair-"));
        }
        assert_eq!(attribute(&spans[0], "trace.name"), TRACE_NAME);
        assert_eq!(
            (&spans[0]["startTimeUnixNano"], &spans[0]["endTimeUnixNano"]),
            (&json!("1900000000"), &json!("2000000000"))
        );
        assert_eq!(spans[0]["traceId"].as_str().map(str::len), Some(TRACE_ID));
        assert_eq!(spans[0]["spanId"].as_str().map(str::len), Some(SPAN_ID));
    }

    fn attribute(span: &Value, key: &str) -> String {
        let mut attributes = span["attributes"].as_array().unwrap().iter();
        let found = attributes
            .find(|attribute| attribute["key"] == key)
            .unwrap();
        found["value"]["stringValue"].as_str().unwrap().to_owned()
    }
}
