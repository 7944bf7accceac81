//! An operator with a workspace of their own and nothing else in the environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The operator.
pub(crate) struct Operator {
    home: TempDir,
}

impl Operator {
    /// Without a workspace.
    pub(crate) fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
        }
    }

    /// With a workspace.
    pub(crate) fn with_workspace() -> Self {
        let operator = Self::new();
        operator.runs(&["init"], 0);
        operator
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.home.path().join("root")
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::cargo_bin("harness").unwrap();
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home.path())
            .env("TMPDIR", self.home.path())
            .env("HARNESS_ROOT", self.root())
            .env("HARNESS_CONFIG_DIR", self.home.path().join("config"));
        command
    }

    /// Runs a verb that must end with this code.
    pub(crate) fn runs(&self, args: &[&str], code: i32) -> Output {
        ends(self.command(args), code)
    }

    /// Runs a verb that must end well and print one JSON document.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        self.json_with(args, 0)
    }

    /// Runs a verb that must end with this code and print one JSON document.
    pub(crate) fn json_with(&self, args: &[&str], code: i32) -> Value {
        let output = self.runs(&[args, &["--format", "json"]].concat(), code);
        document(&output)
    }

    /// Writes a recording of `conversations` and returns its folder.
    pub(crate) fn record(&self, conversations: &[Value]) -> String {
        let folder = self.home.path().join("recordings");
        fs::create_dir_all(&folder).unwrap();
        for (at, conversation) in conversations.iter().enumerate() {
            fs::write(folder.join(format!("{at}.json")), conversation.to_string()).unwrap();
        }
        folder.to_str().unwrap().to_owned()
    }
}

/// Runs a command that must end with this code.
pub(crate) fn ends(mut command: Command, code: i32) -> Output {
    let output = command.output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(code),
        "{command:?}\n{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// The one document on stdout.
pub(crate) fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stdout)))
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A conversation that goes well and then, in its second turn, repeats a call that cannot succeed.
pub(crate) fn failing(session: &str) -> Value {
    json!({ "session_id": session, "model": "m", "messages": [
        { "role": "user", "content": "Which shelf holds the red box?" },
        call("c1", "list_shelves", "{}"),
        result("c1", "[\"north\", \"south\"]"),
        { "role": "assistant", "content": "The red box is on the north shelf." },
        { "role": "user", "content": "And where is the blue one?" },
        call("c2", "open_shelf", "{\"name\": \"east\"}"),
        result("c2", "{\"error\": \"not found\"}"),
        call("c3", "open_shelf", "{\"name\": \"east\"}"),
        result("c3", "{\"error\": \"not found\"}"),
        { "role": "assistant", "content": "It should be on the east shelf then." },
    ] })
}

/// A conversation in which nothing goes wrong.
pub(crate) fn fine(session: &str) -> Value {
    json!({ "session_id": session, "messages": [
        { "role": "user", "content": "Which shelf holds the red box?" },
        call("c1", "list_shelves", "{}"),
        result("c1", "[\"north\", \"south\"]"),
        { "role": "assistant", "content": "The red box is on the north shelf." },
    ] })
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "role": "assistant", "content": null, "tool_calls": [{
        "id": id, "type": "function", "function": { "name": name, "arguments": arguments },
    }] })
}

fn result(id: &str, content: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": content })
}
