//! A workspace of pandaprobe-harness 0.9 is taken over as what it is, another program's word, and
//! one that 0.9 reads is written.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::operator::{Operator, failing, stderr, stdout};

const NOTICE: &str = "n-20260102T030405000000-0000000a";
const RESOLVED: &str = "n-20260102T030405000000-0000000b";

fn rule(id: &str, status: &str, text: &str) -> Value {
    json!({
        "id": id, "created_at": "2026-01-02T03:04:05.000006+00:00", "rule": text,
        "rationale": "it went wrong twice", "source_notice_id": null,
        "metric": "tool_correctness", "status": status, "tags": ["shelves"], "trial": null,
        "scope": "shelves", "applicability": "topical",
        "failure_signatures": ["breach:tool_correctness"],
    })
}

fn notice(id: &str, resolution: &Value) -> Value {
    json!({
        "id": id, "created_at": "2026-01-02T03:04:05.000006+00:00", "session_id": "s-1",
        "turn_index": 1, "severity": "breach",
        "metrics": [{
            "name": "tool_correctness", "value": 0.25, "threshold": 0.5, "reason": null,
            "conditions": ["breach"], "trace_id": "t-1", "tier": 2,
        }],
        "flagged_traces": ["t-1"], "signal_breakdown": {"t-1": {"tool_correctness": 0.25}},
        "dump_path": "/elsewhere/x.json", "summary": "tool_correctness at 0.25",
        "signatures": ["breach:tool_correctness"], "scope_hint": "global", "scope_hints": [],
        "recommended_scope": null, "applicability_hint": "global",
        "status": if resolution.is_null() { "pending" } else { "acknowledged" },
        "resolution": resolution,
    })
}

/// A workspace as 0.9 leaves it, made up here, with a few things wrong in it.
fn original(at: &Path) {
    let write = |path: &str, text: String| {
        let path = at.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let rules = [
        rule("r-0000000001", "candidate", "Ask which shelf is meant."),
        rule("r-0000000001", "active", "Ask which shelf is meant."),
        rule("r-0000000002", "retired", "Open every shelf."),
        rule(
            "r-0000000003",
            "candidate",
            "List the shelves\nbefore opening one.\u{202e}",
        ),
        rule("r-0000000004", "enabled", "A status that nobody knows."),
    ];
    write(
        "rules.jsonl",
        rules.map(|rule| rule.to_string()).join("\n") + "\n{torn",
    );
    let resolution = json!({
        "acked_at": "2026-01-02T04:04:05.000006+00:00", "rule_id": "r-0000000001", "note": null,
        "kind": "candidate",
    });
    let pending = notice(NOTICE, &Value::Null);
    write(
        &format!("mailbox/pending/{NOTICE}.json"),
        pending.to_string(),
    );
    let processed = notice(RESOLVED, &resolution);
    write(
        &format!("mailbox/processed/{RESOLVED}.json"),
        processed.to_string(),
    );
    write(
        "evalset/c-0000000001.json",
        json!({
            "id": "c-0000000001", "created_at": "2026-01-02T03:04:05.000006+00:00",
            "session_id": "s-1", "kind": "win", "signature": [],
            "baseline_scores": {"task_completion": 0.75}, "replay_input": {"task": "a shelf"},
            "notes": "",
        })
        .to_string(),
    );
    write(
        "state/score_history.json",
        json!({"s-1::task_completion": {
            "gate": {"peak": 0.75, "turns_since_gain": 2},
            "series": [{"value": 0.75, "ts": "2026-01-02T03:04:05.000006+00:00", "run_id": null}],
        }})
        .to_string(),
    );
}

fn statuses(rules: &Value) -> Vec<(String, String, bool)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rules["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| {
            let imported = rule["imported"].as_bool().unwrap();
            (text(&rule["id"]), text(&rule["status"]), imported)
        })
        .collect()
}

fn expected() -> Vec<(String, String, bool)> {
    [
        ("r-0000000001", "active"),
        ("r-0000000002", "retired"),
        ("r-0000000003", "candidate"),
    ]
    .map(|(id, status)| (id.to_owned(), status.to_owned(), true))
    .to_vec()
}

#[test]
fn rules_keep_their_status_as_imported_and_an_active_one_is_on_holdout() {
    let operator = Operator::new();
    let source = operator.home().join("original");
    original(&source);
    let source = source.to_str().unwrap();
    let taken = operator.json(&["import", source]);
    assert_eq!(taken["rules"].as_array().unwrap().len(), 3);
    assert_eq!(taken["unreadable"].as_array().unwrap().len(), 2, "{taken}");
    assert_eq!(statuses(&operator.json(&["rules"])), expected());
    operator.runs(&["audit"], 0);
    // There is no verdict to derive, and none is claimed.
    operator.runs(&["verify", "r-0000000001"], 5);

    let notices = operator.json(&["notices", "--all"]);
    assert_eq!(notices["notices"].as_array().unwrap().len(), 2);
    assert_eq!(operator.json(&["status"])["notices"]["pending"], json!(1));

    // The loop goes on from here.
    let recordings = operator.record(&[failing("s-2")]);
    operator.json(&["run", "--traces", &recordings]);
    let rule = operator.json(&["rules", "r-0000000001"]);
    assert_eq!(rule["trial"]["name"], json!("holdout.1"));
    operator.runs(&["audit"], 0);
}

#[test]
fn taking_over_twice_adds_nothing() {
    let operator = Operator::new();
    let source = operator.home().join("original");
    original(&source);
    let source = source.to_str().unwrap();
    operator.json(&["import", source]);
    let journal = fs::read(operator.root().join("journal.jsonl")).unwrap();
    let again = operator.json(&["import", source]);
    assert_eq!((&again["rules"], &again["known"]), (&json!([]), &json!(7)));
    assert_eq!(
        fs::read(operator.root().join("journal.jsonl")).unwrap(),
        journal
    );
}

#[test]
fn a_workspace_is_taken_over_where_it_lies() {
    let operator = Operator::new();
    original(&operator.root());
    let foreign = "{\"type\":\"health\",\"ok\":true,\"ts\":\"2026-01-02T03:04:05Z\"}\n";
    fs::write(operator.root().join("journal.jsonl"), foreign).unwrap();
    let root = operator.root();
    operator.json(&["import", root.to_str().unwrap()]);
    assert_eq!(statuses(&operator.json(&["rules"])), expected());
    let audit = operator.json(&["audit"]);
    assert_eq!(audit["foreign"], json!(1));
}

#[test]
fn what_is_written_can_be_taken_over_again() {
    let operator = Operator::new();
    let source = operator.home().join("original");
    original(&source);
    operator.json(&["import", source.to_str().unwrap()]);
    let out = operator.home().join("out");
    let out = out.to_str().unwrap();
    let written = operator.json(&["export", out]);
    assert_eq!(
        (&written["rules"], &written["notices"]),
        (&json!(3), &json!(2))
    );

    let other = Operator::new();
    let taken = other.json(&["import", out]);
    assert_eq!(taken["unreadable"], json!([]));
    assert_eq!(statuses(&other.json(&["rules"])), expected());
    let all = |operator: &Operator| operator.json(&["notices", "--all"]);
    assert_eq!(all(&other), all(&operator));
    let case = |at: &Path| -> Value {
        serde_json::from_slice(&fs::read(at.join("evalset/c-0000000001.json")).unwrap()).unwrap()
    };
    assert_eq!(
        case(Path::new(out))["replay_input"],
        json!({"task": "a shelf"})
    );
    assert_eq!(case(&other.root()), case(&operator.root()));
    // A folder with something in it is left alone.
    let refused = operator.runs(&["export", out], 2);
    assert!(stderr(&refused).contains("is not empty"));
}

#[test]
fn a_folder_without_such_a_workspace_is_refused() {
    let operator = Operator::with_workspace();
    for folder in [
        operator.home().join("nowhere"),
        operator.home().join("empty"),
    ] {
        if folder.ends_with("empty") {
            fs::create_dir(&folder).unwrap();
        }
        let refused = operator.runs(&["import", folder.to_str().unwrap()], 2);
        assert!(stderr(&refused).contains("holds no workspace"));
        assert_eq!(stdout(&refused), "");
    }
}
