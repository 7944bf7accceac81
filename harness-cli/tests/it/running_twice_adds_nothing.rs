//! The same recordings again post, repair and write nothing.

use std::fs;

use serde_json::json;

use crate::operator::{Operator, ends, failing, fine};

#[test]
fn the_second_run_reads_the_same_and_adds_nothing() {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[failing("a"), fine("b"), failing("c")]);
    let first = operator.json(&["run", "--traces", &folder]);
    assert!(first["alerts"].as_u64().unwrap() >= 2);
    let journal = fs::read(operator.root().join("journal.jsonl")).unwrap();
    let second = operator.json(&["run", "--traces", &folder]);
    assert_eq!(
        second,
        json!({
            "sessions": 3, "turns": first["turns"], "alerts": 0, "notices": [], "episodes": [],
            "unreadable": [],
        })
    );
    assert_eq!(
        fs::read(operator.root().join("journal.jsonl")).unwrap(),
        journal
    );
    operator.runs(&["audit"], 0);
}

#[test]
fn recordings_never_enter_a_trial() {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[failing("a")]);
    operator.json(&["run", "--traces", &folder]);
    operator.record(&[failing("a"), failing("b"), failing("c")]);
    operator.json(&["run", "--traces", &folder]);
    let rules = operator.json(&["rules"]);
    assert_eq!(rules["rules"][0]["trial"]["entered"], 0);
}

#[test]
fn observing_only_posts_nothing_and_journals_what_it_would_have() {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[failing("a")]);
    let run = operator.json(&["run", "--traces", &folder, "--observe-only"]);
    assert_eq!(run["episodes"], json!([]));
    assert_eq!(
        operator.json(&["notices", "--all"]),
        json!({ "notices": [] })
    );
    let seen = operator.runs(&["journal", "--kind", "notice", "--format", "json"], 0);
    assert!(!seen.stdout.is_empty());
}

#[test]
fn stdin_is_a_recording_too() {
    let operator = Operator::with_workspace();
    let mut command = operator.command(&[
        "run", "--traces", "-", "--format", "json", "--repair", "none",
    ]);
    command.write_stdin(failing("a").to_string());
    let run = crate::operator::document(&ends(command, 0));
    assert_eq!(
        (run["sessions"].clone(), run["episodes"].clone()),
        (json!(1), json!([]))
    );
    assert_eq!(run["notices"].as_array().unwrap().len(), 1);
}
