//! What a host says of a tool.

use std::collections::BTreeMap;

use serde_json::Value;

use super::argument::ArgumentKind;
use super::effect::Effect;

/// Who calls a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Does the task.
    Worker,
    /// Checks what a worker did.
    Verifier,
    /// Divides the task.
    Orchestrator,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Worker, Self::Verifier, Self::Orchestrator];

    /// Its name: lower case letters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Verifier => "verifier",
            Self::Orchestrator => "orchestrator",
        }
    }

    /// The role of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// A tool as its host declares it.
///
/// A tool of which nothing is declared executes and always asks.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) schema: Value,
    effect: Option<Effect>,
    always: bool,
    pub(crate) confirm_when: Vec<Value>,
    pub(crate) planning: bool,
    pub(crate) roles: Vec<Role>,
    pub(crate) arguments: BTreeMap<String, ArgumentKind>,
}

impl ToolSpec {
    /// A tool of this name with this JSON Schema of its arguments, an object's.
    pub fn new(name: impl Into<String>, schema: Value) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            schema,
            effect: None,
            always: false,
            confirm_when: Vec::new(),
            planning: false,
            roles: Role::ALL.to_vec(),
            arguments: BTreeMap::new(),
        }
    }

    /// What the model is told of it.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// Declares its effect. From then on the mode says when a person is asked.
    #[must_use]
    pub const fn effect(mut self, effect: Effect) -> Self {
        self.effect = Some(effect);
        self
    }

    /// Asks a person about every call, in every mode.
    #[must_use]
    pub const fn always_confirm(mut self) -> Self {
        self.always = true;
        self
    }

    /// Asks a person, in every mode, about calls whose arguments fit this JSON Schema.
    #[must_use]
    pub fn always_confirm_when(mut self, arguments: Value) -> Self {
        self.confirm_when.push(arguments);
        self
    }

    /// A tool for planning: it runs before a plan is approved.
    #[must_use]
    pub const fn planning(mut self) -> Self {
        self.planning = true;
        self
    }

    /// Who may call it; everybody where this is not said.
    #[must_use]
    pub fn roles(mut self, roles: &[Role]) -> Self {
        self.roles = roles.to_vec();
        self
    }

    /// What one of its arguments is.
    #[must_use]
    pub fn argument(mut self, name: impl Into<String>, kind: ArgumentKind) -> Self {
        self.arguments.insert(name.into(), kind);
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does: the worst, where nothing is declared.
    pub(crate) fn does(&self) -> Effect {
        self.effect.unwrap_or(Effect::Execute)
    }

    /// Whether every call of it needs a person.
    pub(crate) const fn always_asks(&self) -> bool {
        self.always || self.effect.is_none()
    }
}
