//! A secret of the environment, or one that looks like one, is in no file and no output.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::operator::{Operator, ends, failing, stderr, stdout};

/// In the environment under the name of a secret.
const KNOWN: &str = "quartz-lantern-meadow-81";
/// Known by its look.
const TOKEN: &str = "ghp_a8Kd03mZq71LxVbT5uWcY2NfR9sHgJ4eP6iO";
/// Neither.
const PLAIN: &str = "ordinary-shelf-name";

fn conversation() -> Value {
    let text = failing("a").to_string();
    let spiked = text
        .replace("\\\"east\\\"", &format!("\\\"{PLAIN} {TOKEN} {KNOWN}\\\""))
        .replace("not found", &format!("not found {TOKEN} {KNOWN}"));
    assert_ne!(text, spiked);
    serde_json::from_str(&spiked).unwrap()
}

fn contains(path: &Path, needle: &str) -> bool {
    if path.is_dir() {
        return fs::read_dir(path)
            .unwrap()
            .any(|entry| contains(&entry.unwrap().path(), needle));
    }
    let bytes = fs::read(path).unwrap();
    bytes
        .windows(needle.len())
        .any(|window| window == needle.as_bytes())
}

#[test]
fn canaries_are_neither_on_disk_nor_in_any_output() {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[conversation()]);
    let mut printed = String::new();
    let reason = format!("because {TOKEN} {KNOWN}");
    let runs: [&[&str]; 9] = [
        &["run", "--traces", &folder],
        &["notices", "--all"],
        &["notices", "--all", "--format", "json"],
        &["rules"],
        &["journal", "--format", "json"],
        &["journal"],
        &["audit"],
        &["resume", "--reason", &reason],
        &["status"],
    ];
    for args in runs {
        let mut command = operator.command(args);
        command.env("SHELF_API_KEY", KNOWN);
        let output = ends(command, 0);
        printed.push_str(&stdout(&output));
        printed.push_str(&stderr(&output));
    }
    for secret in [KNOWN, TOKEN] {
        assert!(!printed.contains(secret), "{secret} in {printed}");
        assert!(!contains(&operator.root(), secret), "{secret}");
    }
    // The twin: what is no secret is kept, so the recording did come in.
    assert!(contains(&operator.root(), PLAIN));
}

#[test]
fn a_complaint_does_not_repeat_a_secret() {
    let operator = Operator::with_workspace();
    for args in [
        &["rules", TOKEN][..],
        &["run", "--traces", "-", "--repair", TOKEN],
        &["rules", "--status", TOKEN],
        &[TOKEN],
    ] {
        let output = operator.command(args).output().unwrap();
        let said = stderr(&output);
        assert!(!said.contains(TOKEN), "{said}");
    }
    let said = stderr(&operator.runs(&["rules", "--status", PLAIN], 2));
    assert!(said.contains(PLAIN), "{said}");
}
