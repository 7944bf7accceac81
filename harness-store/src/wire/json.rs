//! JSON as we write it: ASCII, keys sorted, one spelling a value.
//!
//! Sorting is done here and not left to the map of `serde_json`, whose order depends on features
//! that another crate of a build may switch on.

use serde::Serialize;
use serde_json::{Map, Value};

use super::MAX_LINE;

/// Why a value could not be written or a line not read. The fault is ours when writing; when
/// reading, it lies with whoever wrote the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonError(String);

/// A value as one compact line, line feed included.
///
/// # Errors
/// A value that JSON cannot say, or a line longer than [`MAX_LINE`].
pub fn to_line<T: Serialize>(value: &T) -> Result<Vec<u8>, JsonError> {
    let line = compact(&to_value(value)?);
    if line.len() > MAX_LINE {
        return Err(JsonError(format!(
            "a line of {} bytes is longer than {MAX_LINE}",
            line.len()
        )));
    }
    Ok([line.as_slice(), b"\n"].concat())
}

/// A value as a document for people: two spaces a level, line feed at the end.
///
/// # Errors
/// A value that JSON cannot say.
pub fn to_pretty<T: Serialize>(value: &T) -> Result<Vec<u8>, JsonError> {
    let mut out = Vec::new();
    emit(&to_value(value)?, Some(0), &mut out);
    out.push(b'\n');
    Ok(out)
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
    emit_compact(value, &mut out);
    out
}

/// [`compact`], at the end of what is in `out`.
pub(crate) fn emit_compact(value: &Value, out: &mut Vec<u8>) {
    emit(value, None, out);
}

/// Reads one value from the bytes of a line or file. Nesting is bounded by `serde_json` (128).
///
/// # Errors
/// Bytes that are no JSON, with the place; never their content.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    serde_json::from_slice(bytes).map_err(|error| JsonError(format!("no JSON: {error}")))
}

/// `indent` is the level of a document for people, `None` on one line.
fn emit(value: &Value, indent: Option<usize>, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Value::String(text) => emit_text(text, out),
        Value::Array(items) => emit_list(
            items.iter(),
            indent,
            [b'[', b']'],
            out,
            |item, level, out| {
                emit(item, level, out);
            },
        ),
        Value::Object(fields) => {
            emit_list(
                sorted(fields).into_iter(),
                indent,
                [b'{', b'}'],
                out,
                |(key, value), level, out| {
                    emit_text(key, out);
                    out.extend_from_slice(if level.is_some() { b": " } else { b":" });
                    emit(value, level, out);
                },
            );
        }
    }
}

fn sorted(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by_key(|(key, _)| *key);
    fields
}

fn emit_list<T>(
    items: impl ExactSizeIterator<Item = T>,
    indent: Option<usize>,
    [open, close]: [u8; 2],
    out: &mut Vec<u8>,
    mut each: impl FnMut(T, Option<usize>, &mut Vec<u8>),
) {
    out.push(open);
    let inner = indent.map(|level| level + 1);
    let empty = items.len() == 0;
    for (position, item) in items.enumerate() {
        if position > 0 {
            out.push(b',');
        }
        new_line(inner, out);
        each(item, inner, out);
    }
    if !empty {
        new_line(indent, out);
    }
    out.push(close);
}

fn new_line(indent: Option<usize>, out: &mut Vec<u8>) {
    if let Some(level) = indent {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(b' ', 2 * level));
    }
}

fn emit_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    // Texts that stand for themselves are frequent, and are looked at many bytes at a time.
    if text.as_bytes().iter().all(is_plain) {
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return;
    }
    for character in text.chars() {
        match character {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            // In range, so the cast keeps the value.
            ' '..='~' => out.push(character as u8),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

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

    proptest! {
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
