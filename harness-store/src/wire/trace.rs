//! A trace as an evaluation dump keeps it for the repair agent: bounded, the beginning and every
//! failed step before the rest.

use harness_core::{
    Argument, Arguments, CleanString, CleanText, ErrorClass, Span, SpanKind, SpanStatus, Speaker,
    Timestamp, Trace, TraceId,
};
use serde::{Deserialize, Serialize};

use super::as_text::{one, optional};

/// Bytes of text that a kept trace holds in all.
pub const MAX_KEPT: usize = 65_536;
/// Bytes of one kept text.
const MAX_TEXT: usize = 4096;

/// One leaf of a call's arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentDoc {
    /// Its path of names.
    #[serde(with = "one")]
    pub path: CleanString,
    /// Its value.
    #[serde(with = "one")]
    pub value: CleanString,
}

/// One span.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanDoc {
    /// `AGENT`, `LLM`, `TOOL` or `CHAIN`.
    pub kind: String,
    /// The tool's, model's or agent's name.
    #[serde(with = "one")]
    pub name: CleanString,
    /// Who speaks in `output`.
    pub speaker: String,
    /// The leaves of the arguments.
    #[serde(default)]
    pub arguments: Vec<ArgumentDoc>,
    /// The arguments as text, where they could not be read.
    #[serde(with = "optional", default)]
    pub unreadable_arguments: Option<CleanString>,
    /// What came out.
    #[serde(with = "one")]
    pub output: CleanString,
    /// `ok`, `unknown`, or the class of the failure.
    pub status: String,
    /// When it began.
    #[serde(with = "optional", default)]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(with = "optional", default)]
    pub ended_at: Option<Timestamp>,
    /// Tokens used, where known.
    #[serde(default)]
    pub tokens: Option<u64>,
}

/// A trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceDoc {
    /// Its id.
    #[serde(with = "one")]
    pub id: TraceId,
    /// What the user asked.
    #[serde(with = "one")]
    pub request: CleanString,
    /// The spans that are kept, in order.
    pub spans: Vec<SpanDoc>,
    /// How many were not kept.
    #[serde(default)]
    pub dropped: usize,
}

impl TraceDoc {
    /// What is kept of a trace: long texts cut, and where all of it is too much, failed steps
    /// before the others, each in the order in which they happened.
    pub fn keep(trace: &Trace) -> Self {
        let mut left = MAX_KEPT;
        let request = cut(trace.request());
        left = left.saturating_sub(request.len());
        let mut kept: Vec<Option<SpanDoc>> = vec![None; trace.spans().len()];
        let failed_first = [true, false];
        for wants_failed in failed_first {
            for (slot, span) in kept.iter_mut().zip(trace.spans()) {
                if span.status.failure().is_some() == wants_failed {
                    let doc = SpanDoc::keep(span);
                    if let Some(rest) = left.checked_sub(doc.size()) {
                        left = rest;
                        *slot = Some(doc);
                    }
                }
            }
        }
        let spans: Vec<SpanDoc> = kept.into_iter().flatten().collect();
        Self {
            id: trace.id().clone(),
            request,
            dropped: trace.dropped() + trace.spans().len() - spans.len(),
            spans,
        }
    }

    /// The trace as it was kept.
    ///
    /// # Errors
    /// A kind, speaker or status of no such name.
    pub fn try_into_domain(self) -> Result<Trace, String> {
        let spans: Result<Vec<Span>, String> = self
            .spans
            .into_iter()
            .map(SpanDoc::try_into_domain)
            .collect();
        Ok(Trace::new(self.id, self.request, spans?))
    }
}

impl SpanDoc {
    fn keep(span: &Span) -> Self {
        let (arguments, unreadable_arguments) = match &span.arguments {
            Arguments::Leaves(leaves) => (
                leaves
                    .iter()
                    .map(|leaf| ArgumentDoc {
                        path: cut(&leaf.path),
                        value: cut(&leaf.value),
                    })
                    .collect(),
                None,
            ),
            Arguments::Unreadable(text) => (Vec::new(), Some(cut(text))),
        };
        Self {
            kind: span.kind.as_str().to_owned(),
            name: cut(&span.name),
            speaker: span.speaker.as_str().to_owned(),
            arguments,
            unreadable_arguments,
            output: cut(&span.output),
            status: match span.status {
                SpanStatus::Ok => "ok",
                SpanStatus::Unknown => "unknown",
                SpanStatus::Failed(class) => class.as_str(),
            }
            .to_owned(),
            started_at: span.started_at,
            ended_at: span.ended_at,
            tokens: span.tokens,
        }
    }

    fn size(&self) -> usize {
        let arguments: usize = self
            .arguments
            .iter()
            .map(|leaf| leaf.path.len() + leaf.value.len())
            .sum();
        let unreadable = self.unreadable_arguments.as_ref().map_or(0, CleanText::len);
        self.name.len() + arguments + unreadable + self.output.len()
    }

    fn try_into_domain(self) -> Result<Span, String> {
        let unknown =
            |what: &str, text: &str| format!("{} is no {what}", harness_core::Quoted(text));
        let status = match self.status.as_str() {
            "ok" => SpanStatus::Ok,
            "unknown" => SpanStatus::Unknown,
            other => SpanStatus::Failed(
                ErrorClass::parse(other).ok_or_else(|| unknown("status", other))?,
            ),
        };
        Ok(Span {
            kind: SpanKind::parse(&self.kind).ok_or_else(|| unknown("kind", &self.kind))?,
            name: self.name,
            speaker: Speaker::parse(&self.speaker)
                .ok_or_else(|| unknown("speaker", &self.speaker))?,
            arguments: match self.unreadable_arguments {
                Some(text) => Arguments::Unreadable(text),
                None => Arguments::from_leaves(
                    self.arguments
                        .into_iter()
                        .map(|leaf| Argument {
                            path: leaf.path,
                            value: leaf.value,
                        })
                        .collect(),
                ),
            },
            output: self.output,
            status,
            started_at: self.started_at,
            ended_at: self.ended_at,
            tokens: self.tokens,
        })
    }
}

/// The longest clean prefix within the bound of one text.
fn cut(text: &CleanString) -> CleanString {
    if text.len() <= MAX_TEXT {
        return text.clone();
    }
    text.as_str()
        .char_indices()
        .map(|(at, character)| at + character.len_utf8())
        .take_while(|end| *end <= MAX_TEXT)
        .last()
        .and_then(|end| text.as_str().get(..end))
        .and_then(|prefix| CleanText::new(prefix.to_owned()).ok())
        .unwrap_or_else(CleanText::empty)
}
