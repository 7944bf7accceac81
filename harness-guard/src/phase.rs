//! A phase: who works, with which tools, with or without the network.

use std::collections::BTreeSet;

use harness_core::Quoted;

use crate::refusal::{Denial, Refusal};
use crate::tool::{Effect, Role, ToolSpec, Tools};

/// Bytes of a phase's name at most.
const MAX_NAME: usize = 64;

/// Why a phase cannot be. The host's or the operator's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhaseError {
    /// Its name would not do in a log.
    #[error("{0} is no phase name: 1 to 64 of A-Z a-z 0-9 . _ -")]
    Name(String),
    /// It grants or denies a tool that there is not.
    #[error("{name} is no tool; there are: {valid}")]
    UnknownTool {
        /// The name, quoted.
        name: String,
        /// The tools that there are.
        valid: String,
    },
}

/// Which network a phase has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// None.
    Denied,
    /// What the web policy lets through.
    Allowed,
}

/// A phase of a task. Its grants were checked against the tools that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    name: String,
    role: Role,
    granted: Option<BTreeSet<String>>,
    denied: BTreeSet<String>,
    network: Network,
}

impl Phase {
    /// A phase with every tool of the role and no network.
    ///
    /// # Errors
    /// [`PhaseError::Name`].
    pub fn new(name: &str, role: Role) -> Result<Self, PhaseError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if !(1..=MAX_NAME).contains(&name.len()) || !name.bytes().all(plain) {
            return Err(PhaseError::Name(Quoted(name).to_string()));
        }
        Ok(Self {
            name: name.to_owned(),
            role,
            granted: None,
            denied: BTreeSet::new(),
            network: Network::Denied,
        })
    }

    /// Grants these tools and no others.
    ///
    /// # Errors
    /// A name that no tool has, with those that there are.
    pub fn grant(mut self, names: &[&str], tools: &Tools) -> Result<Self, PhaseError> {
        self.granted = Some(known(names, tools)?);
        Ok(self)
    }

    /// Denies these tools, whatever is granted.
    ///
    /// # Errors
    /// A name that no tool has, with those that there are.
    pub fn deny(mut self, names: &[&str], tools: &Tools) -> Result<Self, PhaseError> {
        self.denied.extend(known(names, tools)?);
        Ok(self)
    }

    /// Says which network it has. A verifier never has one.
    #[must_use]
    pub const fn network(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// The same phase for another role: the grants and denials stay. What a phase denies to its
    /// worker it denies to whoever checks the work.
    #[must_use]
    pub fn for_role(&self, role: Role) -> Self {
        Self {
            role,
            ..self.clone()
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a tool runs in it.
    pub(crate) fn admits(&self, tool: &ToolSpec) -> Result<(), Refusal> {
        let refused = |denial, detail: String| Err(Refusal::new(denial, detail));
        let name = tool.name();
        if !tool.roles.contains(&self.role) {
            let role = self.role.name();
            return refused(Denial::WrongRole, format!("`{name}` is not for a {role}"));
        }
        if self.denied.contains(name) {
            let phase = &self.name;
            return refused(Denial::Denied, format!("phase `{phase}` denies `{name}`"));
        }
        if !self.granted.as_ref().is_none_or(|all| all.contains(name)) {
            let phase = &self.name;
            return refused(
                Denial::NotGranted,
                format!("phase `{phase}` does not grant `{name}`"),
            );
        }
        if tool.does() == Effect::Network && !self.has_network() {
            let phase = &self.name;
            return refused(
                Denial::NoNetwork,
                format!("phase `{phase}` has no network for `{name}`"),
            );
        }
        Ok(())
    }

    /// Whether it has a network.
    pub(crate) fn has_network(&self) -> bool {
        self.network == Network::Allowed && self.role != Role::Verifier
    }
}

fn known(names: &[&str], tools: &Tools) -> Result<BTreeSet<String>, PhaseError> {
    names
        .iter()
        .map(|name| {
            if tools.get(name).is_some() {
                Ok((*name).to_owned())
            } else {
                Err(PhaseError::UnknownTool {
                    name: Quoted(name).to_string(),
                    valid: tools.names().collect::<Vec<_>>().join(", "),
                })
            }
        })
        .collect()
}
