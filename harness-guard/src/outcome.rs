//! What became of a call.

use harness_core::ErrorClass;

use crate::answer::ToolAnswer;
use crate::refusal::Refusal;

/// What became of a call. A denial is one of them, not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "the model has to be told"]
pub enum Outcome {
    /// The tool ran, and this is its answer.
    Ran(ToolAnswer),
    /// The tool ran and failed in this way, or was ended; this is its error.
    Failed(ErrorClass, ToolAnswer),
    /// The tool did not run.
    Refused(Refusal),
}

impl Outcome {
    /// What to tell the model: the answer in its fence with whatever must follow, or the refusal as
    /// JSON.
    pub fn for_model(&self) -> String {
        match self {
            Self::Ran(answer) | Self::Failed(_, answer) => answer.text(),
            Self::Refused(refusal) => refusal.to_json().to_string(),
        }
    }

    /// The refusal, if it is one.
    pub const fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Ran(_) | Self::Failed(..) => None,
        }
    }

    /// The answer or error of a tool that ran.
    pub const fn answer(&self) -> Option<&ToolAnswer> {
        match self {
            Self::Ran(answer) | Self::Failed(_, answer) => Some(answer),
            Self::Refused(_) => None,
        }
    }
}
