//! A call's arguments, taken apart into leaves.

use harness_core::{Argument, Arguments};
use harness_sanitize::Intake;
use serde_json::Value;

use crate::Limits;
use crate::message::RawArguments;

/// The name of the one leaf of a custom tool's free text.
const FREE: &str = "input";

/// Takes `raw` apart; each leaf goes through `intake` by itself.
pub(crate) fn read(raw: &RawArguments<'_>, intake: &Intake, limits: Limits) -> Arguments {
    let mut leaves = Leaves {
        intake,
        limits,
        found: Vec::new(),
    };
    match raw {
        RawArguments::None => {}
        RawArguments::Free(text) => leaves.push(FREE, text),
        RawArguments::Value(value @ Value::Object(_)) => leaves.walk("", value, 0),
        RawArguments::Value(value) => return leaves.unreadable(&value.to_string()),
        // Some models send nothing at all where a tool takes no arguments.
        RawArguments::Json(text) if text.trim().is_empty() => {}
        RawArguments::Json(text) => match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => leaves.walk("", &value, 0),
            Ok(_) | Err(_) => return leaves.unreadable(text),
        },
    }
    Arguments::from_leaves(leaves.found)
}

struct Leaves<'a> {
    intake: &'a Intake,
    limits: Limits,
    found: Vec<Argument>,
}

impl Leaves<'_> {
    fn walk(&mut self, path: &str, value: &Value, depth: usize) {
        if self.found.len() >= Arguments::MAX_LEAVES {
            return;
        }
        match value {
            Value::Object(object) if depth < Limits::DEPTH && !object.is_empty() => {
                for (name, inner) in object {
                    self.walk(&below(path, name), inner, depth + 1);
                }
            }
            Value::Array(list) if depth < Limits::DEPTH && !list.is_empty() => {
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
        let path = self.intake.text(path, Limits::NAME).into_owned();
        let value = self.value(path.as_str(), value);
        self.found.push(Argument { path, value });
    }

    fn unreadable(&self, text: &str) -> Arguments {
        Arguments::Unreadable(self.intake.text(text, self.limits.value).into_owned())
    }

    /// A value whose name says that it is a credential is masked whole.
    fn value(&self, path: &str, value: &str) -> harness_core::CleanString {
        let name = path.rsplit('.').next().unwrap_or(path);
        let shown = if !value.is_empty() && harness_sanitize::secret_shaped_name(name) {
            MASKED
        } else {
            value
        };
        self.intake.text(shown, self.limits.value).into_owned()
    }
}

/// What stands for the value of a credential-shaped argument.
const MASKED: &str = "[REDACTED:argument]";

fn below(path: &str, name: &str) -> String {
    // A hostile name is cut before it multiplies with depth.
    let name: String = name.chars().take(Limits::NAME).collect();
    if path.is_empty() {
        name
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(json: &str) -> Vec<(String, String)> {
        read(
            &RawArguments::Json(json),
            &crate::testing::intake(),
            Limits::default(),
        )
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
    fn nested_arguments_become_leaves_in_order_of_path() {
        assert_eq!(
            leaves(r#"{"to":"oslo","legs":[{"day":2},{"day":null}],"tags":[],"paid":true}"#),
            pairs(&[
                ("legs.0.day", "2"),
                ("legs.1.day", "null"),
                ("paid", "true"),
                ("tags", "[]"),
                ("to", "oslo"),
            ])
        );
    }

    #[test]
    fn no_arguments_are_no_leaves_and_not_unreadable() {
        for empty in ["", "  ", "{}"] {
            let read = read(
                &RawArguments::Json(empty),
                &crate::testing::intake(),
                Limits::default(),
            );
            assert_eq!(read, Arguments::none(), "{empty:?}");
        }
    }

    #[test]
    fn what_is_no_object_is_kept_as_unreadable_text() {
        for bad in ["{\"a\":", "[1]", "3", "oslo"] {
            let read = read(
                &RawArguments::Json(bad),
                &crate::testing::intake(),
                Limits::default(),
            );
            assert!(matches!(read, Arguments::Unreadable(_)), "{bad:?}");
        }
    }

    #[test]
    fn what_lies_too_deep_is_one_leaf() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(40), "]".repeat(40));
        let found = leaves(&deep);
        assert_eq!(found.len(), 1);
        assert!(found[0].1.starts_with("[[["), "{found:?}");
    }

    #[test]
    fn too_many_leaves_are_dropped() {
        let list: Vec<u32> = (0..1000).collect();
        let json = serde_json::json!({ "list": list }).to_string();
        assert_eq!(leaves(&json).len(), Arguments::MAX_LEAVES);
    }

    #[test]
    fn a_credential_is_masked_and_its_neighbour_is_not() {
        assert_eq!(
            leaves(r#"{"api_key":"correct horse","city":"oslo"}"#),
            pairs(&[("api_key", MASKED), ("city", "oslo")])
        );
    }
}
