//! The bounds that a schema gets where it has none of its own, or looser ones.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::argument::ArgumentKind;

/// Characters of a text that nothing else bounds, and of content.
const MAX_CONTENT: u64 = 1_048_576;
/// Characters of a command, a path, a pattern or a URL.
const MAX_LINE: u64 = 4096;
/// The last line at which reading may start.
const MAX_OFFSET: u64 = 1_000_000;
/// How many of something may be asked for at once.
const MAX_COUNT: u64 = 2000;
/// Depth to which a schema is bounded; one that is deeper is refused.
pub(super) const MAX_DEPTH: usize = 32;

/// Keywords that put schemas together: with one of these, what is named elsewhere counts as named.
const COMPOSING: [&str; 8] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "not",
    "dependentSchemas",
];

/// The format of a path that stays beneath the folder it is relative to.
pub(super) const RELATIVE_PATH: &str = "relative-path";

/// `schema` with bounds: unknown fields refused, every text and every declared number bounded.
pub(super) fn bounded(
    mut schema: Value,
    arguments: &BTreeMap<String, ArgumentKind>,
) -> Option<Value> {
    close(&mut schema, 0)?;
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if let (Some(property), Some(kind)) = (property.as_object_mut(), arguments.get(name)) {
            bound(property, *kind);
        }
    }
    Some(schema)
}

fn bound(property: &mut Map<String, Value>, kind: ArgumentKind) {
    // A list of paths is bounded path by path.
    if let Some(items) = property.get_mut("items").and_then(Value::as_object_mut) {
        bound(items, kind);
        return;
    }
    match kind {
        ArgumentKind::Path | ArgumentKind::Url => {
            at_least(property, "minLength", 1);
            at_most(property, "maxLength", MAX_LINE);
        }
        ArgumentKind::Command => {
            at_least(property, "minLength", 1);
            at_most(property, "maxLength", MAX_LINE);
        }
        ArgumentKind::Pattern => {
            at_most(property, "maxLength", MAX_LINE);
            property.insert("format".to_owned(), json!(RELATIVE_PATH));
        }
        ArgumentKind::Content => at_most(property, "maxLength", MAX_CONTENT),
        ArgumentKind::Offset => {
            at_least(property, "minimum", 1);
            at_most(property, "maximum", MAX_OFFSET);
        }
        ArgumentKind::Count => {
            at_least(property, "minimum", 1);
            at_most(property, "maximum", MAX_COUNT);
        }
    }
}

/// Closes every object of the schema and bounds every text; `None` where it is too deep.
fn close(schema: &mut Value, depth: usize) -> Option<()> {
    if depth > MAX_DEPTH {
        return None;
    }
    let Some(fields) = schema.as_object_mut() else {
        return Some(());
    };
    let composes = COMPOSING.iter().any(|word| fields.contains_key(*word));
    if depth == 0 || composes || fields.contains_key("properties") || is(fields, "object") {
        let keyword = if composes {
            "unevaluatedProperties"
        } else {
            "additionalProperties"
        };
        // Whoever says that anything goes has not said what.
        for word in ["additionalProperties", "unevaluatedProperties"] {
            if fields.get(word) == Some(&Value::Bool(true)) {
                fields.remove(word);
            }
        }
        // A schema for further fields names them, and stays.
        if !fields.get(keyword).is_some_and(Value::is_object) {
            fields.insert(keyword.to_owned(), json!(false));
        }
    }
    bound_parts(fields, depth)
}

/// Bounds what a schema is made of. What another schema puts together is closed there, once.
fn bound_parts(fields: &mut Map<String, Value>, depth: usize) -> Option<()> {
    if depth > MAX_DEPTH {
        return None;
    }
    if is(fields, "string") {
        at_most(fields, "maxLength", MAX_CONTENT);
    }
    for word in ["properties", "$defs", "definitions", "patternProperties"] {
        let inner = fields.get_mut(word).and_then(Value::as_object_mut);
        for (_, property) in inner.into_iter().flatten() {
            close(property, depth + 1)?;
        }
    }
    for word in ["items", "additionalProperties"] {
        if let Some(inner) = fields.get_mut(word) {
            close(inner, depth + 1)?;
        }
    }
    for word in ["allOf", "anyOf", "oneOf"] {
        let branches = fields.get_mut(word).and_then(Value::as_array_mut);
        for branch in branches.into_iter().flatten() {
            if let Some(branch) = branch.as_object_mut() {
                bound_parts(branch, depth + 1)?;
            }
        }
    }
    Some(())
}

fn is(fields: &Map<String, Value>, wanted: &str) -> bool {
    match fields.get("type") {
        Some(Value::String(name)) => name == wanted,
        Some(Value::Array(names)) => names.iter().any(|name| name.as_str() == Some(wanted)),
        _ => false,
    }
}

fn at_most(fields: &mut Map<String, Value>, keyword: &str, bound: u64) {
    let tighter = fields
        .get(keyword)
        .and_then(Value::as_f64)
        .is_some_and(|theirs| theirs <= bound as f64);
    if !tighter {
        fields.insert(keyword.to_owned(), json!(bound));
    }
}

fn at_least(fields: &mut Map<String, Value>, keyword: &str, bound: u64) {
    let tighter = fields
        .get(keyword)
        .and_then(Value::as_f64)
        .is_some_and(|theirs| theirs >= bound as f64);
    if !tighter {
        fields.insert(keyword.to_owned(), json!(bound));
    }
}

/// Whether `text` names something beneath wherever it is relative to, on any system.
pub(super) fn is_relative_path(text: &str) -> bool {
    let drive = text.as_bytes().get(1) == Some(&b':');
    !text.is_empty()
        && !text.starts_with(['/', '\\', '~'])
        && !drive
        && !text.contains('\0')
        && text.split(['/', '\\']).all(|part| part != "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_schema_keeps_what_is_tighter() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "maxLength": 10},
                "start": {"type": "integer", "minimum": 5},
                "options": {"type": "object", "properties": {"deep": {"type": "string"}}},
            },
        });
        let arguments = BTreeMap::from([
            ("path".to_owned(), ArgumentKind::Path),
            ("start".to_owned(), ArgumentKind::Offset),
        ]);
        let bounded = bounded(schema, &arguments).unwrap();
        assert_eq!(
            bounded,
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "path": {"type": "string", "maxLength": 10, "minLength": 1},
                    "start": {"type": "integer", "minimum": 5, "maximum": 1_000_000},
                    "options": {
                        "type": "object",
                        "additionalProperties": false,
                        "properties": {"deep": {"type": "string", "maxLength": 1_048_576}},
                    },
                },
            })
        );
    }

    /// As enumerations and options come out of a derived schema.
    #[test]
    fn what_is_put_together_is_closed_where_it_is_put_together() {
        let schema = json!({
            "type": "object",
            "properties": {
                "what": {"oneOf": [
                    {"type": "object", "properties": {"all": {"type": "boolean"}}},
                    {"type": "object", "properties": {"one": {"type": "string"}}},
                ]},
                "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            },
        });
        let bounded = bounded(schema, &BTreeMap::new()).unwrap();
        assert_eq!(
            bounded["properties"],
            json!({
                "what": {
                    "oneOf": [
                        {"type": "object", "properties": {"all": {"type": "boolean"}}},
                        {"type": "object", "properties": {
                            "one": {"type": "string", "maxLength": 1_048_576},
                        }},
                    ],
                    "unevaluatedProperties": false,
                },
                "maybe": {
                    "anyOf": [{"type": "string", "maxLength": 1_048_576}, {"type": "null"}],
                    "unevaluatedProperties": false,
                },
            })
        );
    }

    #[test]
    fn a_relative_path_stays_beneath() {
        for bad in [
            "", "/etc", "..", "a/../b", "~/x", "C:\\x", "a\\..\\b", "\\\\host",
        ] {
            assert!(!is_relative_path(bad), "{bad}");
        }
        for good in ["a", "a/b", "**/*.rs", "...", "a..b/c", ".hidden"] {
            assert!(is_relative_path(good), "{good}");
        }
    }
}
