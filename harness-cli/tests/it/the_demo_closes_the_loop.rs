//! The demo: an agent fails, a rule is proposed, a trial proves it, the agent gets better; the
//! controls stay unproven, the journal is unbroken, and a changed byte is caught.
//!
//! Arms are drawn with a fresh key each time, so a run is a sample. The demo's error rate is one in
//! a thousand; the bounds below leave three standard deviations or more.

use std::fs;

use serde_json::Value;

use crate::operator::{Operator, document, ends, stdout};

/// Standard deviations by which the arms of a useless rule may differ.
const BY_CHANCE: f64 = 3.5;

fn play(operator: &Operator) -> (Value, String) {
    let kept = operator.home().join("kept").to_str().unwrap().to_owned();
    let told = operator.runs(&["demo", "--keep", &kept, "--format", "json"], 0);
    (document(&told), kept)
}

/// By how many standard deviations fewer sessions failed where a rule was shown.
fn fewer_failures(arms: &Value) -> f64 {
    let of = |arm: &str, what: &str| arms[arm][what].as_f64().unwrap();
    let (shown, hidden) = (of("shown", "sessions"), of("hidden", "sessions"));
    let pooled = (of("shown", "failed") + of("hidden", "failed")) / (shown + hidden);
    let deviation = (pooled * (1.0 - pooled) * (1.0 / shown + 1.0 / hidden)).sqrt();
    (of("hidden", "rate") - of("shown", "rate")) / deviation
}

#[test]
fn the_loop_closes_and_everything_can_be_checked_afterwards() {
    let operator = Operator::new();
    let (told, kept) = play(&operator);
    assert_eq!(told["closed"], true);
    assert_eq!(told["rule"]["status"], "active");
    let rate = |name: &str| told[name]["rate"].as_f64().unwrap();
    assert!((0.4..0.8).contains(&rate("before")), "{told}");
    assert!(rate("after") < rate("before") / 2.0, "{told}");
    let verdict = &told["verdict"];
    assert!(verdict["e_value"].as_f64() >= verdict["threshold"].as_f64());
    assert!(told["tampering"]["found"].is_string());
    for control in told["controls"].as_array().unwrap() {
        assert_ne!(control["status"], "active", "{control}");
        assert!(fewer_failures(control) < BY_CHANCE, "{control}");
    }

    // The kept workspace says the same to whoever looks closer.
    let rule = told["rule"]["id"].as_str().unwrap();
    let at = |args: &[&str]| {
        let mut command = operator.command(args);
        command
            .env("HARNESS_ROOT", format!("{kept}/workspace"))
            .env("HARNESS_CONFIG_DIR", format!("{kept}/config"));
        command
    };
    ends(at(&["audit"]), 0);
    let verified = document(&ends(at(&["verify", rule, "--format", "json"]), 0));
    assert_eq!(verified["verdicts"][0]["numbers"], *verdict);
    let explained = document(&ends(at(&["explain", rule, "--format", "json"]), 0));
    assert_eq!(explained["episode"]["id"], told["episode"]["id"]);
    assert_eq!(explained["verdicts"][0]["verdict"], "promoted");

    // An agent without a session sees the rule, and no control.
    let answer = at(&[
        "tool",
        "harness_rules_search",
        "{\"query\": \"read_file report\"}",
    ]);
    let answer = document(&ends(answer, 0));
    let shown: Vec<&str> = answer["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert_eq!(shown, [rule]);

    // A letter of the rule's text, changed where agents' files show it or in the projection.
    for file in ["rules.jsonl", "rules/global.md"] {
        let path = format!("{kept}/workspace/{file}");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("read_file", "reed_file")).unwrap();
        let found = document(&ends(at(&["verify", rule, "--format", "json"]), 1));
        assert!(
            found["audit"]["breaks"][0]["file"]
                .as_str()
                .unwrap()
                .contains(file),
            "{found}"
        );
        ends(at(&["audit"]), 1);
        fs::write(&path, text).unwrap();
        ends(at(&["verify", rule]), 0);
    }
}

#[test]
fn a_temporary_demo_leaves_nothing_and_reads_like_a_story() {
    let operator = Operator::new();
    let told = stdout(&operator.runs(&["demo"], 0));
    for part in [
        "watch",
        "notice",
        "repair",
        "prove",
        "before the rule",
        "verify",
        "audit",
        "tamper",
        "Look closer",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert!(told.lines().count() <= 50, "{told}");
    assert_eq!(fs::read_dir(operator.home()).unwrap().count(), 0);
}

#[test]
fn a_folder_with_something_in_it_is_not_used() {
    let operator = Operator::with_workspace();
    operator.runs(&["demo", "--keep", operator.home().to_str().unwrap()], 2);
}
