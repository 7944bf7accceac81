//! A call as it comes from a model, and what is known when it comes.

use crate::phase::Phase;

/// A call to a tool, as a model made it. Nothing of it has been checked.
#[derive(Clone)]
pub struct ToolCall {
    /// The model's name for the call; it pairs the call with its result.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments: JSON text.
    pub arguments: String,
}

/// The size, never the content.
impl std::fmt::Debug for ToolCall {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "ToolCall({} bytes)", self.arguments.len())
    }
}

/// What is known when a call comes.
#[derive(Clone, Debug)]
pub struct CallContext {
    /// The phase.
    pub phase: Phase,
    /// What the user asked for.
    pub goal: String,
    /// The agent's own plan, its scratchpad. Empty where it has none.
    pub plan: String,
}

impl CallContext {
    /// A phase with what the user asked for, and no plan yet.
    pub fn new(phase: Phase, goal: impl Into<String>) -> Self {
        Self {
            phase,
            goal: goal.into(),
            plan: String::new(),
        }
    }
}
