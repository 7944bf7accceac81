//! A call's arguments in JSON, taken apart into leaves.

use harness_core::Arguments;
use harness_sanitize::Intake;
use harness_sanitize::arguments::{LeafBounds, Node, free_text, take_apart, unreadable};
use serde_json::Value;

use crate::Limits;
use crate::message::RawArguments;

/// The name of the one leaf of a custom tool's free text.
const FREE: &str = "input";

/// Takes `raw` apart; each leaf goes through `intake` by itself.
pub(crate) fn read(raw: &RawArguments<'_>, intake: &Intake, limits: Limits) -> Arguments {
    let bounds = LeafBounds {
        value: limits.value,
        raw: limits.document,
    };
    match raw {
        RawArguments::None => Arguments::none(),
        RawArguments::Free(text) => free_text(FREE, text, intake, bounds),
        RawArguments::Value(value @ Value::Object(_)) => take_apart(*value, &look, intake, bounds),
        RawArguments::Value(value) => unreadable(&value.to_string(), intake, bounds),
        // Some models send nothing at all where a tool takes no arguments.
        RawArguments::Json(text) if text.trim().is_empty() => Arguments::none(),
        RawArguments::Json(text) => match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => take_apart(&value, &look, intake, bounds),
            Ok(_) | Err(_) => unreadable(text, intake, bounds),
        },
    }
}

fn look(node: &Value) -> Node<'_, Value> {
    match node {
        Value::String(text) => Node::Text(text),
        Value::Object(fields) => Node::fields(fields),
        Value::Array(list) => Node::list(list),
        _ => Node::Other,
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
    fn a_credential_is_masked_and_its_neighbour_is_not() {
        assert_eq!(
            leaves(r#"{"api_key":"correct horse","city":"oslo"}"#),
            pairs(&[("api_key", "[REDACTED:argument]"), ("city", "oslo")])
        );
    }
}
