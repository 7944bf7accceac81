//! The attacks, as published.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// The published files.
const FILES: [&str; 4] = [
    include_str!("../../redteam/secrets.json"),
    include_str!("../../redteam/orders.json"),
    include_str!("../../redteam/hidden.json"),
    include_str!("../../redteam/controls.json"),
];

/// One attack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scenario {
    /// Its name.
    pub(super) id: String,
    /// The crate that stands in its way first.
    pub(super) layer: String,
    /// The row of `docs/threat-model.md`, by its first cell.
    pub(super) threat: String,
    /// Where it is planted.
    pub(super) surface: Surface,
    /// What is planted, with placeholders for canaries.
    pub(super) plant: String,
}

macro_rules! surfaces {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Where something is planted: who says it, and in what.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Surface {
            $($(#[$doc])* $variant,)*
        }

        impl Surface {
            /// The surface of that name.
            fn parse(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

surfaces! {
    /// A user's request.
    Request = "request",
    /// What a tool answers.
    ToolResult = "tool_result",
    /// What a tool says when it fails.
    ToolError = "tool_error",
    /// The name of a tool.
    ToolName = "tool_name",
    /// A value among a tool's arguments.
    ArgumentValue = "argument_value",
    /// The name of an argument.
    ArgumentName = "argument_name",
    /// Arguments that are no JSON.
    ArgumentText = "argument_text",
    /// What the agent says.
    Reply = "reply",
    /// The host's words on the task.
    TaskSummary = "task_summary",
    /// The host's words on a scope.
    ScopeDescription = "scope_description",
    /// The host's policy for the domain.
    DomainPolicy = "domain_policy",
    /// What would replay the turn.
    ReplayInput = "replay_input",
    /// The id of the conversation.
    SessionId = "session_id",
    /// The system prompt.
    SystemPrompt = "system_prompt",
    /// Why the judge scored as it did.
    JudgeReason = "judge_reason",
    /// Why a judge could not score.
    JudgeError = "judge_error",
    /// Why the developer's check failed a turn.
    VerifierReason = "verifier_reason",
    /// The text of a proposed rule, which a tool also said.
    RuleText = "rule_text",
    /// The rationale of a proposed rule.
    RuleRationale = "rule_rationale",
    /// A tag of a proposed rule.
    RuleTag = "rule_tag",
    /// The scope of a proposed rule.
    RuleScope = "rule_scope",
    /// The metric of a proposed rule.
    RuleMetric = "rule_metric",
    /// The rule that a proposed one supersedes.
    RuleSupersedes = "rule_supersedes",
    /// What the repair model says beside its calls.
    ModelText = "model_text",
    /// The note with which it ends.
    ModelNote = "model_note",
    /// A tool that it calls.
    ModelTool = "model_tool",
    /// Arguments of its call that are no JSON.
    ModelArguments = "model_arguments",
    /// A notice that it asks for.
    ModelNotice = "model_notice",
    /// A trace that it asks for.
    ModelTrace = "model_trace",
    /// A second rule in the same episode.
    ModelSecondRule = "model_second_rule",
    /// A tool that a task agent calls.
    TaskTool = "task_tool",
    /// A scope that a task agent reads.
    TaskScope = "task_scope",
    /// What a task agent searches for.
    TaskQuery = "task_query",
    /// A user's words, fenced for the agent.
    FencedUser = "fenced_user",
    /// A tool's words, fenced for the agent.
    FencedResult = "fenced_result",
    /// A recorded conversation: what a tool said.
    RecordedResult = "recorded_result",
    /// A recorded conversation that is no JSON.
    RecordedGarbage = "recorded_garbage",
    /// The name of a recorded conversation's file.
    FileName = "file_name",
    /// An operator's own argument, refused.
    Operator = "operator",
}

/// All of them, in order.
///
/// # Errors
/// A file is no list of scenarios, or a name occurs twice.
pub(super) fn scenarios() -> Result<Vec<Scenario>> {
    let mut all: Vec<Scenario> = Vec::new();
    for file in FILES {
        let list: Vec<Value> = serde_json::from_str(file).context("a file of scenarios")?;
        for value in list {
            let scenario = read(&value)?;
            if all.iter().any(|other| other.id == scenario.id) {
                bail!("two scenarios are called `{}`", scenario.id);
            }
            all.push(scenario);
        }
    }
    Ok(all)
}

fn read(value: &Value) -> Result<Scenario> {
    let text = |name: &str| {
        let text = value.get(name).and_then(Value::as_str);
        text.map(str::to_owned)
            .with_context(|| format!("a scenario without `{name}`"))
    };
    let surface = text("surface")?;
    Ok(Scenario {
        id: text("id")?,
        layer: text("layer")?,
        threat: text("threat")?,
        surface: Surface::parse(&surface)
            .with_context(|| format!("there is no surface `{surface}`"))?,
        plant: text("plant")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_sixty_and_each_is_a_row_of_the_threat_model() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let model = std::fs::read_to_string(folder.join("../docs/threat-model.md")).unwrap();
        let scenarios = scenarios().unwrap();
        assert!(scenarios.len() >= 60, "{}", scenarios.len());
        for scenario in scenarios {
            assert!(
                model.contains(&format!("\n| {} |", scenario.threat)),
                "{}: {}",
                scenario.id,
                scenario.threat
            );
        }
    }
}
