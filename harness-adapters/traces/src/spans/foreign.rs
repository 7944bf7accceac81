//! A span as its export tells it, in one form for all exports. Nothing of it is clean.

use harness_core::Timestamp;
use serde_json::Value;

/// Characters of an id that is read; a longer one names nothing.
pub(crate) const MAX_ID: usize = 256;

/// What kind of work a span says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One reply of a model.
    Reply,
    /// One call of a tool; looking documents up is one too.
    Call,
    /// An agent, a chain, a workflow: it groups others.
    Group,
    /// Work that is no step of an agent.
    Other,
    /// The record of a trace as a whole, where an export has one.
    Frame,
}

/// A span.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ForeignSpan {
    pub(crate) trace: String,
    pub(crate) id: String,
    /// Whether it was told in the record of its trace, which may only sum it up.
    pub(crate) is_summary: bool,
    pub(crate) parent: Option<String>,
    pub(crate) name: String,
    pub(crate) started: Option<Timestamp>,
    pub(crate) ended: Option<Timestamp>,
    /// Its own word that it failed, with what it says of it.
    pub(crate) failure: Option<String>,
    pub(crate) kind: Option<Kind>,
    pub(crate) session: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) tokens: Option<u64>,
    /// The tool's name, where it is said beside the span's.
    pub(crate) tool: Option<String>,
    /// The id of the call, as the model gave it.
    pub(crate) call: Option<String>,
    pub(crate) input: Option<Value>,
    pub(crate) output: Option<Value>,
}

/// What a node of a value weighs beside its text.
const NODE: usize = 64;

impl ForeignSpan {
    /// About how many bytes its input and output take.
    pub(crate) fn weight(&self) -> usize {
        [&self.input, &self.output]
            .into_iter()
            .flatten()
            .map(weight)
            .sum()
    }
}

/// The parser bounds the nesting.
fn weight(value: &Value) -> usize {
    NODE + match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(weight).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, inner)| NODE + name.len() + weight(inner))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Microseconds from nanoseconds since 1970; zero is "not known".
pub(crate) fn time_of_nanos(nanos: u64) -> Option<Timestamp> {
    let micros = i64::try_from(nanos / 1000).ok()?;
    (micros > 0).then(|| Timestamp::from_micros(micros))
}

/// An id that can name something.
pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_ID
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_span_weighs_at_least_its_texts() {
        let span = |output: Value| ForeignSpan {
            output: Some(output),
            ..ForeignSpan::default()
        };
        assert_eq!(ForeignSpan::default().weight(), 0);
        let text = "a box ".repeat(100);
        let light = span(json!(text)).weight();
        let heavy = span(json!([{ "a": text }, { "b": text }])).weight();
        assert!(
            light >= text.len() && heavy >= 2 * text.len(),
            "{light} {heavy}"
        );
    }

    #[test]
    fn no_time_is_no_time() {
        assert_eq!(time_of_nanos(0), None);
        assert_eq!(time_of_nanos(5_000), Some(Timestamp::from_micros(5)));
        assert!(time_of_nanos(u64::MAX).is_some());
    }
}
