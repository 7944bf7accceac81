//! A call's arguments, taken apart into leaves; each goes through the intake by itself.

use harness_core::{Argument, Arguments, CleanString};
use harness_sanitize::{Intake, secret_shaped_name};
use serde_json::Value;

use super::raw;

/// Bytes of one leaf that are kept.
const MAX_VALUE: usize = 2048;
/// Bytes of a leaf's path that are kept.
const MAX_PATH: usize = 128;
/// Nesting that is taken apart; what lies deeper is one leaf, as JSON.
const MAX_DEPTH: usize = 8;
/// What stands for the value of a credential-shaped argument.
const MASKED: &str = "[REDACTED:argument]";

/// Takes `arguments` apart. Models send an object as text: that is read as the object it is.
pub(super) fn read(arguments: &Value, intake: &Intake) -> Arguments {
    let mut leaves = Leaves {
        intake,
        found: Vec::new(),
    };
    match arguments {
        Value::Null => {}
        Value::Object(_) => leaves.walk("", arguments, 0),
        Value::String(text) if text.trim().is_empty() => {}
        Value::String(text) if text.len() > raw::MAX_RAW => return unreadable(text, intake),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(object @ Value::Object(_)) => leaves.walk("", &object, 0),
            Ok(_) | Err(_) => return unreadable(text, intake),
        },
        other => return unreadable(&other.to_string(), intake),
    }
    Arguments::from_leaves(leaves.found)
}

fn unreadable(text: &str, intake: &Intake) -> Arguments {
    Arguments::Unreadable(raw::take(text, MAX_VALUE, intake))
}

struct Leaves<'a> {
    intake: &'a Intake,
    found: Vec<Argument>,
}

impl Leaves<'_> {
    fn walk(&mut self, path: &str, value: &Value, depth: usize) {
        if self.found.len() >= Arguments::MAX_LEAVES {
            return;
        }
        match value {
            Value::Object(object) if depth < MAX_DEPTH && !object.is_empty() => {
                for (name, inner) in object {
                    self.walk(&below(path, name), inner, depth + 1);
                }
            }
            Value::Array(list) if depth < MAX_DEPTH && !list.is_empty() => {
                for (position, inner) in list.iter().enumerate() {
                    self.walk(&below(path, &position.to_string()), inner, depth + 1);
                }
            }
            // A call without arguments has no leaves.
            Value::Object(_) if depth == 0 => {}
            Value::String(text) => self.push(path, text),
            other => self.push(path, &other.to_string()),
        }
    }

    fn push(&mut self, path: &str, value: &str) {
        let path = self.clean(path, MAX_PATH);
        let name = path.as_str().rsplit('.').next().unwrap_or_default();
        let value = if !value.is_empty() && secret_shaped_name(name) {
            self.clean(MASKED, MAX_VALUE)
        } else {
            self.clean(value, MAX_VALUE)
        };
        self.found.push(Argument { path, value });
    }

    fn clean(&self, text: &str, max: usize) -> CleanString {
        raw::take(text, max, self.intake)
    }
}

fn below(path: &str, name: &str) -> String {
    // A hostile name is cut before it multiplies with depth.
    let name: String = name.chars().take(MAX_PATH).collect();
    if path.is_empty() {
        name
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use harness_sanitize::{Gate, Redactor};
    use serde_json::json;

    use super::*;

    fn intake() -> Intake {
        Intake::new(Gate::default(), Redactor::patterns_only())
    }

    fn leaves(arguments: &Value) -> Vec<(String, String)> {
        read(arguments, &intake())
            .leaves()
            .iter()
            .map(|leaf| (leaf.path.to_string(), leaf.value.to_string()))
            .collect()
    }

    fn pairs(wanted: &[(&str, &str)]) -> Vec<(String, String)> {
        wanted
            .iter()
            .map(|(path, value)| ((*path).into(), (*value).into()))
            .collect()
    }

    #[test]
    fn an_object_and_the_same_object_as_text_are_alike() {
        let object = json!({"to": "oslo", "legs": [{"day": 2}], "tags": [], "paid": true});
        let wanted = pairs(&[
            ("legs.0.day", "2"),
            ("paid", "true"),
            ("tags", "[]"),
            ("to", "oslo"),
        ]);
        assert_eq!(leaves(&object), wanted);
        assert_eq!(leaves(&Value::String(object.to_string())), wanted);
    }

    #[test]
    fn nothing_is_no_leaves_and_no_object_is_unreadable() {
        for nothing in [Value::Null, json!({}), json!("  "), json!("{}")] {
            assert_eq!(read(&nothing, &intake()), Arguments::none(), "{nothing}");
        }
        for other in [json!([1]), json!(3), json!("oslo"), json!("{\"a\":")] {
            let read = read(&other, &intake());
            assert!(matches!(read, Arguments::Unreadable(_)), "{other}");
        }
    }

    #[test]
    fn a_credential_is_masked_and_its_neighbour_is_not() {
        assert_eq!(
            leaves(&json!({"api_key": "correct horse", "city": "oslo"})),
            pairs(&[("api_key", MASKED), ("city", "oslo")])
        );
    }

    #[test]
    fn depth_and_number_are_bounded() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(40), "]".repeat(40));
        assert_eq!(leaves(&Value::String(deep)).len(), 1);
        let list: Vec<u32> = (0..1000).collect();
        assert_eq!(
            leaves(&json!({ "list": list })).len(),
            Arguments::MAX_LEAVES
        );
    }
}
