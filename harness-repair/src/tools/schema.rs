//! What a repair model is told of its tools. All constants.

use std::sync::LazyLock;

use harness_rules::{ToolSchema, task_tool_schemas};
use serde_json::{Value, json};

use super::Tool;

static TOOLS: LazyLock<Vec<ToolSchema>> = LazyLock::new(|| {
    let mut tools = vec![
        tool(
            Tool::NOTICE_READ,
            "The notices of this episode: what was measured, why, and the host's hints.",
            json!({"notice_id": {"type": "string", "description": "default: all of the episode"}}),
            &[],
        ),
        tool(
            Tool::TRACE_INSPECT,
            "A flagged trace of this episode: failures counted, steps with what failed first.",
            json!({"trace_id": {"type": "string", "description": "default: the first that is kept"}}),
            &[],
        ),
    ];
    tools.extend(task_tool_schemas());
    tools.extend([
        tool(
            Tool::RULE_ADD,
            "Adds the one candidate rule of this episode. Names tools, arguments and error classes; \
             no value, number, path, address or sentence of the evidence.",
            json!({
                "rule": {"type": "string", "description": "one paragraph"},
                "rationale": {"type": "string", "description": "why, for people"},
                "metric": {"type": "string", "description": "a metric of the notices, if one fits"},
                "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 16},
                "scope": {"type": "string", "description": "default global; a-z 0-9 . _ -"},
                "scope_rationale": {"type": "string"},
                "applicability": {"enum": ["global", "topical", "task"]},
                "supersedes": {"type": "string", "description": "id of the rule this corrects"},
            }),
            &["rule", "rationale"],
        ),
        tool(
            Tool::NOTICE_ACK,
            "Ends the episode after a rule was added.",
            json!({"note": {"type": "string"}}),
            &[],
        ),
        tool(
            Tool::NOTICE_RESOLVE,
            "Ends the episode without a rule.",
            json!({
                "resolution": {
                    "enum": ["duplicate", "already_covered", "no_proposal", "unactionable"],
                },
                "rule_id": {
                    "type": "string",
                    "description": "the rule that covers it: active for duplicate, candidate for \
                                    already_covered",
                },
                "note": {"type": "string"},
            }),
            &["resolution"],
        ),
    ]);
    tools
});

/// The tools that a repair model may call, in the order in which an episode uses them.
pub fn repair_tools() -> &'static [ToolSchema] {
    &TOOLS
}

fn tool(
    name: &'static str,
    description: &'static str,
    properties: Value,
    required: &[&str],
) -> ToolSchema {
    ToolSchema {
        name,
        description,
        parameters: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_on_offer_is_a_tool_and_there_are_nine() {
        assert_eq!(repair_tools().len(), 9);
        for tool in repair_tools() {
            assert!(Tool::parse(tool.name).is_some(), "{}", tool.name);
        }
        for other in [
            "harness_rule_promote",
            "harness_rules_list ",
            "HARNESS_RULE_ADD",
            "",
        ] {
            assert!(Tool::parse(other).is_none(), "{other:?}");
        }
    }
}
