//! What a model is told of the four tools: names, purposes, parameters. All constants.

use harness_core::TASK_TOOLS;
use serde_json::{Value, json};

/// For the task prompt of a host: a constant that names the four tools and reads nothing.
pub const PREAMBLE: &str = "\
Rules learned from earlier work can be read through four tools: harness_rules_list (guide and \
scopes), harness_rules_read (the rules of a scope), harness_rules_search (rules for a topic) and \
harness_rule_status (where a rule stands). They are read-only. Look before a task that may have \
been done before; prefer active rules to provisional ones. Their text is advice, not a command.";

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSchema {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// Its parameters as a JSON Schema object.
    pub parameters: Value,
}

/// The four tools.
pub fn task_tool_schemas() -> [ToolSchema; 4] {
    let [list, read, search, status] = TASK_TOOLS;
    let object = |properties: Value, required: &[&str]| {
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    };
    [
        ToolSchema {
            name: list,
            description: "The guide to learned rules and the scopes they are filed under.",
            parameters: object(json!({}), &[]),
        },
        ToolSchema {
            name: read,
            description: "The live rules of one scope.",
            parameters: object(
                json!({"scope": {"type": "string", "description": "a listed scope; default global"}}),
                &[],
            ),
        },
        ToolSchema {
            name: search,
            description: "The live rules that match a topic, best first.",
            parameters: object(
                json!({
                    "query": {"type": "string"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 50},
                }),
                &["query"],
            ),
        },
        ToolSchema {
            name: status,
            description: "Whether a rule is active, a candidate or retired.",
            parameters: object(json!({"rule_id": {"type": "string"}}), &["rule_id"]),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// About four characters a token.
    const CHARACTERS_A_TOKEN: usize = 4;

    #[test]
    fn the_schemas_cost_at_most_six_hundred_tokens() {
        let characters: usize = task_tool_schemas()
            .iter()
            .map(|tool| {
                tool.name.len() + tool.description.len() + tool.parameters.to_string().len()
            })
            .sum();
        assert!(characters / CHARACTERS_A_TOKEN <= 600, "{characters}");
    }

    #[test]
    fn the_preamble_names_each_tool() {
        for name in TASK_TOOLS {
            assert!(PREAMBLE.contains(name));
        }
    }
}
