//! Traces made up for this crate's own unit tests.

use harness_core::{
    Argument, Arguments, CleanText, ErrorClass, Span, SpanKind, SpanStatus, Speaker, Trace, TraceId,
};
use harness_sanitize::{Gate, Intake, Redactor};

pub(crate) const OK: SpanStatus = SpanStatus::Ok;

pub(crate) fn intake() -> Intake {
    Intake::new(Gate::default(), Redactor::patterns_only())
}

pub(crate) fn failed(class: ErrorClass) -> SpanStatus {
    SpanStatus::Failed(class)
}

pub(crate) fn call(
    name: &str,
    arguments: &[(&str, &str)],
    status: SpanStatus,
    output: &str,
) -> Span {
    let text = |text: &str| CleanText::new(text.to_owned()).unwrap();
    let leaves = arguments
        .iter()
        .map(|(path, value)| Argument {
            path: text(path),
            value: text(value),
        })
        .collect();
    Span {
        kind: SpanKind::Tool,
        name: text(name),
        speaker: Speaker::Tool,
        arguments: Arguments::from_leaves(leaves),
        output: text(output),
        status,
        started_at: None,
        ended_at: None,
        tokens: None,
    }
}

pub(crate) fn said(output: &str) -> Span {
    let mut span = call("some-model", &[], OK, output);
    span.kind = SpanKind::Llm;
    span.speaker = Speaker::Agent;
    span
}

pub(crate) fn trace(spans: Vec<Span>) -> Trace {
    Trace::new(
        TraceId::parse("t-1").unwrap(),
        CleanText::new("why?").unwrap(),
        spans,
    )
}
