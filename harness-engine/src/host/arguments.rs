//! A call's arguments as hosts hand them over, taken apart into leaves.

use harness_core::Arguments;
use harness_sanitize::Intake;
use harness_sanitize::arguments::{LeafBounds, Node, take_apart, unreadable};
use serde_json::Value;

use super::raw;

const BOUNDS: LeafBounds = LeafBounds {
    value: 2048,
    raw: raw::MAX_RAW,
};

/// Takes `arguments` apart. Models send an object as text: that is read as the object it is.
pub(super) fn read(arguments: &Value, intake: &Intake) -> Arguments {
    match arguments {
        Value::Null => Arguments::none(),
        Value::Object(_) => take_apart(arguments, &look, intake, BOUNDS),
        Value::String(text) if text.trim().is_empty() => Arguments::none(),
        Value::String(text) if text.len() > BOUNDS.raw => unreadable(text, intake, BOUNDS),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(object @ Value::Object(_)) => take_apart(&object, &look, intake, BOUNDS),
            Ok(_) | Err(_) => unreadable(text, intake, BOUNDS),
        },
        other => unreadable(&other.to_string(), intake, BOUNDS),
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
            pairs(&[("api_key", "[REDACTED:argument]"), ("city", "oslo")])
        );
    }
}
