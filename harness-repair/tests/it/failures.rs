//! Notices and traces made up for the tests.

use harness_core::{
    Applicability, Argument, Arguments, CleanString, CleanText, Condition, ErrorClass,
    MetricFinding, MetricName, MetricRegistry, MetricSpec, Notice, NoticeId, Score, SessionId,
    Severity, Signature, Span, SpanKind, SpanStatus, Speaker, Tier, Trace, TraceId,
};

pub(crate) const OK: SpanStatus = SpanStatus::Ok;
pub(crate) const NOT_FOUND: SpanStatus = SpanStatus::Failed(ErrorClass::NotFound);

pub(crate) fn text(text: &str) -> CleanString {
    CleanText::new(text.to_owned()).unwrap()
}

pub(crate) fn call(tool: &str, argument: (&str, &str), status: SpanStatus, output: &str) -> Span {
    Span {
        kind: SpanKind::Tool,
        name: text(tool),
        speaker: Speaker::Tool,
        arguments: Arguments::from_leaves(vec![Argument {
            path: text(argument.0),
            value: text(argument.1),
        }]),
        output: text(output),
        status,
        started_at: None,
        ended_at: None,
        tokens: None,
    }
}

pub(crate) fn trace(spans: Vec<Span>) -> Trace {
    Trace::new(
        TraceId::parse("s-1#0").unwrap(),
        text("What is in the plan?"),
        spans,
    )
}

/// An agent that asks for a file that is not there, twice, before it looks.
pub(crate) fn guessing() -> Trace {
    trace(vec![
        call(
            "read_file",
            ("path", "plans/spring-gala.txt"),
            NOT_FOUND,
            "no such file: plans/spring-gala.txt",
        ),
        call(
            "read_file",
            ("path", "plans/spring-gala.txt"),
            NOT_FOUND,
            "no such file: plans/spring-gala.txt",
        ),
        call("list_files", ("folder", "plans"), OK, "gala-2031.txt"),
    ])
}

pub(crate) fn metric(name: &str) -> MetricName {
    MetricName::parse(name).unwrap()
}

pub(crate) fn registry() -> MetricRegistry {
    let spec = |name, tier| MetricSpec {
        name: metric(name),
        tier,
        threshold: Score::new(0.5).unwrap(),
    };
    MetricRegistry::new([
        spec("tool_correctness", Tier::Diagnosis),
        spec("task_completion", Tier::Progress),
    ])
}

/// A breach of `tool_correctness` at the first turn of the session of that number.
pub(crate) fn notice(number: u32) -> Notice {
    let trace = TraceId::parse("s-1#0").unwrap();
    Notice {
        id: NoticeId::parse(&format!("n-{number}")).unwrap(),
        created_at: harness_core::Timestamp::from_micros(1_900_000_000_000_000),
        session: SessionId::parse(&format!("s-{number}")).unwrap(),
        turn_index: 0,
        severity: Severity::Breach,
        metrics: vec![MetricFinding {
            name: metric("tool_correctness"),
            value: Score::new(0.33),
            threshold: Score::new(0.5).unwrap(),
            reason: Some(text("2 of 3 calls failed: `read_file` not_found twice")),
            conditions: vec![Condition::Breach],
            trace: Some(trace.clone()),
            tier: Tier::Diagnosis,
        }],
        flagged_traces: vec![trace],
        signal_breakdown: Vec::new(),
        signatures: vec![Signature {
            condition: Condition::Breach,
            metric: metric("tool_correctness"),
        }],
        summary: text("tool_correctness is 0.33"),
        scope_hints: Vec::new(),
        recommended_scope: None,
        applicability_hint: Applicability::Global,
        host_labels: Vec::new(),
        task_summary: Some(text("read a plan aloud")),
        principal: None,
        shown_rules: Vec::new(),
        resolution: None,
    }
}
