//! Messages, as far as trimming must understand them.

use crate::call::ToolCall;

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageRole {
    /// The host.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

/// One message of a conversation.
#[derive(Clone, Debug)]
pub struct Message {
    /// Who it is from.
    pub role: MessageRole,
    /// What it says.
    pub content: String,
    /// The calls that a model makes in it.
    pub calls: Vec<ToolCall>,
    /// The call that a tool answers in it.
    pub answers: Option<String>,
}

impl Message {
    /// The host's.
    pub fn system(content: impl Into<String>) -> Self {
        Self::of(MessageRole::System, content)
    }

    /// The user's.
    pub fn user(content: impl Into<String>) -> Self {
        Self::of(MessageRole::User, content)
    }

    /// The model's, with its calls.
    pub fn assistant(content: impl Into<String>, calls: Vec<ToolCall>) -> Self {
        Self {
            calls,
            ..Self::of(MessageRole::Assistant, content)
        }
    }

    /// A tool's answer to a call.
    pub fn tool(call: impl Into<String>, content: impl Into<String>) -> Self {
        Self {
            answers: Some(call.into()),
            ..Self::of(MessageRole::Tool, content)
        }
    }

    fn of(role: MessageRole, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            calls: Vec::new(),
            answers: None,
        }
    }

    /// Bytes of everything in it.
    pub(crate) fn bytes(&self) -> u64 {
        self.parts().map(str::len).sum::<usize>() as u64
    }

    /// Characters of everything in it.
    pub(super) fn characters(&self) -> u64 {
        self.parts().map(|part| part.chars().count()).sum::<usize>() as u64
    }

    /// Everything in it, in order.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        let calls = self.calls.iter().flat_map(|call| {
            [
                call.id.as_str(),
                call.name.as_str(),
                call.arguments.as_str(),
            ]
        });
        std::iter::once(self.content.as_str())
            .chain(calls)
            .chain(self.answers.as_deref())
    }
}
