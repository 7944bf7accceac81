//! One leaf of evidence: redacted, cleaned, cut; masked where its key says that it is a secret.

use harness_core::CleanString;
use harness_sanitize::{Intake, secret_shaped_name};
use serde_json::{Map, Value};

/// Stands for a value whose key says that it is a credential.
const MASK: &str = "[masked]";
/// Bytes of a key that are shown.
const MAX_KEY: usize = 64;
/// Keys or items of one level of structured output that are shown.
const MAX_ITEMS: usize = 32;
/// Levels of structured output that are shown.
const MAX_DEPTH: usize = 6;

/// Makes leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaves<'a> {
    intake: &'a Intake,
}

impl<'a> Leaves<'a> {
    pub(crate) const fn new(intake: &'a Intake) -> Self {
        Self { intake }
    }

    /// `text` within `max` bytes.
    pub(crate) fn text(&self, text: &str, max: usize) -> CleanString {
        self.intake.text(text, max).into_owned()
    }

    /// `text` as a JSON string.
    pub(crate) fn value(&self, text: &str, max: usize) -> Value {
        Value::String(self.text(text, max).as_str().to_owned())
    }

    /// What stands under `key`.
    pub(crate) fn keyed(&self, key: &str, text: &str, max: usize) -> Value {
        if names_a_secret(key) {
            Value::from(MASK)
        } else {
            self.value(text, max)
        }
    }

    /// A key.
    pub(crate) fn key(&self, key: &str) -> String {
        self.text(key, MAX_KEY).as_str().to_owned()
    }

    /// What a tool returned: structured output with its keys masked leaf by leaf, anything else
    /// as text.
    pub(crate) fn output(&self, text: &str, max: usize) -> Value {
        match serde_json::from_str::<Value>(text) {
            Ok(parsed @ (Value::Object(_) | Value::Array(_))) => {
                let masked = self.structured(&parsed, MAX_DEPTH, max).to_string();
                self.value(&masked, max)
            }
            _ => self.value(text, max),
        }
    }

    fn structured(&self, value: &Value, depth: usize, max: usize) -> Value {
        match value {
            Value::Object(_) | Value::Array(_) if depth == 0 => Value::from("…"),
            Value::Object(entries) => Value::Object(
                entries
                    .iter()
                    .take(MAX_ITEMS)
                    .map(|(key, value)| {
                        let shown = if names_a_secret(key) {
                            Value::from(MASK)
                        } else {
                            self.structured(value, depth - 1, max)
                        };
                        (self.key(key), shown)
                    })
                    .collect::<Map<_, _>>(),
            ),
            Value::Array(items) => Value::Array(
                items
                    .iter()
                    .take(MAX_ITEMS)
                    .map(|item| self.structured(item, depth - 1, max))
                    .collect(),
            ),
            Value::String(text) => self.value(text, max),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

/// Whether any name of a path such as `login.password` is that of a credential.
fn names_a_secret(path: &str) -> bool {
    path.split('.').any(secret_shaped_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::intake;

    #[test]
    fn a_value_under_a_credentials_key_is_masked_and_its_neighbour_shown() {
        let intake = intake();
        let leaves = Leaves::new(&intake);
        assert_eq!(
            leaves.keyed("login.password", "tulip", 100),
            Value::from(MASK)
        );
        assert_eq!(
            leaves.keyed("login.user", "tulip", 100),
            Value::from("tulip")
        );
        let output = leaves.output(
            r#"{"user":"ada","api_key":"tulip","deep":[{"token":["x"]}]}"#,
            400,
        );
        // In whatever order: where the workspace is built as a whole, maps keep the one they came in.
        let shown: Value = serde_json::from_str(output.as_str().unwrap()).unwrap();
        assert_eq!(
            shown,
            serde_json::json!({"api_key": "[masked]", "deep": [{"token": "[masked]"}], "user": "ada"})
        );
    }

    #[test]
    fn a_leaf_is_clean_and_cut() {
        let intake = intake();
        let leaves = Leaves::new(&intake);
        let shown = leaves.text("\u{1b}[31mred\u{1b}[0m \u{202e}x", 100);
        assert_eq!(shown.as_str(), "red x");
        assert!(leaves.text(&"y".repeat(500), 100).len() <= 100);
    }

    #[test]
    fn deep_output_is_bounded() {
        let intake = intake();
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(
            Leaves::new(&intake).output(&deep, 400),
            Value::from("[[[[[[\"…\"]]]]]]")
        );
    }
}
