//! A call's arguments, taken apart into leaves; each goes through the intake by itself.
//!
//! Whoever holds arguments holds them in a tree of its own (this crate knows no JSON), so the tree
//! comes with two functions that look at a node.

use std::borrow::Cow;
use std::fmt::Display;

use harness_core::{Argument, Arguments, CleanString, CleanText};

use crate::{Intake, secret_shaped_name};

/// How much of a call's arguments is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafBounds {
    /// Bytes of a leaf's value that are kept.
    pub value: usize,
    /// Bytes of a text that are looked at; a longer one is left out whole, as the half of a secret
    /// that a cut would leave could not be told.
    pub raw: usize,
}

impl LeafBounds {
    /// Bytes of a leaf's path that are kept.
    pub const PATH: usize = 128;
    /// Nesting that is taken apart; what lies deeper is one leaf, as it is written.
    pub const DEPTH: usize = 8;
}

/// A node of a tree of arguments.
pub enum Node<'t, T> {
    /// A text, without quotes.
    Text(&'t str),
    /// Fields by name, or entries by position.
    Parts(Vec<(Cow<'t, str>, &'t T)>),
    /// Anything else, taken as it is written.
    Other,
}

impl<'t, T> Node<'t, T> {
    /// The fields of an object.
    pub fn fields(fields: impl IntoIterator<Item = (&'t String, &'t T)>) -> Self {
        let named = |(name, inner): (&'t String, _)| (Cow::Borrowed(name.as_str()), inner);
        Self::Parts(fields.into_iter().map(named).collect())
    }

    /// The entries of a list.
    pub fn list(list: impl IntoIterator<Item = &'t T>) -> Self {
        let at = |(at, inner): (usize, _)| (Cow::Owned(at.to_string()), inner);
        Self::Parts(list.into_iter().enumerate().map(at).collect())
    }
}

/// What stands for the value of a credential-shaped argument.
const MASKED: &str = "[REDACTED:argument]";
/// What stands for a text that was left out.
const LEFT_OUT: &str = "[left out: too long]";

/// Takes the tree at `root` apart: at most [`Arguments::MAX_LEAVES`] leaves, in order of path. A
/// value whose name says that it is a credential is masked whole.
pub fn take_apart<'t, T: Display>(
    root: &'t T,
    look: &impl Fn(&'t T) -> Node<'t, T>,
    intake: &Intake,
    bounds: LeafBounds,
) -> Arguments {
    let mut leaves = Leaves {
        intake,
        bounds,
        found: Vec::new(),
    };
    leaves.walk("", root, 0, look);
    Arguments::from_leaves(leaves.found)
}

/// Arguments that are one text under `name`.
pub fn free_text(name: &str, text: &str, intake: &Intake, bounds: LeafBounds) -> Arguments {
    let mut leaves = Leaves {
        intake,
        bounds,
        found: Vec::new(),
    };
    leaves.push(name, text);
    Arguments::from_leaves(leaves.found)
}

/// Arguments that are no tree of names, kept as text.
pub fn unreadable(text: &str, intake: &Intake, bounds: LeafBounds) -> Arguments {
    Arguments::Unreadable(take(text, bounds.value, intake, bounds))
}

struct Leaves<'a> {
    intake: &'a Intake,
    bounds: LeafBounds,
    found: Vec<Argument>,
}

impl Leaves<'_> {
    fn walk<'t, T: Display>(
        &mut self,
        path: &str,
        node: &'t T,
        depth: usize,
        look: &impl Fn(&'t T) -> Node<'t, T>,
    ) {
        if self.found.len() >= Arguments::MAX_LEAVES {
            return;
        }
        match look(node) {
            Node::Text(text) => self.push(path, text),
            // A call without arguments has no leaves.
            Node::Parts(parts) if depth == 0 && parts.is_empty() => {}
            Node::Parts(parts) if depth < LeafBounds::DEPTH && !parts.is_empty() => {
                for (name, inner) in parts {
                    self.walk(&below(path, &name), inner, depth + 1, look);
                }
            }
            Node::Parts(_) | Node::Other => self.push(path, &node.to_string()),
        }
    }

    fn push(&mut self, path: &str, value: &str) {
        let path = take(path, LeafBounds::PATH, self.intake, self.bounds);
        let name = path.as_str().rsplit('.').next().unwrap_or_default();
        let shown = if !value.is_empty() && secret_shaped_name(name) {
            MASKED
        } else {
            value
        };
        let value = take(shown, self.bounds.value, self.intake, self.bounds);
        self.found.push(Argument { path, value });
    }
}

fn take(text: &str, max: usize, intake: &Intake, bounds: LeafBounds) -> CleanString {
    if text.len() > bounds.raw {
        return CleanText::new(LEFT_OUT).unwrap_or_else(|_| CleanText::empty());
    }
    intake.text(text, max).into_owned()
}

fn below(path: &str, name: &str) -> String {
    // A hostile name is cut before it multiplies with depth.
    let name: String = name.chars().take(LeafBounds::PATH).collect();
    if path.is_empty() {
        name
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{Gate, Redactor};

    const BOUNDS: LeafBounds = LeafBounds {
        value: 64,
        raw: 4096,
    };

    fn look(node: &Value) -> Node<'_, Value> {
        match node {
            Value::String(text) => Node::Text(text),
            Value::Object(fields) => Node::fields(fields),
            Value::Array(list) => Node::list(list),
            _ => Node::Other,
        }
    }

    fn leaves(arguments: &Value) -> Vec<(String, String)> {
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        take_apart(arguments, &look, &intake, BOUNDS)
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
            leaves(
                &json!({"to": "oslo", "legs": [{"day": 2}, {"day": null}], "tags": [], "paid": true})
            ),
            pairs(&[
                ("legs.0.day", "2"),
                ("legs.1.day", "null"),
                ("paid", "true"),
                ("tags", "[]"),
                ("to", "oslo"),
            ])
        );
        assert_eq!(leaves(&json!({})), pairs(&[]));
    }

    #[test]
    fn a_credential_is_masked_and_its_neighbour_is_not() {
        assert_eq!(
            leaves(&json!({"api_key": "correct horse", "city": "oslo"})),
            pairs(&[("api_key", MASKED), ("city", "oslo")])
        );
    }

    #[test]
    fn depth_number_and_length_are_bounded() {
        let mut deep = json!(1);
        for _ in 0..40 {
            deep = json!([deep]);
        }
        let found = leaves(&json!({ "a": deep }));
        assert_eq!(found.len(), 1);
        assert!(found[0].1.starts_with("[[["), "{found:?}");
        let list: Vec<u32> = (0..1000).collect();
        assert_eq!(
            leaves(&json!({ "list": list })).len(),
            Arguments::MAX_LEAVES
        );
        let long = "ab ".repeat(BOUNDS.raw);
        assert_eq!(leaves(&json!({ "a": long })), pairs(&[("a", LEFT_OUT)]));
        let name = "n".repeat(1000);
        let cut = leaves(&json!({ name: "ab ".repeat(100) }));
        assert!(cut[0].0.len() <= LeafBounds::PATH && cut[0].1.len() <= BOUNDS.value);
    }

    #[test]
    fn what_is_no_tree_is_kept_as_text() {
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        let Arguments::Unreadable(text) = unreadable("[1]", &intake, BOUNDS) else {
            panic!("it was read");
        };
        assert_eq!(text.as_str(), "[1]");
        let free = free_text("input", "x y", &intake, BOUNDS);
        assert_eq!(free.leaves()[0].value.as_str(), "x y");
    }
}
