//! What was taken over of a workspace of 0.9 is in the one that is written for 0.9.

use std::path::Path;

use harness_sanitize::{Gate, Intake, Redactor};
use harness_store::wire::rule::RuleDoc;
use harness_store::{OperatorEvent, Original, Projection, StoreError, Tx, export};
use serde_json::{Value, json};

use crate::fixture::{Place, SOON, rule};

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A rule of 0.9 in mid-trial, a case, and the gate of a conversation with its samples.
fn original(folder: &Path) -> (Value, Value, Value) {
    let trial = json!({
        "baseline_breached_sessions": 3, "baseline_sessions": 4, "baseline_window": 5,
        "trial_started_at": "2026-11-30T09:00:00.000000+00:00",
        "observed_sessions": ["a", "b"], "breached_sessions": ["b"], "observed_breaches": 1,
        "replay_attempts": 2, "verdict": "",
    });
    let mut with_trial: Value = serde_json::to_value(rule("r-0000000009", "Look it up.")).unwrap();
    with_trial["trial"] = trial.clone();
    let case = json!({
        "id": "c-0000000009", "kind": "win", "session_id": "a", "signature": [],
        "created_at": "2026-11-30T09:00:00.000000+00:00", "baseline_scores": {"coherence": 0.75},
        "replay_input": {"task": "an order"}, "notes": "kept",
    });
    let history = json!({"a::coherence": {
        "gate": {"peak": 0.75, "turns_since_gain": 2},
        "series": [{"value": 0.75, "ts": "2026-11-30T09:00:00.000000+00:00", "run_id": null}],
    }});
    for (path, value) in [
        ("rules.jsonl", &with_trial),
        ("evalset/c-0000000009.json", &case),
        ("state/score_history.json", &history),
    ] {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{value}\n")).unwrap();
    }
    (trial, case, history)
}

#[test]
fn trials_cases_and_samples_come_back() {
    let place = Place::new();
    let folder = tempfile::tempdir().unwrap();
    let (trial, mut case, history) = original(&folder.path().join("in"));
    let intake = Intake::new(Gate::default(), Redactor::patterns_only());
    let original = Original::read(&folder.path().join("in"), &intake).unwrap();
    assert_eq!(original.unread(), []);
    let halves = place.open();
    let taken = halves
        .operator
        .commit(SOON, move |tx: &mut Tx<'_, OperatorEvent>| {
            tx.take_over(&original, |_| false)
        });
    let taken: Result<_, StoreError> = taken.unwrap();
    assert_eq!(taken.unwrap().rules.len(), 1);

    // Whoever derives the rules knows nothing of trials elsewhere.
    let rules: Vec<RuleDoc> = ["r-0000000009", "r-0000000001"]
        .map(|id| rule(id, "Look it up."))
        .into();
    // What is no file of ours stops nothing.
    std::fs::create_dir(place.file("traces/odd.json")).unwrap();
    let out = folder.path().join("out");
    let files = [Projection::ReplaceRules(rules)];
    export(&halves.reader, &out, &files).unwrap();
    let written = std::fs::read_to_string(out.join("rules.jsonl")).unwrap();
    let trials: Vec<Value> = written
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["trial"].clone())
        .collect();
    assert_eq!(trials, [trial, Value::Null]);
    // Beside what 0.9 knows stands what it does not.
    case["x_replayable"] = json!(true);
    assert_eq!(read(&out.join("evalset/c-0000000009.json")), case);
    assert_eq!(read(&out.join("state/score_history.json")), history);
}
