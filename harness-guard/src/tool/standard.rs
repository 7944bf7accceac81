//! The tools that most coding agents have, declared.

use serde_json::json;

use super::argument::ArgumentKind::{Command, Content, Count, Offset, Path, Pattern, Url};
use super::effect::Effect::{Execute, Network, Read, Write};
use super::spec::ToolSpec;

/// Declarations of `read_file`, `write_file`, `edit_file`, `glob_files`, `grep`, `run_bash` and
/// `webfetch`. What runs them is the host's.
pub fn standard_specs() -> Vec<ToolSpec> {
    let text = json!({"type": "string"});
    let whole = json!({"type": "integer"});
    vec![
        ToolSpec::new(
            "read_file",
            json!({
                "type": "object",
                "required": ["path"],
                "properties": {"path": text, "offset": whole, "limit": whole},
            }),
        )
        .description("Reads a file, from a line on, as many lines as asked for.")
        .effect(Read)
        .argument("path", Path)
        .argument("offset", Offset)
        .argument("limit", Count),
        ToolSpec::new(
            "write_file",
            json!({
                "type": "object",
                "required": ["path", "content"],
                "properties": {"path": text, "content": text},
            }),
        )
        .description("Writes a file whole.")
        .effect(Write)
        .argument("path", Path)
        .argument("content", Content),
        ToolSpec::new(
            "edit_file",
            json!({
                "type": "object",
                "required": ["path", "old_string", "new_string"],
                "properties": {"path": text, "old_string": text, "new_string": text},
            }),
        )
        .description("Replaces one piece of a file by another.")
        .effect(Write)
        .argument("path", Path)
        .argument("new_string", Content),
        ToolSpec::new(
            "glob_files",
            json!({
                "type": "object",
                "required": ["pattern"],
                "properties": {"pattern": text, "path": text},
            }),
        )
        .description("Lists files by a pattern.")
        .effect(Read)
        .argument("pattern", Pattern)
        .argument("path", Path),
        ToolSpec::new(
            "grep",
            json!({
                "type": "object",
                "required": ["pattern"],
                "properties": {"pattern": text, "path": text},
            }),
        )
        .description("Finds lines by a regular expression.")
        .effect(Read)
        .argument("path", Path),
        ToolSpec::new(
            "run_bash",
            json!({
                "type": "object",
                "required": ["command"],
                "properties": {"command": text},
            }),
        )
        .description("Runs a command in the working folder.")
        .effect(Execute)
        .argument("command", Command),
        ToolSpec::new(
            "webfetch",
            json!({
                "type": "object",
                "required": ["url"],
                "properties": {"url": text},
            }),
        )
        .description("Fetches a page.")
        .effect(Network)
        .argument("url", Url),
    ]
}
