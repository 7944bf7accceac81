//! How the demo's agent understands a rule: which of its tools to call before another.
//!
//! The agent is no language model. Of a rule it takes in the names of tools, in any wording: a rule
//! that names the tool it is about to call and another tool that it has makes it call that other
//! one first. A rule that names no tool, or tools that it is not about to call, changes nothing.

use serde_json::Value;

use super::tools::TOOLS;

/// The rules that were shown, as the agent understands them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Advice {
    /// The tools that each rule names.
    named: Vec<Vec<&'static str>>,
}

impl Advice {
    /// Takes in the answer of a rule tool.
    pub(crate) fn from_answer(answer: &Value) -> Self {
        let rules = answer.get("rules").and_then(Value::as_array);
        let named = rules
            .into_iter()
            .flatten()
            .filter_map(|rule| rule.get("rule").and_then(Value::as_str))
            .map(names)
            .collect();
        Self { named }
    }

    /// The tool that a shown rule wants called before `tool`.
    pub(crate) fn first(&self, tool: &str) -> Option<&'static str> {
        self.named
            .iter()
            .filter(|names| names.contains(&tool))
            .flatten()
            .copied()
            .find(|name| *name != tool)
    }
}

fn names(rule: &str) -> Vec<&'static str> {
    let words: Vec<&str> = rule
        .split(|ch: char| !(ch.is_alphanumeric() || ch == '_'))
        .collect();
    TOOLS
        .into_iter()
        .filter(|tool| words.contains(tool))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tools::{LIST_FILES, READ_FILE, WRITE_FILE};
    use super::*;

    fn first(rule: &str, tool: &str) -> Option<&'static str> {
        Advice::from_answer(&json!({ "ok": true, "rules": [{ "id": "r-1", "rule": rule }] }))
            .first(tool)
    }

    #[test]
    fn a_rule_that_names_both_tools_counts_in_any_wording() {
        for rule in [
            "Before calling `read_file`, call `list_files`.",
            "list_files tells what read_file can read",
        ] {
            assert_eq!(first(rule, READ_FILE), Some(LIST_FILES), "{rule}");
            assert_eq!(first(rule, WRITE_FILE), None, "{rule}");
        }
    }

    #[test]
    fn other_rules_change_nothing() {
        for rule in [
            "Read each report with care.",
            "Never call `read_file` twice.",
            "Before calling `write_file`, call `list_files`.",
            "Use my_read_file and list_files_all.",
        ] {
            assert_eq!(first(rule, READ_FILE), None, "{rule}");
        }
        let failed = json!({ "ok": false, "error": "read_file list_files" });
        assert_eq!(Advice::from_answer(&failed).first(READ_FILE), None);
    }
}
