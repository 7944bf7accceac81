//! The proof that a policy has allowed a command.

use std::path::Path;
use std::sync::Arc;

use crate::workspace::Workspace;

/// Whether a command is one of those that talk to the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// It sees none.
    None,
    /// It needs those of the platform.
    Platform,
}

/// A command that a policy has allowed. Only a policy makes one, that of the host's own command
/// among them, and running takes nothing else.
#[derive(Clone, Debug)]
pub struct Allowed {
    // INVARIANT: absolute, without links, a regular file that can be executed, outside the
    // workspace, and in no folder that others than its owner may write.
    binary: Arc<Path>,
    // INVARIANT: the words that were judged, in order; no word holds a zero byte.
    words: Vec<String>,
    workspace: Workspace,
    credentials: Credentials,
}

impl Allowed {
    pub(crate) const fn new(
        binary: Arc<Path>,
        words: Vec<String>,
        workspace: Workspace,
        credentials: Credentials,
    ) -> Self {
        Self {
            binary,
            words,
            workspace,
            credentials,
        }
    }

    /// The file to execute: absolute, without links.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// The words, the name by which it was called first.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The words behind the name.
    pub fn arguments(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The folder that it may touch, and starts in.
    pub const fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The credentials that it needs.
    pub const fn credentials(&self) -> Credentials {
        self.credentials
    }
}
