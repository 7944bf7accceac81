//! What a guarded call came to, from the tool to the hook that reports the turn.

use harness_core::ErrorClass;
use harness_engine::host::ToolOutcome;
use harness_guard::{Boundary, Denial, Outcome, Refusal};
use rig_core::tool::{ContextValue, ToolContext};

/// What a guarded call came to. The model is given it in a fence whose nonce nobody can repeat; a
/// report has it as it was, so that two calls that came to the same are seen to.
#[derive(rig_core::serde::Serialize, rig_core::serde::Deserialize)]
#[serde(crate = "rig_core::serde")]
pub(crate) struct Told {
    said: String,
    failed: Option<String>,
}

impl ContextValue for Told {
    const KEY: &'static str = "harness.guarded";
}

impl Told {
    pub(super) fn of(outcome: &Outcome) -> Self {
        let (said, failed) = match outcome {
            Outcome::Ran(answer) => (answer.said().as_str().to_owned(), None),
            Outcome::Failed(class, answer) => (answer.said().as_str().to_owned(), Some(*class)),
            Outcome::Refused(refusal) => (refusal.to_string(), Some(class(refusal))),
        };
        Self {
            said,
            failed: failed.map(|class| class.as_str().to_owned()),
        }
    }

    /// What the call of this context came to, if it was a guarded one.
    pub(crate) fn in_context(context: Option<&ToolContext>) -> Option<Self> {
        context?.result().ok().flatten()
    }

    pub(crate) fn outcome(&self) -> ToolOutcome<'_> {
        match &self.failed {
            None => ToolOutcome::Answered(&self.said),
            Some(class) => {
                let known = ErrorClass::ALL.iter().find(|known| known.as_str() == class);
                ToolOutcome::Failed(known.copied().unwrap_or(ErrorClass::Other), &self.said)
            }
        }
    }
}

fn class(refusal: &Refusal) -> ErrorClass {
    match (refusal.denial, refusal.denial.boundary()) {
        (Denial::UnknownTool, _) => ErrorClass::UnknownTool,
        (Denial::Malformed, _) => ErrorClass::MalformedCall,
        (_, Boundary::Schema) => ErrorClass::InvalidArgument,
        _ => ErrorClass::PermissionDenied,
    }
}
