//! The one way to bytes on disk: every string of every record is redacted on it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use harness_sanitize::Redactor;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::StoreError;
use crate::wire::json;

/// Short texts that are remembered to hold no secret.
const MAX_REMEMBERED: usize = 1024;
/// Bytes of a text that is remembered, at most.
const MAX_SHORT: usize = 64;

/// Turns values into bytes without secrets.
#[derive(Clone, Debug)]
pub(crate) struct Sink {
    redactor: Arc<Redactor>,
    clean: Arc<Clean>,
}

/// Texts in which the redactor found nothing. It finds the same in the same text, and records are
/// made of the same keys, names and ids again and again.
#[derive(Default)]
struct Clean(Mutex<HashSet<String>>);

impl fmt::Debug for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clean(..)")
    }
}

impl Sink {
    pub(crate) fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            clean: Arc::default(),
        }
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
        self.redactor.redact(text)
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
        let mut tree = json::to_value(value).map_err(unwritable)?;
        let mut clean = self.clean.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.redact(&mut tree, &mut clean);
        Ok(tree)
    }

    fn redact(&self, value: &mut Value, clean: &mut HashSet<String>) {
        match value {
            Value::String(text) => {
                if let Some(redacted) = self.redacted(text, clean) {
                    *text = redacted;
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.redact(item, clean);
                }
            }
            Value::Object(fields) => {
                if fields.keys().any(|key| self.redacted(key, clean).is_some()) {
                    *fields = std::mem::take(fields)
                        .into_iter()
                        .map(|(key, value)| (self.redacted(&key, clean).unwrap_or(key), value))
                        .collect();
                }
                for value in fields.values_mut() {
                    self.redact(value, clean);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// What is to stand in the place of `text`; `None` if it holds no secret.
    fn redacted(&self, text: &str, clean: &mut HashSet<String>) -> Option<String> {
        if clean.contains(text) {
            return None;
        }
        if let Cow::Owned(redacted) = self.redactor.redact(text) {
            return Some(redacted);
        }
        if text.len() <= MAX_SHORT {
            if clean.len() >= MAX_REMEMBERED {
                clean.clear();
            }
            clean.insert(text.to_owned());
        }
        None
    }
}

fn unwritable(error: json::JsonError) -> StoreError {
    StoreError::Unwritable {
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_changes_nothing_that_is_written() {
        let secret = ("API_TOKEN".to_owned(), "zebra-quartz-91".to_owned());
        let sink = Sink::new(Arc::new(Redactor::with_values([secret])));
        let text = |at: usize| match at % 3 {
            0 => "zebra-quartz-91".to_owned(),
            1 => format!("s-{at}"),
            _ => "session".to_owned(),
        };
        for at in 0..3 * MAX_REMEMBERED {
            let text = text(at);
            let line = sink.line(&[text.as_str(), text.as_str()]).unwrap();
            let alone = sink.text(&text);
            assert_eq!(line, json::to_line(&[&alone, &alone]).unwrap());
            assert!(!line.windows(12).any(|part| part == b"zebra-quartz"));
        }
        let held = sink.clean.0.lock().unwrap();
        assert!(held.len() <= MAX_REMEMBERED && held.contains("session"));
        assert!(!held.iter().any(|text| text.contains("zebra")));
    }
}
