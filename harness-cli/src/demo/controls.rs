//! Planted controls: rules that must not be promoted, put on trial like any other.
//!
//! They come in at the port of the repair model, through the same tools, bounds and checks as the
//! rule of the real model, and are named for what they are.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use harness_core::{CleanString, CleanText, Untrusted};
use harness_repair::{
    Exchange, ModelCall, ModelError, ModelReply, ModelRequest, RepairModel, StopReason,
};
use serde_json::json;

/// A rule that is known not to help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Control {
    /// What kind of control.
    pub(crate) name: &'static str,
    /// The rule.
    pub(crate) rule: &'static str,
    topic: &'static str,
}

/// The controls of the demo: advice that names no tool, and advice on a tool that is not at fault.
pub(crate) const CONTROLS: [Control; 2] = [
    Control {
        name: "placebo",
        rule: "Take your time with every report and stay friendly while you add up.",
        topic: "care",
    },
    Control {
        name: "another tool",
        rule: "When `write_file` ends in conflict, ask `list_files` what the output folder holds.",
        topic: "writing",
    },
];

/// A model that knows nothing but the controls and proposes one an episode.
#[derive(Debug, Default)]
pub(crate) struct PlantedControls {
    proposed: AtomicUsize,
}

#[async_trait]
impl RepairModel for PlantedControls {
    fn name(&self) -> CleanString {
        CleanText::new("planted-control").unwrap_or_default()
    }

    async fn reply(&self, request: ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let is_first = !matches!(request.exchange.last(), Some(Exchange::Answers(_)));
        let calls = if is_first {
            let next = self.proposed.fetch_add(1, Ordering::AcqRel);
            let control = CONTROLS.get(next).ok_or(ModelError::Rejected)?;
            vec![call(
                "harness_rule_add",
                &json!({
                    "rule": control.rule,
                    "rationale": format!("a control of the demo: {}", control.name),
                    "tags": ["control", control.topic],
                }),
            )]
        } else {
            vec![call(
                "harness_notice_ack",
                &json!({ "note": "a control of the demo" }),
            )]
        };
        Ok(ModelReply {
            text: Untrusted::new(String::new()),
            calls,
            output_tokens: Some(0),
            stop: StopReason::Complete,
        })
    }
}

fn call(name: &str, arguments: &serde_json::Value) -> ModelCall {
    ModelCall {
        id: Untrusted::new("control".to_owned()),
        name: Untrusted::new(name.to_owned()),
        arguments: Untrusted::new(arguments.to_string()),
    }
}
