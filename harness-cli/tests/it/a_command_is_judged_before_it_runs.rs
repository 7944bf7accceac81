//! `check-command` and `shell --explain` say what the policies decide, and run nothing.

use std::fs;

use serde_json::{Value, json};

use crate::operator::{Operator, ends, stdout};

/// A workspace beside the operator's root.
fn judged(args: &[&str], code: i32) -> String {
    let operator = Operator::new();
    let folder = operator.home().join("work");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("notes.txt"), "notes\n").unwrap();
    let mut command = operator.command(args);
    command.current_dir(&folder);
    let told = stdout(&ends(command, code));
    let left: Vec<_> = fs::read_dir(&folder).unwrap().collect();
    assert_eq!(left.len(), 1, "something ran");
    told
}

fn verdicts(told: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| value[name].as_str().unwrap().to_owned();
        assert!(!field("reason").is_empty() && field("rule").contains('.'));
        (field("input"), field("decision"))
    };
    told.lines().map(line).collect()
}

#[test]
fn each_line_has_its_answer_and_the_strictest_decides_the_exit() {
    let lines = ["cat notes.txt | wc -l", "rm notes.txt", "sudo touch c"];
    let told = judged(&[&["check-command"], &lines[..]].concat(), 1);
    let wanted = ["allow", "confirm", "deny"];
    let pairs = lines.iter().zip(wanted);
    let wanted: Vec<_> = pairs
        .map(|(line, verdict)| (line.to_string(), verdict.to_owned()))
        .collect();
    assert_eq!(verdicts(&told), wanted);

    let told = judged(&["check-command", "ls -la"], 0);
    assert_eq!(verdicts(&told), [("ls -la".to_owned(), "allow".to_owned())]);
}

#[test]
fn the_harness_is_not_named_by_an_agent() {
    let told = judged(
        &[
            "check-command",
            "cat ../root/journal.jsonl",
            "cat ../config/x",
        ],
        1,
    );
    let answers: Vec<String> = verdicts(&told)
        .into_iter()
        .map(|(_, verdict)| verdict)
        .collect();
    assert_eq!(answers, ["deny", "deny"]);
}

#[test]
fn a_refusal_holds_no_secret() {
    let token = "ghp_a8Kd03mZq71LxVbT5uWcY2NfR9sHgJ4eP6iO";
    let told = judged(&["check-command", &format!("{token} x")], 1);
    assert!(!told.contains(token), "{told}");
}

#[test]
fn a_command_is_explained_and_not_run() {
    let told = judged(&["shell", "--explain", "--", "cat", "notes.txt"], 0);
    assert!(told.starts_with("allow by shell.grammar: "), "{told}");
    let told = judged(
        &[
            "shell",
            "--explain",
            "--format",
            "json",
            "--",
            "cat",
            "/etc/passwd",
        ],
        1,
    );
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(
        (&told["decision"], &told["rule"]),
        (&json!("deny"), &json!("shell.path"))
    );
    assert!(told["instead"].is_string(), "{told}");
    judged(&["shell", "--explain", "--", "touch", "c"], 1);
}
