//! Whether the arguments are what the tool's schema says.

use serde_json::{Map, Value};

use crate::call::ToolCall;
use crate::refusal::{Denial, Refusal};
use crate::tool::{ArgumentKind, SchemaFault, Tool};

/// Bytes of a call's arguments at most, as JSON.
const MAX_ARGUMENTS: usize = 8 << 20;

/// The arguments fit the schema.
pub(crate) struct ValidArguments(Map<String, Value>);

impl ValidArguments {
    pub(crate) const fn get(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The texts of the arguments that are declared to be of this kind, by argument; a list counts
    /// text by text.
    ///
    /// Refuses an argument of the kind that is neither a text nor a list of texts: what is not
    /// read is not checked.
    pub(super) fn of_kind<'a>(
        &'a self,
        tool: &'a Tool,
        kind: ArgumentKind,
    ) -> Result<Vec<(&'a str, &'a str)>, Refusal> {
        let mut texts = Vec::new();
        for (name, declared) in &tool.spec.arguments {
            let Some(value) = self.0.get(name).filter(|_| *declared == kind) else {
                continue;
            };
            let unread = || {
                Refusal::new(
                    Denial::BadArguments,
                    format!("`{name}` must be a text, or a list of texts"),
                )
            };
            match value {
                Value::Null => {}
                Value::String(text) => texts.push((name.as_str(), text.as_str())),
                Value::Array(items) => {
                    for item in items {
                        texts.push((name.as_str(), item.as_str().ok_or_else(unread)?));
                    }
                }
                _ => return Err(unread()),
            }
        }
        Ok(texts)
    }
}

pub(super) fn check(tool: &Tool, call: &ToolCall) -> Result<ValidArguments, Refusal> {
    let malformed = |detail| Refusal::new(Denial::Malformed, detail);
    if call.arguments.len() > MAX_ARGUMENTS {
        return Err(malformed("the arguments are longer than 8 MiB"));
    }
    let value: Value = serde_json::from_str(&call.arguments)
        .map_err(|_| malformed("the arguments are not JSON: send one JSON object"))?;
    tool.schema
        .check(&value)
        .map_err(|fault| Refusal::new(Denial::BadArguments, told(&fault)))?;
    match value {
        Value::Object(fields) => Ok(ValidArguments(fields)),
        _ => Err(malformed("the arguments are JSON, but not an object")),
    }
}

fn told(fault: &SchemaFault) -> String {
    let keyword = &fault.keyword;
    match (&fault.argument, keyword.as_str()) {
        (_, "additionalProperties" | "unevaluatedProperties") => {
            "there is a field that the schema does not name: leave it out".to_owned()
        }
        (Some(argument), "required") => format!("`{argument}` is missing"),
        (Some(argument), "format") => {
            format!("`{argument}` must be relative and stay beneath its folder")
        }
        (Some(argument), _) => format!("`{argument}` does not fit the schema's `{keyword}`"),
        (None, _) => format!("the arguments do not fit the schema's `{keyword}`"),
    }
}
