//! The fields of a call's arguments, checked one by one with errors that a model can act on.

use harness_core::{CleanString, Quoted};
use harness_sanitize::Intake;
use serde_json::{Map, Value};

/// Why a field is not what was asked for; a sentence for the model.
pub(super) type Wrong = String;

/// The arguments of a call, as an object with no field but those that exist.
pub(super) struct Fields<'a> {
    map: Map<String, Value>,
    intake: &'a Intake,
}

impl<'a> Fields<'a> {
    /// Reads `arguments`; none at all stand for an empty object, as some providers send it.
    pub(super) fn read(
        arguments: &str,
        allowed: &[&str],
        intake: &'a Intake,
    ) -> Result<Self, Wrong> {
        let map = match arguments.trim() {
            "" => Map::new(),
            text => match serde_json::from_str(text) {
                Ok(Value::Object(map)) => map,
                Ok(Value::Null) => Map::new(),
                Ok(_) => return Err("the arguments of a call are one JSON object".into()),
                Err(error) => {
                    return Err(format!(
                        "the arguments are not JSON (line {}, column {}): send one JSON object",
                        error.line(),
                        error.column()
                    ));
                }
            },
        };
        match map.keys().find(|key| !allowed.contains(&key.as_str())) {
            Some(odd) => Err(format!(
                "there is no argument {}, only: {}",
                Quoted(odd),
                if allowed.is_empty() {
                    "none".into()
                } else {
                    allowed.join(", ")
                }
            )),
            None => Ok(Self { map, intake }),
        }
    }

    /// The whole object.
    pub(super) fn into_value(self) -> Value {
        Value::Object(self.map)
    }

    /// A text, as it was written or not at all: what the gate would have to change is refused.
    pub(super) fn text(&self, name: &str, max: usize) -> Result<Option<CleanString>, Wrong> {
        self.string(name)?
            .map(|text| self.as_written(name, text, max))
            .transpose()
    }

    /// A text that must be there.
    pub(super) fn required(&self, name: &str, max: usize) -> Result<CleanString, Wrong> {
        self.text(name, max)?.ok_or_else(|| missing(name))
    }

    /// A name that must have a form of its own; the reader says which.
    pub(super) fn parsed<T, E: std::fmt::Display>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Wrong> {
        self.string(name)?
            .map(|text| parse(text).map_err(|error| format!("`{name}`: {error}")))
            .transpose()
    }

    /// A list of texts, none of them longer than `max` bytes; empty where it is absent.
    pub(super) fn texts(&self, name: &str, max: usize) -> Result<Vec<CleanString>, Wrong> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| match item {
                    Value::String(text) => self.as_written(name, text, max),
                    _ => Err(format!("`{name}` is a list of strings")),
                })
                .collect(),
            Some(_) => Err(format!("`{name}` is a list of strings")),
        }
    }

    fn as_written(&self, name: &str, text: &str, max: usize) -> Result<CleanString, Wrong> {
        if text.len() > max {
            return Err(format!(
                "`{name}` has {} bytes, at most {max} are allowed",
                text.len()
            ));
        }
        let clean = self.intake.text(text, max);
        if clean.as_str() == text {
            Ok(clean.into_owned())
        } else {
            Err(format!(
                "`{name}` holds a control or invisible character, a banner, a reserved phrase or \
                 a secret: leave it out"
            ))
        }
    }

    fn string(&self, name: &str) -> Result<Option<&str>, Wrong> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{name}` is a string")),
        }
    }
}

/// The sentence for a field that must be there and is not.
pub(super) fn missing(name: &str) -> Wrong {
    format!("`{name}` is required")
}
