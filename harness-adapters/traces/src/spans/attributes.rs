//! A span's attributes: names to values, whatever the export called them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Attributes of one span that are kept; instrumentations that spell whole conversations as
/// attributes have hundreds.
const MAX_ATTRIBUTES: usize = 4096;
/// Nesting that a dotted name may spell.
const MAX_DEPTH: usize = 12;

/// The attributes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Attributes(BTreeMap<String, Value>);

impl Attributes {
    /// Adds one; the first of a name stays.
    pub(crate) fn add(&mut self, name: String, value: Value) {
        if self.0.len() < MAX_ATTRIBUTES {
            self.0.entry(name).or_insert(value);
        }
    }

    /// Adds all fields of an object; an object that is text is read first, as some exports nest
    /// JSON in JSON.
    pub(crate) fn add_all(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.add(name.clone(), value.clone());
                }
            }
            Value::String(text) => {
                if let Ok(inner @ Value::Object(_)) = serde_json::from_str(text) {
                    self.add_all(&inner);
                }
            }
            _ => {}
        }
    }

    /// The first of `names` that is there and is not null.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&Value> {
        names
            .iter()
            .filter_map(|name| self.0.get(*name))
            .find(|value| !value.is_null())
    }

    /// The first of `names` that is a text with something in it.
    pub(crate) fn text(&self, names: &[&str]) -> Option<&str> {
        names
            .iter()
            .filter_map(|name| self.0.get(*name)?.as_str())
            .find(|text| !text.trim().is_empty())
    }

    /// The first of `names` that is a count; texts of digits are counts too.
    pub(crate) fn count(&self, names: &[&str]) -> Option<u64> {
        names
            .iter()
            .filter_map(|name| self.0.get(*name))
            .find_map(|value| match value {
                Value::Number(number) => number.as_u64(),
                Value::String(text) => text.parse().ok(),
                _ => None,
            })
    }

    /// What the attributes below `prefix` (with its dot) spell: `p.0.role` and `p.1.role` are a
    /// list of two objects.
    pub(crate) fn below(&self, prefix: &str) -> Option<Value> {
        let mut root = Value::Null;
        for (name, value) in self
            .0
            .range(prefix.to_owned()..)
            .take_while(|(name, _)| name.starts_with(prefix))
        {
            let path: Vec<&str> = name
                .strip_prefix(prefix)
                .unwrap_or_default()
                .splitn(MAX_DEPTH, '.')
                .collect();
            insert(&mut root, &path, value);
        }
        (!root.is_null()).then(|| listed(root))
    }
}

fn insert(at: &mut Value, path: &[&str], value: &Value) {
    let Some((name, rest)) = path.split_first() else {
        if at.is_null() {
            *at = value.clone();
        }
        return;
    };
    if at.is_null() {
        *at = Value::Object(Map::new());
    }
    // A name that is both a value and a prefix keeps what came first.
    if let Value::Object(fields) = at {
        insert(fields.entry(*name).or_insert(Value::Null), rest, value);
    }
}

/// Objects whose every name is a number become lists in order of number.
fn listed(value: Value) -> Value {
    let Value::Object(fields) = value else {
        return value;
    };
    let numbered: Option<BTreeMap<u32, &String>> = fields
        .keys()
        .map(|name| Some((name.parse().ok()?, name)))
        .collect();
    match numbered {
        Some(order) if order.len() == fields.len() => order
            .values()
            .filter_map(|name| fields.get(*name).cloned())
            .map(listed)
            .collect(),
        _ => fields
            .into_iter()
            .map(|(name, value)| (name, listed(value)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dotted_names_spell_lists_and_objects() {
        let mut attributes = Attributes::default();
        attributes.add_all(&json!({
            "m.10.role": "user", "m.2.role": "assistant", "m.2.calls.0.name": "look", "n": 1,
        }));
        let list = json!([
            {"role": "assistant", "calls": [{"name": "look"}]},
            {"role": "user"},
        ]);
        assert_eq!(attributes.below("m."), Some(list));
        assert_eq!(attributes.below("o."), None);
    }

    #[test]
    fn an_object_in_text_is_read_and_the_first_of_a_name_stays() {
        let mut attributes = Attributes::default();
        attributes.add_all(&json!("{\"a\": \"1\", \"b\": \" \"}"));
        attributes.add_all(&json!({"a": "2"}));
        attributes.add_all(&json!("no json"));
        assert_eq!(attributes.text(&["b", "a"]), Some("1"));
        assert_eq!(attributes.count(&["a"]), Some(1));
        assert_eq!(attributes.get(&["c"]), None);
    }

    #[test]
    fn their_number_and_depth_are_bounded() {
        let mut attributes = Attributes::default();
        for at in 0..MAX_ATTRIBUTES + 10 {
            attributes.add(format!("a.{at}"), Value::from(at));
        }
        assert_eq!(
            attributes.below("a.").unwrap().as_array().unwrap().len(),
            MAX_ATTRIBUTES
        );
        let mut deep = Attributes::default();
        deep.add("a.".repeat(1000), Value::from(1));
        assert!(deep.below("a.").is_some());
    }
}
