//! The one way to bytes on disk: every string of every record is redacted on it.

use std::borrow::Cow;
use std::sync::Arc;

use harness_sanitize::Redactor;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::StoreError;
use crate::wire::json;

/// Turns values into bytes without secrets.
#[derive(Clone, Debug)]
pub(crate) struct Sink(Arc<Redactor>);

impl Sink {
    pub(crate) const fn new(redactor: Arc<Redactor>) -> Self {
        Self(redactor)
    }

    /// One line, line feed included.
    pub(crate) fn line<T: Serialize>(&self, value: &T) -> Result<Vec<u8>, StoreError> {
        json::to_line(&self.tree(value)?).map_err(unwritable)
    }

    /// A document for people.
    pub(crate) fn document<T: Serialize>(&self, value: &T) -> Result<Vec<u8>, StoreError> {
        json::to_pretty(&self.tree(value)?).map_err(unwritable)
    }

    /// A text for people.
    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.0.redact(text)
    }

    /// The fields of a record.
    pub(crate) fn fields<T: Serialize>(&self, value: &T) -> Result<Map<String, Value>, StoreError> {
        match self.tree(value)? {
            Value::Object(fields) => Ok(fields),
            _ => Err(StoreError::Unwritable {
                reason: "a record is not an object".to_owned(),
            }),
        }
    }

    fn tree<T: Serialize>(&self, value: &T) -> Result<Value, StoreError> {
        Ok(self.redacted(json::to_value(value).map_err(unwritable)?))
    }

    fn redacted(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.owned(text)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.redacted(item)).collect())
            }
            Value::Object(fields) => Value::Object(
                fields
                    .into_iter()
                    .map(|(key, value)| (self.owned(key), self.redacted(value)))
                    .collect(),
            ),
            other => other,
        }
    }

    fn owned(&self, text: String) -> String {
        match self.0.redact(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(redacted) => redacted,
        }
    }
}

fn unwritable(error: json::JsonError) -> StoreError {
    StoreError::Unwritable {
        reason: error.to_string(),
    }
}
