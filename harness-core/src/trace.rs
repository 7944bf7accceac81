//! What an agent did in one turn, as spans whose every text has passed the gate.

use crate::error_class::ErrorClass;
use crate::id::TraceId;
use crate::text::CleanString;
use crate::time::Timestamp;

/// The four tools through which a task agent reads rules; a judge never sees their spans.
pub const TASK_TOOLS: [&str; 4] = [
    "harness_rules_list",
    "harness_rules_read",
    "harness_rules_search",
    "harness_rule_status",
];

/// Who said or returned a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Speaker {
    /// The host's own instructions.
    System,
    /// The person or program the agent works for.
    User,
    /// The agent's model.
    Agent,
    /// A tool.
    Tool,
}

impl Speaker {
    /// The name in evidence and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Agent => "agent",
            Self::Tool => "tool",
        }
    }

    /// Reads a name as [`Self::as_str`] writes it.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::System, Self::User, Self::Agent, Self::Tool]
            .into_iter()
            .find(|value| value.as_str() == text)
    }
}

/// What kind of work a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpanKind {
    /// An agent, or a part of one.
    Agent,
    /// One reply of a model.
    Llm,
    /// One call of a tool.
    Tool,
    /// A step that groups others.
    Chain,
}

impl SpanKind {
    /// The name in evidence and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "AGENT",
            Self::Llm => "LLM",
            Self::Tool => "TOOL",
            Self::Chain => "CHAIN",
        }
    }

    /// Reads a name as [`Self::as_str`] writes it.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Agent, Self::Llm, Self::Tool, Self::Chain]
            .into_iter()
            .find(|value| value.as_str() == text)
    }
}

/// How a span ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpanStatus {
    /// It did what it was for, as far as its source says.
    Ok,
    /// It failed.
    Failed(ErrorClass),
    /// Its source says nothing of an end: a call without a result, a cut-off export.
    Unknown,
}

impl SpanStatus {
    /// The class of the failure, if it failed.
    pub const fn failure(self) -> Option<ErrorClass> {
        match self {
            Self::Failed(class) => Some(class),
            Self::Ok | Self::Unknown => None,
        }
    }
}

/// One leaf of a call's arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Argument {
    /// Its path of names: `flights.0.date`; list positions are numbers.
    pub path: CleanString,
    /// Its value as text; strings without quotes.
    pub value: CleanString,
}

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arguments {
    /// Read as an object; its leaves in order of path.
    Leaves(Vec<Argument>),
    /// Not an object or not JSON, kept as text.
    Unreadable(CleanString),
}

impl Arguments {
    /// Leaves kept at most; the rest of a call's arguments is dropped.
    pub const MAX_LEAVES: usize = 128;

    /// No arguments.
    pub const fn none() -> Self {
        Self::Leaves(Vec::new())
    }

    /// `leaves` in order of path, at most [`Self::MAX_LEAVES`] of them.
    pub fn from_leaves(mut leaves: Vec<Argument>) -> Self {
        leaves.sort();
        leaves.truncate(Self::MAX_LEAVES);
        Self::Leaves(leaves)
    }

    /// The leaves; none if the arguments were unreadable.
    pub fn leaves(&self) -> &[Argument] {
        match self {
            Self::Leaves(leaves) => leaves,
            Self::Unreadable(_) => &[],
        }
    }
}

/// One step of the work.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// What kind of step.
    pub kind: SpanKind,
    /// The tool's, model's or agent's name.
    pub name: CleanString,
    /// Who speaks in `output`.
    pub speaker: Speaker,
    /// What went in: a tool's arguments.
    pub arguments: Arguments,
    /// What came out: a reply, a result, an error's text.
    pub output: CleanString,
    /// How it ended.
    pub status: SpanStatus,
    /// When it began, where the source says.
    pub started_at: Option<Timestamp>,
    /// When it ended, where the source says.
    pub ended_at: Option<Timestamp>,
    /// Tokens used, where the source says; "not reported" is not zero.
    pub tokens: Option<u64>,
}

impl Span {
    /// Whether this is a call of one of the four rule tools.
    pub fn is_task_tool(&self) -> bool {
        self.kind == SpanKind::Tool && TASK_TOOLS.contains(&self.name.as_str())
    }
}

/// The spans of one unit of agent work, in the order in which they happened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Trace {
    id: TraceId,
    request: CleanString,
    spans: Vec<Span>,
    dropped: usize,
}

impl Trace {
    /// Spans a trace holds at most; later ones are counted in [`Trace::dropped`].
    pub const MAX_SPANS: usize = 512;

    /// A trace of what the user asked (`request`, empty if nobody did) and what followed.
    pub fn new(id: TraceId, request: CleanString, mut spans: Vec<Span>) -> Self {
        let dropped = spans.len().saturating_sub(Self::MAX_SPANS);
        spans.truncate(Self::MAX_SPANS);
        Self {
            id,
            request,
            spans,
            dropped,
        }
    }

    /// Its id.
    pub const fn id(&self) -> &TraceId {
        &self.id
    }

    /// What the user asked.
    pub const fn request(&self) -> &CleanString {
        &self.request
    }

    /// The spans, in order.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The tool calls among the spans, in order.
    pub fn tool_calls(&self) -> impl DoubleEndedIterator<Item = &Span> {
        self.spans.iter().filter(|span| span.kind == SpanKind::Tool)
    }

    /// How many spans were dropped for the bound.
    pub const fn dropped(&self) -> usize {
        self.dropped
    }

    /// The trace as a judge may see it: without the spans of the four rule tools, whose answers
    /// would tell it the arm of a trial and the text of the rule on trial.
    #[must_use]
    pub fn for_judges(&self) -> Self {
        let mut blind = self.clone();
        blind.spans.retain(|span| !span.is_task_tool());
        blind
    }
}
