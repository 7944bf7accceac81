//! A trace as the metrics look at it.

use std::collections::HashSet;

use harness_core::{ErrorClass, Span, SpanKind, SpanStatus, Trace};

/// The steps a judge may see, in order.
pub(super) struct Steps<'a> {
    /// What the user asked.
    pub(super) request: &'a str,
    /// Replies and calls.
    pub(super) all: Vec<&'a Span>,
    /// Tool calls.
    pub(super) calls: Vec<&'a Span>,
    /// The agent's own words.
    pub(super) replies: Vec<&'a Span>,
    /// Whether later steps were dropped for a bound, so that the end is not the end.
    pub(super) cut: bool,
}

impl<'a> Steps<'a> {
    pub(super) fn of(trace: &'a Trace) -> Self {
        let seen = || trace.spans().iter().filter(|span| !span.is_task_tool());
        let of_kind = |kind| seen().filter(|span| span.kind == kind).collect::<Vec<_>>();
        Self {
            request: trace.request().as_str(),
            all: seen()
                .filter(|span| matches!(span.kind, SpanKind::Llm | SpanKind::Tool))
                .collect(),
            calls: of_kind(SpanKind::Tool),
            replies: of_kind(SpanKind::Llm),
            cut: trace.dropped() > 0,
        }
    }

    /// The calls whose end is known.
    pub(super) fn ended(&self) -> impl Iterator<Item = &'a Span> + '_ {
        self.calls
            .iter()
            .copied()
            .filter(|call| call.status != SpanStatus::Unknown)
    }
}

/// A failed call and its class.
pub(super) fn failed(call: &Span) -> Option<ErrorClass> {
    call.status.failure()
}

/// Whether two calls are of one tool with the same arguments.
pub(super) fn same_call(a: &Span, b: &Span) -> bool {
    a.name == b.name && a.arguments == b.arguments
}

/// Words of a text that are compared at most.
const MAX_WORDS: usize = 1024;
/// Words from which on a text says enough that saying it twice is a repeat, and not a "thank you".
const MIN_WORDS: usize = 8;

/// The set of words of a text, for comparison with another.
pub(super) struct Words(HashSet<String>);

impl Words {
    /// The words of `text`; none if it has too few to compare.
    pub(super) fn of(text: &str) -> Option<Self> {
        let words: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS)
            .map(str::to_lowercase)
            .collect();
        (words.len() >= MIN_WORDS).then(|| Self(words.into_iter().collect()))
    }

    /// Jaccard similarity: shared words of all words, in [0, 1].
    pub(super) fn similarity(&self, other: &Self) -> f64 {
        let shared = self.0.intersection(&other.0).count();
        let all = self.0.len() + other.0.len() - shared;
        harness_core::Score::ratio(shared, all).get()
    }
}

#[cfg(test)]
pub(super) mod made_up {
    //! Made-up traces for the metrics' tests.

    use harness_core::{
        Argument, Arguments, CleanText, ErrorClass, Span, SpanKind, SpanStatus, Speaker, Trace,
        TraceId,
    };

    use super::super::finding::Finding;
    use super::Steps;

    fn span(kind: SpanKind, name: &str, output: &str) -> Span {
        Span {
            kind,
            name: CleanText::new(name.to_owned()).unwrap(),
            speaker: if kind == SpanKind::Tool {
                Speaker::Tool
            } else {
                Speaker::Agent
            },
            arguments: Arguments::none(),
            output: CleanText::new(output.to_owned()).unwrap(),
            status: SpanStatus::Ok,
            started_at: None,
            ended_at: None,
            tokens: None,
        }
    }

    pub(crate) fn reply(text: &str) -> Span {
        span(SpanKind::Llm, "model", text)
    }

    /// A call with arguments written `name=value name=value`.
    pub(crate) fn call(name: &str, arguments: &str, output: &str) -> Span {
        let leaves = arguments
            .split_whitespace()
            .filter_map(|pair| pair.split_once('='))
            .map(|(path, value)| Argument {
                path: CleanText::new(path.to_owned()).unwrap(),
                value: CleanText::new(value.to_owned()).unwrap(),
            })
            .collect();
        Span {
            arguments: Arguments::from_leaves(leaves),
            ..span(SpanKind::Tool, name, output)
        }
    }

    pub(crate) fn fails(name: &str, arguments: &str, class: ErrorClass) -> Span {
        Span {
            status: SpanStatus::Failed(class),
            ..call(name, arguments, "Error: it did not work")
        }
    }

    pub(crate) fn trace(request: &str, spans: Vec<Span>) -> Trace {
        let request = CleanText::new(request.to_owned()).unwrap();
        Trace::new(TraceId::parse("t#0").unwrap(), request, spans)
    }

    /// The score and reason a metric gives these spans, after a plain request.
    pub(crate) fn judged(
        metric: fn(&Steps<'_>) -> Finding,
        spans: Vec<Span>,
    ) -> (Option<f64>, String) {
        let trace = trace("please put the red box on the top shelf", spans);
        let finding = metric(&Steps::of(&trace));
        (finding.score.map(harness_core::Score::get), finding.reason)
    }
}
