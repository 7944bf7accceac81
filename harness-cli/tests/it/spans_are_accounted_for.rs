//! A run over spans says of each whether it was used, or why not.

use std::fs;

use serde_json::{Value, json};

use crate::operator::{Operator, failing, stdout};

/// A call of a tool that fails, a second after the one before.
fn call(id: u64) -> Value {
    json!({
        "traceId": "t1", "spanId": format!("s{id}"), "parentSpanId": "s0", "name": "open_shelf",
        "startTimeUnixNano": 1_700_000_000_000_000_000 + id * 1_000_000_000,
        "endTimeUnixNano": 1_700_000_000_000_000_001 + id * 1_000_000_000,
        "attributes": {
            "openinference.span.kind": "TOOL", "input.value": "{\"name\": \"east\"}",
            "output.value": "{\"error\": \"not found\"}",
        },
    })
}

fn spans() -> String {
    let root = json!({
        "traceId": "t1", "spanId": "s0", "name": "agent", "startTimeUnixNano": 1,
        "attributes": {
            "openinference.span.kind": "AGENT", "session.id": "shop-1",
            "input.value": "Where is the blue box?", "output.value": "On the east shelf.",
        },
    });
    let chain = json!({
        "traceId": "t1", "spanId": "s9", "parentSpanId": "s0", "name": "route",
        "attributes": { "openinference.span.kind": "CHAIN" },
    });
    let lines: Vec<String> = [root, call(1), call(2), chain, call(2)]
        .iter()
        .map(Value::to_string)
        .collect();
    lines.join("\n")
}

#[test]
fn each_span_is_used_or_dropped_with_a_reason() {
    let operator = Operator::with_workspace();
    let file = operator.home().join("spans.jsonl");
    fs::write(&file, spans()).unwrap();
    let path = file.to_str().unwrap();
    let run = operator.json(&["run", "--traces", path]);
    assert_eq!(
        (run["sessions"].clone(), run["turns"].clone()),
        (json!(1), json!(1))
    );
    let spans = &run["spans"];
    let reason = |at: usize| spans["dropped"][at]["reason"].as_str().unwrap().to_owned();
    assert_eq!(
        (spans["read"].clone(), spans["used"].clone()),
        (json!(5), json!(3))
    );
    assert_eq!(spans["dropped_unlisted"], 0);
    let names: Vec<&Value> = [0, 1].map(|at| &spans["dropped"][at]["span"]).into();
    assert_eq!(names, ["s2", "s9"]);
    assert!(reason(0).starts_with("it was told before"), "{}", reason(0));
    assert!(
        reason(1).starts_with("it groups other steps"),
        "{}",
        reason(1)
    );

    let again = stdout(&operator.runs(&["run", "--traces", path], 0));
    assert!(again.contains("5 spans: 3 used"), "{again}");
    assert!(
        again.contains("1 dropped: it groups other steps"),
        "{again}"
    );
}

#[test]
fn a_run_without_spans_says_nothing_of_them() {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[failing("a")]);
    let run = operator.json(&["run", "--traces", &folder]);
    assert_eq!(run.get("spans"), None);
}
