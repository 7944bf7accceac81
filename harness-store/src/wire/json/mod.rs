//! JSON as we write it: ASCII, keys sorted, one spelling a value.
//!
//! Sorting is done here and not left to the map of `serde_json`, whose order depends on features
//! that another crate of a build may switch on.

mod render;
mod serializer;
mod text;

use serde::Serialize;
use serde_json::Value;

pub(crate) use self::render::{Envelope, Texts};

use self::render::Renderer;

use super::MAX_LINE;

/// Why a value could not be written or a line not read. The fault is ours when writing; when
/// reading, it lies with whoever wrote the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonError(String);

impl serde::ser::Error for JsonError {
    fn custom<T: std::fmt::Display>(reason: T) -> Self {
        Self(reason.to_string())
    }
}

/// A value as one compact line, line feed included.
///
/// # Errors
/// A value that JSON cannot say, or a line longer than [`MAX_LINE`].
pub fn to_line<T: Serialize>(value: &T) -> Result<Vec<u8>, JsonError> {
    line(value, &mut |_| None)
}

/// [`to_line`], each text as `texts` has it.
pub(crate) fn line<T: Serialize>(value: &T, texts: Texts<'_>) -> Result<Vec<u8>, JsonError> {
    let mut line = Vec::new();
    render(value, None, None, &mut line, texts)?;
    if line.len() > MAX_LINE {
        return Err(JsonError(format!(
            "a line of {} bytes is longer than {MAX_LINE}",
            line.len()
        )));
    }
    line.push(b'\n');
    Ok(line)
}

/// A value as a document for people: two spaces a level, line feed at the end.
///
/// # Errors
/// A value that JSON cannot say.
pub fn to_pretty<T: Serialize>(value: &T) -> Result<Vec<u8>, JsonError> {
    document(value, &mut |_| None)
}

/// A value as a tree.
///
/// # Errors
/// A value that JSON cannot say.
pub fn to_value<T: Serialize>(value: &T) -> Result<Value, JsonError> {
    serde_json::to_value(value).map_err(|error| JsonError(error.to_string()))
}

/// A tree on one line, without a line feed.
pub fn compact(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    // Whatever a tree can hold, JSON can say.
    let _ = render(value, None, None, &mut out, &mut |_| None);
    out
}

/// [`to_pretty`], each text as `texts` has it.
pub(crate) fn document<T: Serialize>(value: &T, texts: Texts<'_>) -> Result<Vec<u8>, JsonError> {
    let mut out = Vec::new();
    render(value, Some(0), None, &mut out, texts)?;
    out.push(b'\n');
    Ok(out)
}

/// An object on one line at the end of `out`, without a line feed, each of its texts as `texts` has
/// it, with the fields of `envelope` among its own.
pub(crate) fn enclose<T: Serialize>(
    value: &T,
    envelope: Envelope<'_>,
    out: &mut Vec<u8>,
    texts: Texts<'_>,
) -> Result<(), JsonError> {
    render(value, None, Some(envelope), out, texts)
}

fn render<'r, T: Serialize>(
    value: &T,
    level: Option<usize>,
    envelope: Option<Envelope<'r>>,
    out: &'r mut Vec<u8>,
    texts: Texts<'r>,
) -> Result<(), JsonError> {
    let mut renderer = Renderer {
        out,
        level,
        texts,
        envelope,
        fields: Vec::new(),
        ordered: Vec::new(),
    };
    value.serialize(&mut renderer)?;
    match renderer.envelope {
        Some(_) => Err(JsonError("a record is not an object".to_owned())),
        None => Ok(()),
    }
}

/// Reads one value from the bytes of a line or file. Nesting is bounded by `serde_json` (128).
///
/// # Errors
/// Bytes that are no JSON, with the place; never their content.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    serde_json::from_slice(bytes).map_err(|error| JsonError(format!("no JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::wire::event::samples::of_every_kind;

    #[test]
    fn keys_are_sorted_and_everything_else_is_escaped() {
        let value = json!({"b": [1, 2.5, null], "a": "é\u{2028}\u{1f600}\u{7f}\"\\"});
        assert_eq!(
            String::from_utf8(compact(&value)).unwrap(),
            r#"{"a":"\u00e9\u2028\ud83d\ude00\u007f\"\\","b":[1,2.5,null]}"#
        );
    }

    #[test]
    fn the_form_for_people_ends_in_a_line_feed() {
        let shown = to_pretty(&json!({"b": [], "a": {"x": true, "y": [1]}})).unwrap();
        assert_eq!(
            String::from_utf8(shown).unwrap(),
            "{\n  \"a\": {\n    \"x\": true,\n    \"y\": [\n      1\n    ]\n  },\n  \"b\": []\n}\n"
        );
    }

    #[test]
    fn deep_nests_are_refused_and_shallow_ones_read() {
        let nest = |depth: usize| [vec![b'['; depth], vec![b']'; depth]].concat();
        assert!(parse(&nest(10_000)).is_err());
        assert!(parse(&nest(100)).is_ok());
    }

    #[test]
    fn a_line_is_bounded() {
        assert!(to_line(&"x".repeat(MAX_LINE)).is_err());
        assert!(to_line(&"x".repeat(MAX_LINE - 2)).is_ok());
    }

    /// The same, by way of a tree that holds its objects in order.
    fn by_a_tree(value: &Value) -> String {
        match value {
            Value::Object(fields) => {
                let fields: BTreeMap<_, _> = fields.iter().collect();
                let field = |(key, value): (&String, &Value)| {
                    format!("{}:{}", by_a_tree(&key.as_str().into()), by_a_tree(value))
                };
                let fields: Vec<String> = fields.into_iter().map(field).collect();
                format!("{{{}}}", fields.join(","))
            }
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(by_a_tree).collect();
                format!("[{}]", items.join(","))
            }
            Value::String(text) => {
                let mut out = Vec::new();
                text::emit(text, &mut out);
                String::from_utf8(out).unwrap()
            }
            other => other.to_string(),
        }
    }

    #[test]
    fn an_event_of_every_kind_is_written_as_its_tree() {
        for (kind, event) in of_every_kind() {
            let tree = to_value(&event).unwrap();
            let line = String::from_utf8(to_line(&event).unwrap()).unwrap();
            assert_eq!(line.trim_end(), by_a_tree(&tree), "{kind}");
            let shown = to_pretty(&event).unwrap();
            assert_eq!(parse(&shown).unwrap(), tree, "{kind}");
        }
    }

    #[test]
    fn of_fields_of_one_name_the_last_stands_and_the_envelope_last_of_all() {
        #[derive(Serialize)]
        struct Twice {
            z: u8,
            seq: &'static str,
            #[serde(flatten)]
            rest: BTreeMap<String, u8>,
            inner: [BTreeMap<u8, Option<char>>; 1],
        }
        let twice = Twice {
            z: 1,
            seq: "its own",
            rest: BTreeMap::from([("z".to_owned(), 2), ("a secret".to_owned(), 3)]),
            inner: [BTreeMap::from([(10, Some('s')), (9, None)])],
        };
        let mut out = b"before ".to_vec();
        let mut hide = |text: &str| (text.contains('s')).then(|| "[hidden]".to_owned());
        enclose(&twice, &[("seq", "7".to_owned())], &mut out, &mut hide).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"before {"[hidden]":3,"inner":[{"10":"[hidden]","9":null}],"seq":7,"z":2}"#
        );
        let mut nothing = |_: &str| None;
        assert!(enclose(&[1], &[], &mut Vec::new(), &mut nothing).is_err());
    }

    #[test]
    fn a_number_of_any_precision_is_a_number() {
        #[derive(Serialize)]
        #[serde(rename = "$serde_json::private::Number")]
        struct Number {
            #[serde(rename = "$serde_json::private::Number")]
            digits: &'static str,
        }
        let number = Number { digits: "1e400" };
        assert_eq!(to_line(&[number]).unwrap(), b"[1e400]\n");
    }

    #[test]
    fn an_enum_that_no_field_tells_is_refused() {
        #[derive(Serialize)]
        enum Untold {
            One(u8),
            Two(u8, u8),
            Three { a: u8 },
            Four,
        }
        for untold in [Untold::One(1), Untold::Two(1, 2), Untold::Three { a: 1 }] {
            assert!(to_line(&untold).is_err());
        }
        assert_eq!(to_line(&Untold::Four).unwrap(), b"\"Four\"\n");
    }

    fn any_tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            let fields = prop::collection::hash_map(any::<String>(), inner.clone(), 0..6);
            prop_oneof![
                prop::collection::vec(inner, 0..6).prop_map(Value::from),
                fields.prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_value_is_written_as_its_tree(tree in any_tree()) {
            prop_assert_eq!(String::from_utf8(compact(&tree)).unwrap(), by_a_tree(&tree));
            prop_assert_eq!(parse(&to_pretty(&tree).unwrap()).unwrap(), tree);
        }

        #[test]
        fn text_reads_back(text in any::<String>()) {
            let line = to_line(&text).unwrap();
            prop_assert!(line.is_ascii());
            prop_assert_eq!(parse(&line).unwrap(), Value::String(text));
        }

        #[test]
        fn numbers_read_back_to_the_last_bit(number in any::<f64>().prop_filter("finite", |n| n.is_finite())) {
            let line = to_line(&number).unwrap();
            prop_assert_eq!(parse(&line).unwrap().as_f64(), Some(number));
        }
    }
}
