//! `shell` runs what the policy allows, confined to the folder it is called in; the doctor says by
//! what.
#![cfg(target_os = "linux")]

use std::fs;

use serde_json::Value;

use crate::operator::{Operator, ends, stdout};

/// What comes of a command in a workspace beside the operator's root.
fn shell(args: &[&str], code: i32) -> String {
    let operator = Operator::new();
    let folder = operator.home().join("work");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("notes.txt"), "{\"a\": 1}\n").unwrap();
    let mut command = operator.command(&[&["shell"], args].concat());
    command.current_dir(&folder);
    stdout(&ends(command, code))
}

fn json(args: &[&str], code: i32) -> Value {
    let told = shell(&[&["--format", "json", "--"], args].concat(), code);
    serde_json::from_str(&told).unwrap()
}

#[test]
fn what_is_allowed_runs_and_its_words_come_back() {
    assert_eq!(shell(&["--", "cat", "notes.txt"], 0), "{\"a\": 1}\n");
    let ran = json(&["cat", "notes.txt"], 0);
    assert_eq!(ran["stdout"], "{\"a\": 1}\n");
    assert_eq!(ran["exit_code"], 0);
    assert_eq!(ran["ended"], "exited");
}

#[test]
fn what_fails_has_its_own_code_in_the_json() {
    let ran = json(&["ls", "absent"], 1);
    assert_eq!(ran["exit_code"], 2, "{ran}");
    assert!(ran["stderr"].as_str().unwrap().contains("absent"));
}

#[test]
fn what_is_refused_does_not_run() {
    let told = json(&["cat", "/etc/passwd"], 1);
    assert_eq!(told["decision"], "deny");
    assert!(told.get("stdout").is_none(), "{told}");
}

#[test]
fn the_doctor_says_what_each_sandbox_proved() {
    let operator = Operator::new();
    ends(operator.command(&["init"]), 0);
    let mut command = operator.command(&["doctor", "--format", "json"]);
    let told: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let checks = told["checks"].as_array().unwrap();
    let sandboxes: Vec<&Value> = checks
        .iter()
        .filter(|check| check["name"] == "sandbox")
        .collect();
    assert_eq!(sandboxes.len(), 4, "{told}");
    assert_eq!(sandboxes[0]["outcome"], "holds", "{told}");
    assert!(
        sandboxes[0]["what"]
            .as_str()
            .unwrap()
            .starts_with("native: refused ")
    );
}
