//! What a host says of a conversation when it starts, and the look at its system prompt.

use harness_core::{Principal, Scope};
use harness_sanitize::{Redactor, SecretKind};

/// A conversation that starts, or goes on after a restart of the host.
#[derive(Clone, Debug)]
pub struct Conversation<'a> {
    /// Its id, see [`SessionId`](harness_core::SessionId): new for a new conversation.
    pub id: &'a str,
    /// The system prompt of its agent. It is looked at for secrets, and not kept.
    pub system_prompt: &'a str,
    /// Whose conversation it is, where the host knows.
    pub principal: Option<Principal>,
    /// What the host calls itself; no rule is filed under these.
    pub host_labels: Vec<Scope>,
    /// The number of its next turn: 0, unless turns of it were reported before.
    pub next_turn: u32,
}

impl<'a> Conversation<'a> {
    /// A new conversation of nobody in particular.
    pub const fn new(id: &'a str, system_prompt: &'a str) -> Self {
        Self {
            id,
            system_prompt,
            principal: None,
            host_labels: Vec::new(),
            next_turn: 0,
        }
    }
}

/// A system prompt holds a secret: every answer of the model could give it away. The host's fault;
/// the secret itself is not in this value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the system prompt holds a secret of kind `{}` at byte {at}: take it out, a tool can hold it",
    kind.name()
)]
pub struct SecretInPrompt {
    /// What kind of secret.
    pub kind: SecretKind,
    /// Where it starts, in bytes.
    pub at: usize,
}

/// Looks for the first secret.
pub(super) fn look_at_prompt(prompt: &str, redactor: &Redactor) -> Result<(), SecretInPrompt> {
    match redactor.find(prompt).first() {
        Some(found) => Err(SecretInPrompt {
            kind: found.kind,
            at: found.start,
        }),
        None => Ok(()),
    }
}
