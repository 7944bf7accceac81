//! What is read of spans is what was used and what was dropped with a reason; nothing is lost.

use harness_core::{SessionId, Span, SpanStatus, Trace};
use harness_sanitize::{Gate, Intake, Redactor};
use harness_traces::{Document, DropReason, Limits, Reader, Spans};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{read, unnamed};

fn span(trace: &str, id: &str, parent: &str, attributes: Value) -> Value {
    json!({
        "traceId": trace, "spanId": id, "parentSpanId": parent, "name": format!("span {id}"),
        "attributes": attributes,
    })
}

fn reply(trace: &str, id: &str, parent: &str, text: &str) -> Value {
    let said = json!([{"role": "assistant", "content": text}]);
    let asked = json!([{"role": "user", "content": "a box"}]);
    span(
        trace,
        id,
        parent,
        json!({
            "gen_ai.operation.name": "chat", "gen_ai.output.messages": said.to_string(),
            "gen_ai.input.messages": asked.to_string(),
        }),
    )
}

fn call(trace: &str, id: &str, parent: &str, name: &str) -> Value {
    span(
        trace,
        id,
        parent,
        json!({
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name,
            "gen_ai.tool.call.result": "done",
        }),
    )
}

fn of(spans: &[Value]) -> Document {
    read(json!(spans).to_string().as_bytes())
}

fn reasons(document: &Document) -> Vec<(String, DropReason)> {
    document
        .spans
        .dropped
        .iter()
        .map(|dropped| (dropped.span.to_string(), dropped.reason.clone()))
        .collect()
}

fn names(document: &Document) -> Vec<String> {
    let turns = document.conversations.iter().flat_map(|found| &found.turns);
    turns
        .flat_map(Trace::spans)
        .map(|span| format!("{}: {}", span.name, span.output))
        .collect()
}

#[test]
fn a_span_that_groups_others_is_dropped_and_its_steps_are_used() {
    let document = of(&[
        span("t", "a", "", json!({"openinference.span.kind": "CHAIN"})),
        reply("t", "b", "a", "here"),
        call("t", "c", "a", "look"),
        span(
            "t",
            "d",
            "a",
            json!({"openinference.span.kind": "EMBEDDING"}),
        ),
    ]);
    assert_eq!(
        reasons(&document),
        [
            ("a".into(), DropReason::Groups),
            ("d".into(), DropReason::OtherWork)
        ]
    );
    assert_eq!(document.spans.used, 2);
    assert_eq!(document.conversations[0].session.as_str(), "trace-t");
}

#[test]
fn of_two_spans_that_tell_one_step_one_is_used() {
    let document = of(&[
        reply("t", "a", "", "outer"),
        reply("t", "b", "a", "inner"),
        call("t", "c", "", "look"),
        call("t", "d", "c", "look"),
        call("t", "e", "c", "other"),
    ]);
    assert_eq!(
        reasons(&document),
        [
            ("b".into(), DropReason::Retold),
            ("c".into(), DropReason::Retold)
        ]
    );
    assert_eq!(
        names(&document),
        ["span a: outer", "look: done", "other: done"]
    );
}

#[test]
fn a_reply_with_replies_or_calls_inside_is_a_loop_and_no_reply() {
    for inside in [
        vec![reply("t", "b", "a", "one"), reply("t", "c", "a", "two")],
        vec![reply("t", "b", "a", "one"), call("t", "c", "a", "look")],
    ] {
        let mut outer = reply("t", "a", "", "all");
        outer["attributes"]["gen_ai.input.messages"] = Value::Null;
        let document = of(&[vec![outer], inside].concat());
        assert_eq!(reasons(&document), [("a".into(), DropReason::Groups)]);
        assert_eq!(document.spans.used, 2);
    }
}

#[test]
fn a_span_told_again_is_dropped_once_more() {
    let document = of(&[
        reply("t", "a", "", "here"),
        reply("t", "a", "", "here"),
        reply("u", "a", "", "here"),
    ]);
    assert_eq!(reasons(&document), [("a".into(), DropReason::Repeated)]);
    assert_eq!((document.spans.used, document.spans.read()), (2, 3));
}

#[test]
fn a_trace_without_a_step_is_dropped_whole_and_a_silent_reply_says_so() {
    let document = of(&[
        span("t", "a", "", json!({})),
        span("t", "b", "a", json!({"gen_ai.operation.name": "chat"})),
        span("u", "c", "", json!({"gen_ai.operation.name": "chat"})),
        reply("u", "d", "", "here"),
    ]);
    assert_eq!(
        reasons(&document),
        [
            ("a".into(), DropReason::NoStep),
            ("b".into(), DropReason::NoStep),
            ("c".into(), DropReason::Silent),
        ]
    );
}

#[test]
fn a_reply_that_is_an_object_is_its_words() {
    let attributes =
        json!({"openinference.span.kind": "LLM", "output.value": "{\"intent\": \"move\"}"});
    let document = of(&[span("t", "a", "", attributes)]);
    assert_eq!(names(&document), ["span a: {\"intent\": \"move\"}"]);
    assert_eq!(document.spans.used, 1);
}

#[test]
fn calls_without_spans_are_steps_with_their_results() {
    let first = json!([{"role": "assistant", "tool_calls": [
        {"id": "1", "function": {"name": "look", "arguments": "{\"at\": \"shelf\"}"}}]}]);
    let then = json!([
        {"role": "user", "content": "a box"},
        {"role": "tool", "tool_call_id": "1", "content": "Error: shelf not found"},
    ]);
    let chat = |id: &str, input: &Value, output: Value| {
        span(
            "t",
            id,
            "",
            json!({
                "gen_ai.operation.name": "chat", "gen_ai.input.messages": input.to_string(),
                "gen_ai.output.messages": output.to_string(),
            }),
        )
    };
    let document = of(&[
        chat("a", &json!([{"role": "user", "content": "a box"}]), first),
        chat(
            "b",
            &then,
            json!([{"role": "assistant", "content": "none"}]),
        ),
    ]);
    assert_eq!(document.spans.used, 2);
    assert_eq!(
        names(&document),
        ["look: Error: shelf not found", "span b: none"]
    );
    let steps: &[Span] = document.conversations[0].turns[0].spans();
    assert!(matches!(steps[0].status, SpanStatus::Failed(_)));
    assert_eq!(steps[0].arguments.leaves().len(), 1);
}

#[test]
fn a_repair_session_is_never_put_together_and_its_twin_is() {
    let with = |session: &str| {
        let mut told = reply("t", "a", "", "here");
        told["attributes"]["session.id"] = session.into();
        of(&[told])
    };
    let refused = with("repair-00000000000000aa");
    assert_eq!(refused.conversations, []);
    assert!(matches!(
        refused.spans.dropped[0].reason,
        DropReason::BadSession(_)
    ));
    let taken = with("prepare-00000000000000aa");
    assert_eq!((taken.conversations.len(), taken.spans.used), (1, 1));
}

#[test]
fn traces_of_one_session_are_its_turns_in_order_of_time_whichever_document_holds_them() {
    let at = |trace: &str, second: u32| {
        let mut told = reply(trace, "a", "", trace);
        told["attributes"]["session.id"] = "s".into();
        told["startTimeUnixNano"] =
            (1_700_000_000_000_000_000_u64 + u64::from(second) * 1_000_000_000).into();
        told.to_string()
    };
    let intake = Intake::new(Gate::default(), Redactor::patterns_only());
    let reader = Reader::new(&intake, Limits::default());
    let mut spans = Spans::default();
    for (number, line) in [at("t2", 20), at("t3", 30), at("t1", 10)]
        .iter()
        .enumerate()
    {
        let document = reader.read_line(line.as_bytes(), number + 1, &mut spans, unnamed);
        assert_eq!(document, Document::default());
    }
    let document = reader.assemble(spans);
    let conversation = &document.conversations[0];
    let turns: Vec<&str> = conversation
        .turns
        .iter()
        .map(|turn| turn.id().as_str())
        .collect();
    assert_eq!(conversation.session, SessionId::parse("s").unwrap());
    assert_eq!(turns, ["t1", "t2", "t3"]);
}

#[test]
fn steps_past_the_bound_are_dropped_and_the_trace_knows() {
    let more = 3;
    let spans: Vec<Value> = (0..Trace::MAX_SPANS + more)
        .map(|at| call("t", &format!("{at:04}"), "", &format!("look{at}")))
        .collect();
    let document = of(&spans);
    let turn = &document.conversations[0].turns[0];
    assert_eq!(
        (turn.spans().len(), document.spans.used),
        (Trace::MAX_SPANS, Trace::MAX_SPANS)
    );
    assert_eq!(turn.dropped(), more);
    assert!(
        document
            .spans
            .dropped
            .iter()
            .all(|dropped| dropped.reason == DropReason::TraceFull)
    );
}

/// Spans of a few traces with all kinds, anywhere in one another, cycles included.
fn any_span() -> impl Strategy<Value = Value> {
    let kind = proptest::sample::select(vec![
        json!({"openinference.span.kind": "LLM", "output.value": "words"}),
        json!({"gen_ai.operation.name": "chat"}),
        json!({"openinference.span.kind": "TOOL", "input.value": "{}", "output.value": "x"}),
        json!({"openinference.span.kind": "AGENT", "input.value": "ask", "session.id": "s"}),
        json!({"openinference.span.kind": "CHAIN", "session.id": "a/b"}),
        json!({"openinference.span.kind": "GUARDRAIL"}),
        json!({}),
        json!({"gen_ai.operation.name": "chat", "gen_ai.output.messages":
            "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"name\":\"n\",\"args\":{}}]}]"}),
    ]);
    (0..3_u8, 0..8_u8, 0..8_u8, kind).prop_map(|(trace, id, parent, kind)| {
        span(
            &format!("t{trace}"),
            &id.to_string(),
            &parent.to_string(),
            kind,
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_account_is_exact(spans in proptest::collection::vec(any_span(), 1..30)) {
        let document = of(&spans);
        prop_assert_eq!(&document.unreadable, &[]);
        prop_assert_eq!(document.spans.read(), spans.len());
        let steps = document.conversations.iter().flat_map(|found| &found.turns).count();
        prop_assert_eq!(steps == 0, document.spans.used == 0);
    }

    #[test]
    fn any_bytes_after_the_head_of_a_protobuf_are_read_the_same_way_twice(
        bytes in proptest::collection::vec(any::<u8>(), 0..200)
    ) {
        // The last byte makes it no text, whatever stands before.
        let bytes = [&[0x0a][..], &bytes, &[0xa1]].concat();
        let document = read(&bytes);
        let turns: usize = document.conversations.iter().map(|found| found.turns.len()).sum();
        prop_assert!(turns <= document.spans.read());
        prop_assert_eq!(read(&bytes), document);
    }
}
