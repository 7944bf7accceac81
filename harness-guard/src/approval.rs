//! Asking a person.

use async_trait::async_trait;
use harness_core::CleanString;

/// Why a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ask {
    /// The mode asks about such tools.
    Mode,
    /// The tool always asks.
    Tool,
    /// The arguments fit a pattern that always asks.
    Pattern,
    /// The command is not one that runs by itself.
    Command,
    /// A file that holds something would be emptied.
    Emptying,
    /// The call reaches for something that nobody spoke of.
    Drift,
    /// The plan has not been approved yet.
    Plan,
    /// Files can be put back as they were before the session.
    Rollback,
}

impl Ask {
    /// Its name: lower case letters and underscores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mode => "mode",
            Self::Tool => "tool",
            Self::Pattern => "pattern",
            Self::Command => "command",
            Self::Emptying => "emptying",
            Self::Drift => "drift",
            Self::Plan => "plan",
            Self::Rollback => "rollback",
        }
    }

    /// Whether it asks in every mode, because what follows may not be undone.
    pub const fn is_destructive(self) -> bool {
        matches!(
            self,
            Self::Tool | Self::Pattern | Self::Command | Self::Emptying
        )
    }

    /// Whether a grant that names only the tool answers it.
    pub(crate) const fn is_answered_by_tool(self) -> bool {
        matches!(self, Self::Mode | Self::Tool)
    }
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// The tool; for a rollback, `rollback`.
    pub tool: String,
    /// The phase.
    pub phase: String,
    /// Why, in order, without repetition.
    pub asks: Vec<Ask>,
    /// More words on it, where there are any: ours.
    pub detail: String,
    /// What would happen: the arguments, the plan, the files. Redacted, cleaned, shortened.
    pub preview: CleanString,
}

/// What a person says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, this once.
    Approve,
    /// No.
    Deny,
    /// There is nobody.
    Nobody,
}

/// Asks a person.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Asks; what is not answered in time counts as a no.
    async fn ask(&self, request: &ApprovalRequest) -> Answer;
}

/// There is nobody to ask: the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct NobodyToAsk;

#[async_trait]
impl Approver for NobodyToAsk {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        Answer::Nobody
    }
}
