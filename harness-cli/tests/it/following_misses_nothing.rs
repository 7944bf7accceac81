//! `journal --follow` shows what is there and then what is appended, each line once.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::operator::Operator;

/// How long a line may take to appear before something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn an_appended_event_appears_once() {
    let operator = Operator::with_workspace();
    let args = [
        "journal",
        "--follow",
        "--kind",
        "operator_action",
        "--format",
        "json",
    ];
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("harness"));
    let mut follower = command
        .args(args)
        .env_clear()
        .env("HARNESS_ROOT", operator.root())
        .env("HARNESS_CONFIG_DIR", operator.home().join("config"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (tell, told) = mpsc::channel();
    let output = BufReader::new(follower.stdout.take().unwrap());
    let listener = thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            let _ = tell.send(serde_json::from_str::<Value>(&line).unwrap());
        }
    });
    let next = || told.recv_timeout(PATIENCE).unwrap();
    assert_eq!(next()["action"], "init");
    for reason in ["one", "two"] {
        operator.runs(&["resume", "--reason", reason], 0);
        assert_eq!(next()["reason"], reason);
    }
    follower.kill().unwrap();
    follower.wait().unwrap();
    listener.join().unwrap();
    assert!(told.try_recv().is_err());
}
