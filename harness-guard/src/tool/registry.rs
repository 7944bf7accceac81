//! The tools of a guard, checked when they are registered.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use harness_core::{CleanText, Quoted};
use serde_json::{Value, json};

use super::argument::ArgumentKind;
use super::effect::Effect;
use super::schema::{ArgumentPattern, Schema};
use super::spec::ToolSpec;
use crate::executor::Executor;
use crate::phase::Phase;

/// Tools of one guard at most.
const MAX_TOOLS: usize = 256;
/// Bytes of a tool's name at most.
const MAX_NAME: usize = 64;
/// Bytes of a tool's description at most.
const MAX_DESCRIPTION: usize = 4096;

/// Why a tool cannot be registered. The host's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// Its name would not do in a schema or a log.
    #[error("{0} is no tool name: 1 to 64 of A-Z a-z 0-9 . _ -, a letter first")]
    Name(String),
    /// Its description is not clean text within 4096 bytes.
    #[error("the description of `{0}` is not clean text of at most 4096 bytes")]
    Description(String),
    /// Another tool has its name.
    #[error("two tools are named `{0}`")]
    Twice(String),
    /// No role may call it.
    #[error("`{0}` is for no role: leave roles out, or name one")]
    NoRole(String),
    /// An argument is declared that the schema does not have.
    #[error("`{tool}` declares {argument}, which its schema does not have")]
    NoSuchArgument {
        /// The tool.
        tool: String,
        /// The argument, quoted.
        argument: String,
    },
    /// An argument that reaches the network, or writes, in a tool that says it does neither.
    #[error("`{tool}` declares the effect {effect} and an argument that is a {kind}")]
    Understated {
        /// The tool.
        tool: String,
        /// The effect it declares.
        effect: &'static str,
        /// What the argument is.
        kind: &'static str,
    },
    /// The schema, or a pattern of arguments, cannot be used.
    #[error("the schema of `{tool}` cannot be used: {reason}")]
    Schema {
        /// The tool.
        tool: String,
        /// Why.
        reason: String,
    },
    /// A tool is chosen that there is not.
    #[error("{name} is no tool; there are: {valid}")]
    Unknown {
        /// The name, quoted.
        name: String,
        /// The tools that there are.
        valid: String,
    },
    /// There are too many.
    #[error("more than {MAX_TOOLS} tools")]
    TooMany,
}

/// One tool, ready.
pub(crate) struct Tool {
    pub(crate) spec: ToolSpec,
    pub(crate) schema: Schema,
    pub(crate) confirm_when: Vec<ArgumentPattern>,
    pub(crate) executor: Arc<dyn Executor>,
}

/// The tools that a guard knows.
#[derive(Default)]
pub struct Tools {
    tools: BTreeMap<String, Arc<Tool>>,
}

impl Tools {
    /// No tool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool and what runs it.
    ///
    /// # Errors
    /// A declaration that contradicts itself, or a schema that cannot be used; see
    /// [`RegistryError`].
    pub fn add(
        mut self,
        spec: ToolSpec,
        executor: impl Executor + 'static,
    ) -> Result<Self, RegistryError> {
        checked(&spec)?;
        if self.tools.contains_key(&spec.name) {
            return Err(RegistryError::Twice(spec.name));
        }
        if self.tools.len() >= MAX_TOOLS {
            return Err(RegistryError::TooMany);
        }
        let unusable = |reason| RegistryError::Schema {
            tool: spec.name.clone(),
            reason,
        };
        let schema = Schema::of_tool(&spec.schema, &spec.arguments).map_err(unusable)?;
        let confirm_when = spec
            .confirm_when
            .iter()
            .map(ArgumentPattern::new)
            .collect::<Result<Vec<_>, _>>()
            .map_err(unusable)?;
        let tool = Tool {
            schema,
            confirm_when,
            executor: Arc::new(executor),
            spec,
        };
        self.tools.insert(tool.spec.name.clone(), Arc::new(tool));
        Ok(self)
    }

    /// These tools and no others.
    pub(crate) fn only(mut self, names: &[String]) -> Result<Self, RegistryError> {
        if let Some(name) = names.iter().find(|name| !self.tools.contains_key(*name)) {
            return Err(RegistryError::Unknown {
                name: Quoted(name).to_string(),
                valid: self.names().collect::<Vec<_>>().join(", "),
            });
        }
        self.tools.retain(|name, _| names.contains(name));
        Ok(self)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name)
    }

    /// Every tool, with its bounded schema, as `{"name","description","parameters"}`: for a framework
    /// that registers them all. A model is shown [`Tools::visible_schemas`].
    pub fn schemas(&self) -> Vec<Value> {
        self.tools.values().map(|tool| tool.shown()).collect()
    }

    /// What a model in this phase is shown: the tools that it may call, with their bounded
    /// schemas, as `{"name","description","parameters"}`.
    pub fn visible_schemas(&self, phase: &Phase) -> Vec<Value> {
        self.tools
            .values()
            .filter(|tool| phase.admits(&tool.spec).is_ok())
            .map(|tool| tool.shown())
            .collect()
    }
}

impl Tool {
    fn shown(&self) -> Value {
        json!({
            "name": self.spec.name,
            "description": self.spec.description,
            "parameters": self.schema.document(),
        })
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.names()).finish()
    }
}

fn checked(spec: &ToolSpec) -> Result<(), RegistryError> {
    if !is_name(&spec.name) {
        return Err(RegistryError::Name(Quoted(&spec.name).to_string()));
    }
    if spec.description.len() > MAX_DESCRIPTION || CleanText::new(&*spec.description).is_err() {
        return Err(RegistryError::Description(spec.name.clone()));
    }
    if spec.roles.is_empty() {
        return Err(RegistryError::NoRole(spec.name.clone()));
    }
    let properties = spec.schema.get("properties").and_then(Value::as_object);
    for (argument, kind) in &spec.arguments {
        if !properties.is_some_and(|all| all.contains_key(argument)) {
            return Err(RegistryError::NoSuchArgument {
                tool: spec.name.clone(),
                argument: Quoted(argument).to_string(),
            });
        }
        if spec.does() < least_effect(*kind) {
            return Err(RegistryError::Understated {
                tool: spec.name.clone(),
                effect: spec.does().name(),
                kind: kind.name(),
            });
        }
    }
    Ok(())
}

/// What a tool with such an argument does at the least.
const fn least_effect(kind: ArgumentKind) -> Effect {
    match kind {
        ArgumentKind::Url => Effect::Network,
        ArgumentKind::Content => Effect::Write,
        ArgumentKind::Command => Effect::Execute,
        ArgumentKind::Path | ArgumentKind::Pattern | ArgumentKind::Offset | ArgumentKind::Count => {
            Effect::Read
        }
    }
}

fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}
