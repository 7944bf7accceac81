//! `guard check` and `check-url` decide without running anything.

use std::fs;

use serde_json::{Value, json};

use crate::operator::{Operator, document, stdout};

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn urls_are_judged_one_a_line() {
    let operator = Operator::new();
    let all = [
        "check-url",
        "--no-resolve",
        "https://example.org/",
        "http://0x7f.1/",
        "ftp://example.org/",
    ];
    let judged = lines(&stdout(&operator.runs(&all, 1)));
    let shown: Vec<_> = judged
        .iter()
        .map(|line| {
            (
                line["decision"].as_str().unwrap(),
                line["rule"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("allow", "public"),
            ("deny", "loopback"),
            ("deny", "scheme")
        ]
    );
    for line in &judged {
        let keys: Vec<&str> = line
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(keys, ["decision", "input", "reason", "rule"]);
    }
    operator.runs(&["check-url", "--no-resolve", "https://example.org/"], 0);
    // An address needs no resolver.
    operator.runs(&["check-url", "http://8.8.8.8/"], 0);
    operator.runs(&["check-url", "http://127.0.0.1/"], 1);
    operator.runs(&["check-url"], 2);
}

fn check(operator: &Operator, call: &Value, code: i32) -> Value {
    let file = operator.home().join("call.json");
    fs::write(&file, call.to_string()).unwrap();
    let file = file.to_str().unwrap();
    operator.json_with(&["guard", "check", file], code)
}

#[test]
fn a_call_is_decided_step_by_step() {
    let operator = Operator::new();
    let work = operator.home().join("work");
    fs::create_dir(&work).unwrap();
    fs::write(work.join("a.txt"), "x").unwrap();
    let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    let root = work.to_str().unwrap();
    let read = call("read_file", json!({"path": "a.txt"}));
    let decided = check(&operator, &json!({"root": root, "call": read}), 0);
    assert_eq!(decided["decision"], "allow");
    let steps = decided["steps"].as_array().unwrap();
    let names: Vec<&str> = steps
        .iter()
        .map(|step| step["check"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "grant", "schema", "path", "command", "web", "content", "intent", "budget", "consent"
        ]
    );
    assert!(steps.iter().all(|step| step["verdict"] == "passed"));

    let write = call("write_file", json!({"path": "b.txt", "content": "x"}));
    let decided = check(&operator, &json!({"root": root, "call": write}), 1);
    assert_eq!(decided["decision"], "confirm");
    let last = decided["steps"].as_array().unwrap().last().unwrap();
    assert_eq!(
        last,
        &json!({"check": "person", "verdict": "asks", "asks": ["mode"]})
    );
    let edits = json!({"root": root, "mode": "acceptEdits", "call": write});
    check(&operator, &edits, 0);
    let denied = json!({"root": root, "call": write, "policy": {"deny": [{"tool": "write_file"}]}});
    let decided = check(&operator, &denied, 1);
    assert_eq!(decided["decision"], "deny");
    let last = decided["steps"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["check"], &last["error"]),
        (&json!("consent"), &json!("policy_denied"))
    );
    assert!(!work.join("b.txt").exists(), "nothing ran");

    let out = call("read_file", json!({"path": "../call.json"}));
    let decided = check(&operator, &json!({"root": root, "call": out}), 1);
    let last = decided["steps"].as_array().unwrap().last().unwrap();
    assert_eq!(last["error"], "path_outside");
    let text = operator.home().join("call.json");
    let text = operator.runs(&["guard", "check", text.to_str().unwrap()], 1);
    assert!(
        stdout(&text).contains("refused path_outside"),
        "{}",
        stdout(&text)
    );
}

#[test]
fn a_file_that_says_something_else_is_bad_usage() {
    let operator = Operator::new();
    let file = operator.home().join("call.json");
    let call = json!({"name": "read_file", "arguments": {"path": "a"}});
    for bad in [
        json!([]),
        json!({}),
        json!({"call": call, "modes": "default"}),
        json!({"call": call, "mode": "yolo"}),
        json!({"call": call, "phase": {"role": "king"}}),
        json!({"call": call, "phase": {"grant": ["read_flie"]}}),
        json!({"call": call, "tools": [{"name": "x", "schema": {"type": "array"}}]}),
        json!({"call": call, "root": "/no/such/folder"}),
    ] {
        fs::write(&file, bad.to_string()).unwrap();
        operator.runs(&["guard", "check", file.to_str().unwrap()], 2);
    }
    operator.runs(&["guard", "check", "/no/such/file"], 2);
    let declared = json!({
        "root": operator.home().join("work"),
        "call": {"name": "look", "arguments": {}},
        "tools": [{"name": "look", "schema": {"type": "object", "properties": {}}, "effect": "read"}],
    });
    fs::create_dir(operator.home().join("work")).unwrap();
    fs::write(&file, declared.to_string()).unwrap();
    let output = operator.runs(
        &["guard", "check", file.to_str().unwrap(), "--format", "json"],
        0,
    );
    assert_eq!(document(&output)["decision"], "allow");
}
