//! Scripts tell from the exit code whose turn it is.

use std::fs;

use crate::operator::{Operator, ends, failing, stderr, stdout};

#[test]
fn what_is_not_understood_is_2_and_its_twin_0() {
    let operator = Operator::with_workspace();
    for args in [
        &["fly"][..],
        &[],
        &["status", "--fast"],
        &["status", "--format", "xml"],
        &["retire", "r-1"],
        &["rules", "../x"],
        &["audit", "--since", "yesterday"],
        &["tool", "harness_rules_list", "{"],
        &["run", "--traces", "-", "--repair", "vendor/model"],
    ] {
        let output = operator.runs(args, 2);
        assert!(stdout(&output).is_empty(), "{args:?}");
        assert!(!stderr(&output).is_empty(), "{args:?}");
    }
    for args in [
        &["status"][..],
        &["rules"],
        &["audit", "--since", "2026-11-30T00:00:00Z"],
        &["tool", "harness_rules_list", "{}"],
        &["--help"],
        &["--version"],
    ] {
        operator.runs(args, 0);
    }
}

#[cfg(not(feature = "rig"))]
#[test]
fn a_provider_is_refused_by_name_with_the_way_out() {
    let operator = Operator::with_workspace();
    let output = operator.runs(&["run", "--traces", "-", "--repair", "vendor/model"], 2);
    let said = stderr(&output);
    assert!(
        said.contains("`vendor/model`")
            && said.contains("`builtin` or `none`")
            && said.contains("--features rig"),
        "{said}"
    );
}

#[test]
fn a_bad_setting_is_named_with_what_is_allowed() {
    let operator = Operator::with_workspace();
    let mut command = operator.command(&["rules"]);
    command.env("HARNESS_ALPHA", "7");
    let said = stderr(&ends(command, 2));
    assert!(said.contains("HARNESS_ALPHA=`7` is not allowed"), "{said}");
}

#[test]
fn an_anchor_beneath_the_root_is_2_as_it_would_guard_nothing() {
    let operator = Operator::new();
    let mut command = operator.command(&["init"]);
    command.env("HARNESS_CONFIG_DIR", operator.root().join("config"));
    ends(command, 2);
    operator.runs(&["init"], 0);
}

#[test]
fn a_missing_workspace_is_3_and_the_message_says_how_to_make_one() {
    let operator = Operator::new();
    for args in [
        &["status"][..],
        &["rules"],
        &["resume", "--reason", "x"],
        &["audit"],
    ] {
        let output = operator.runs(args, 3);
        assert!(
            stderr(&output).contains("harness init"),
            "{}",
            stderr(&output)
        );
    }
    operator.runs(&["init"], 0);
    operator.runs(&["status"], 0);
}

#[test]
fn a_newer_workspace_is_read_and_not_written() {
    let operator = Operator::with_workspace();
    let identity = operator.root().join("state/workspace.json");
    let text = fs::read_to_string(&identity).unwrap();
    assert!(text.contains("\"version\":"), "{text}");
    let newer = text
        .replace("\"version\": 1", "\"version\": 2")
        .replace("\"version\":1", "\"version\":2");
    assert_ne!(text, newer);
    fs::write(&identity, newer).unwrap();
    for args in [&["status"][..], &["rules"], &["journal"], &["notices"]] {
        operator.runs(args, 0);
    }
    for args in [&["init"][..], &["resume", "--reason", "x"]] {
        let said = stderr(&operator.runs(args, 3));
        assert!(said.contains("version 2"), "{said}");
    }
}

#[test]
fn an_edited_journal_is_1_and_an_untouched_one_0() {
    let operator = Operator::with_workspace();
    operator.runs(&["audit"], 0);
    let journal = operator.root().join("journal.jsonl");
    let mut bytes = fs::read(&journal).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&journal, bytes).unwrap();
    operator.runs(&["audit"], 1);
    let report = operator.json_with(&["audit"], 1);
    assert_eq!(report["ok"], false);
    assert!(!report["breaks"].as_array().unwrap().is_empty());
}

#[test]
fn without_an_anchor_nobody_can_tell() {
    let operator = Operator::with_workspace();
    let config = operator.home().join("config");
    for folder in fs::read_dir(config).unwrap() {
        fs::remove_file(folder.unwrap().path().join("anchor")).unwrap();
    }
    let report = operator.json_with(&["audit"], 5);
    assert_eq!(report["anchored"], serde_json::Value::Null);
}

#[test]
fn a_rule_without_a_verdict_is_5_and_no_rule_is_2() {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[failing("a")]);
    let run = operator.json(&["run", "--traces", &folder]);
    let rule = run["episodes"][0]["rule_id"].as_str().unwrap();
    operator.runs(&["verify", rule], 5);
    operator.runs(&["explain", rule], 0);
    operator.runs(&["verify", "r-0000000000"], 2);
}

#[test]
fn nothing_readable_is_2_and_one_readable_among_others_0() {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[]);
    fs::write(format!("{folder}/bad.json"), "{").unwrap();
    let report = operator.json_with(&["run", "--traces", &folder], 2);
    assert_eq!(report["unreadable"].as_array().unwrap().len(), 1);
    operator.record(&[failing("a")]);
    let report = operator.json(&["run", "--traces", &folder]);
    assert_eq!(report["unreadable"].as_array().unwrap().len(), 1);
    assert_eq!(report["sessions"], 1);
}

#[test]
fn a_tool_that_is_not_ok_is_1() {
    let operator = Operator::with_workspace();
    let answer = operator.json_with(&["tool", "harness_rule_promote", "{}"], 1);
    assert_eq!(
        answer["error"],
        "unsupported capability 'harness_rule_promote'"
    );
    let answer = operator.json(&["tool", "harness_rules_read", "{\"scope\": \"global\"}"]);
    assert_eq!(answer["ok"], true);
}
