//! What a trace says, read back from the answer of `harness_trace_inspect`.

use harness_core::ErrorClass;
use serde_json::Value;

use super::names::Name;

/// A trace as far as it was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// Its calls of plainly named tools, in the order in which they happened.
    pub(super) calls: Vec<CallFact>,
    /// What the agent said last, if the trace ended with that.
    pub(super) last_words: Option<String>,
    /// Whether any tool was called, whatever its name.
    pub(super) any_call: bool,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallFact {
    pub(super) step: u64,
    pub(super) tool: Name,
    pub(super) went: Went,
    /// The names and values of its arguments; a name may stand several times.
    pub(super) arguments: Vec<(Name, String)>,
    pub(super) output: String,
    /// Whether an earlier call was the same.
    pub(super) repeats: bool,
}

/// How a call went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Went {
    Well,
    Wrong(ErrorClass),
    Unsaid,
}

impl Facts {
    /// Reads an answer of the tool; what is not as expected is left out.
    pub(super) fn read(answer: &Value) -> Self {
        let mut steps: Vec<(u64, &Value)> = answer
            .get("steps")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|step| Some((number(text(step, "step"))?, step)))
            .collect();
        steps.sort_by_key(|(number, _)| *number);
        let is_call = |step: &Value| text(step, "kind") == "TOOL";
        Self {
            calls: steps
                .iter()
                .filter(|(_, step)| is_call(step))
                .filter_map(|(number, step)| CallFact::read(*number, step))
                .collect(),
            last_words: steps
                .last()
                .filter(|(_, step)| !is_call(step) && text(step, "speaker") == "agent")
                .map(|(_, step)| text(step, "output").to_owned()),
            any_call: steps.iter().any(|(_, step)| is_call(step)),
        }
    }
}

impl CallFact {
    fn read(step: u64, shown: &Value) -> Option<Self> {
        let went = match text(shown, "status") {
            "ok" => Went::Well,
            "failed" => Went::Wrong(ErrorClass::parse(text(shown, "error_class"))?),
            _ => Went::Unsaid,
        };
        let arguments = shown.get("arguments").and_then(Value::as_object);
        Some(Self {
            step,
            tool: Name::parse(text(shown, "name"))?,
            went,
            arguments: arguments
                .into_iter()
                .flatten()
                .filter_map(|(path, value)| {
                    Some((
                        Name::of_path(path)?,
                        value.as_str().unwrap_or_default().to_owned(),
                    ))
                })
                .collect(),
            output: text(shown, "output").to_owned(),
            repeats: shown.get("repeats_step").is_some(),
        })
    }

    /// The values that it gave for an argument.
    pub(super) fn values<'a>(&'a self, argument: &'a Name) -> impl Iterator<Item = &'a str> {
        self.arguments
            .iter()
            .filter(move |(name, _)| name == argument)
            .map(|(_, value)| value.as_str())
    }

    /// The names of its arguments, each once.
    pub(super) fn names(&self) -> Vec<&Name> {
        let mut names: Vec<&Name> = self.arguments.iter().map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// A text field; empty where there is none.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The 3 of "3 of 12 steps".
fn number(share: &str) -> Option<u64> {
    share.split(' ').next()?.parse().ok()
}
