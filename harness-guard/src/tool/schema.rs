//! Arguments against a schema.

use std::collections::BTreeMap;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};

use super::argument::ArgumentKind;
use super::bounds::{RELATIVE_PATH, bounded, is_relative_path};

/// Memory that a pattern of a schema may take, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

/// A compiled schema. It fetches nothing, and its patterns take linear time.
#[derive(Debug)]
pub(crate) struct Schema {
    validator: Validator,
    /// With the bounds: what the model is shown.
    document: Value,
}

/// Why arguments do not fit, in the words of the schema: no part of the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchemaFault {
    /// The keyword that refused.
    pub(crate) keyword: String,
    /// The declared argument that it is about.
    pub(crate) argument: Option<String>,
}

impl Schema {
    /// Compiles the schema of a tool, with its bounds.
    pub(super) fn of_tool(
        schema: &Value,
        arguments: &BTreeMap<String, ArgumentKind>,
    ) -> Result<Self, String> {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err("the schema is not that of an object".to_owned());
        }
        let document = bounded(schema.clone(), arguments)
            .ok_or_else(|| "the schema is nested too deeply".to_owned())?;
        Ok(Self {
            validator: compiled(&document)?,
            document,
        })
    }

    /// The schema with its bounds.
    pub(crate) const fn document(&self) -> &Value {
        &self.document
    }

    /// Checks arguments.
    pub(crate) fn check(&self, arguments: &Value) -> Result<(), SchemaFault> {
        self.validator
            .validate(arguments)
            .map_err(|error| self.fault(&error))
    }

    fn fault(&self, error: &ValidationError<'_>) -> SchemaFault {
        let named = match error.kind() {
            ValidationErrorKind::Required { property } => property.as_str().map(str::to_owned),
            _ => error
                .instance_path()
                .as_str()
                .split('/')
                .nth(1)
                .map(str::to_owned),
        };
        let declared = self.document.get("properties").and_then(Value::as_object);
        SchemaFault {
            keyword: error.kind().keyword().to_owned(),
            // Only a name that the schema has: another one would be the model's own text.
            argument: named.filter(|name| declared.is_some_and(|all| all.contains_key(name))),
        }
    }
}

/// A pattern of arguments: the schema that they fit, without bounds of ours.
#[derive(Debug)]
pub(crate) struct ArgumentPattern(Validator);

impl ArgumentPattern {
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        if !schema.is_object() {
            return Err("a pattern of arguments is a JSON Schema, an object".to_owned());
        }
        compiled(schema).map(Self)
    }

    pub(crate) fn fits(&self, arguments: &Map<String, Value>) -> bool {
        self.0.is_valid(&Value::Object(arguments.clone()))
    }
}

/// Compiles a schema that may refer to nothing but itself.
fn compiled(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_SIZE))
        .with_format(RELATIVE_PATH, is_relative_path)
        .should_validate_formats(true)
        .build(schema)
        .map_err(|error| error.to_string())
}
