//! The spans of one trace as one turn: which of them are steps, and what the user asked.
//!
//! - A reply is a span of a model with words; a call is a span of a tool. A call that a model made
//!   and of which there is no span is a step too, with its result where a later message has it.
//! - Instrumentations nest: a client in a framework, a framework in an agent. Of two spans that tell
//!   the same step one is kept; a "reply" with several replies or calls inside is a loop, not a
//!   reply.
//! - A span without a kind that bears the name of a call that a model made, or answers as a tool
//!   does, is that call.
//! - Where no reply was recorded, the answer of the trace as a whole is the reply.

use std::collections::{BTreeMap, HashMap, HashSet};

use harness_core::{
    Arguments, CleanString, CleanText, ErrorClass, Span, SpanKind, SpanStatus, Speaker, Timestamp,
    Trace,
};
use harness_sanitize::Intake;
use serde_json::Value;

use super::account::DropReason;
use super::foreign::{ForeignSpan, Kind};
use super::said::{self, Role, Said};
use crate::message::RawArguments;
use crate::{Limits, arguments, class, failure};

/// Spans around a span that are looked at.
const MAX_ANCESTORS: usize = 64;

/// A turn before it has a place in its session.
pub(crate) struct Draft {
    pub(crate) session: Option<String>,
    pub(crate) model: Option<CleanString>,
    pub(crate) started: Option<Timestamp>,
    pub(crate) request: CleanString,
    pub(crate) spans: Vec<Span>,
}

/// What became of each span, in the order in which they were handed in; `None` is "used".
pub(crate) type Fates = Vec<Option<DropReason>>;

/// Makes a turn of the spans of a trace, if they hold a step.
pub(crate) fn draft(
    spans: &[ForeignSpan],
    intake: &Intake,
    limits: Limits,
) -> (Option<Draft>, Fates) {
    let told = Told::of(spans);
    let mut fates: Fates = vec![Some(DropReason::Groups); spans.len()];
    let mut steps = Steps {
        intake,
        limits,
        model: None,
        spans: Vec::new(),
    };
    for at in told.order() {
        let Some(span) = spans.get(at) else { continue };
        let fate = match told.part(at) {
            Part::Reply => steps.reply(span, told.output(at), &told),
            Part::Call => steps.take(|steps| steps.call(span)),
            Part::Group => Some(DropReason::Groups),
            Part::Other => Some(DropReason::OtherWork),
            Part::Retold => Some(DropReason::Retold),
        };
        put(&mut fates, at, fate);
    }
    let has_reply = |span: &Span| span.kind == SpanKind::Llm && !span.output.is_empty();
    if steps.spans.len() < Trace::MAX_SPANS
        && !steps.spans.iter().any(has_reply)
        && let Some((at, answer)) = told.answer()
        && let Some(span) = spans.get(at)
        && steps.take(|steps| steps.answer(span, &answer)).is_none()
    {
        put(&mut fates, at, None);
    }
    if steps.spans.is_empty() {
        return (None, vec![Some(DropReason::NoStep); spans.len()]);
    }
    let request = told.request();
    if let Some((at, _)) = &request {
        put(&mut fates, *at, None);
    }
    let session = told
        .order()
        .find_map(|at| Some((at, spans.get(at)?.session.clone()?)));
    if let Some((at, _)) = &session {
        put(&mut fates, *at, None);
    }
    let draft = Draft {
        session: session.map(|(_, session)| session),
        model: steps.model,
        started: spans.iter().filter_map(|span| span.started).min(),
        request: request.map_or_else(CleanText::empty, |(_, text)| {
            intake.text(&text, limits.text).into_owned()
        }),
        spans: steps.spans,
    };
    (Some(draft), fates)
}

fn put(fates: &mut Fates, at: usize, fate: Option<DropReason>) {
    if let Some(place) = fates.get_mut(at) {
        *place = fate;
    }
}

/// What a span is to its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Reply,
    Call,
    Group,
    Other,
    Retold,
}

/// The spans of a trace, looked at together.
struct Told<'s> {
    spans: &'s [ForeignSpan],
    order: Vec<usize>,
    parts: Vec<Part>,
    outputs: Vec<Vec<Said>>,
    inputs: BTreeMap<usize, Vec<Said>>,
    /// Calls that have a span: their ids, and the names of those without.
    called: HashSet<&'s str>,
    /// Results by the ids of their calls, as later messages tell them.
    results: HashMap<String, String>,
}

impl<'s> Told<'s> {
    fn of(spans: &'s [ForeignSpan]) -> Self {
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_by_key(|at| {
            spans
                .get(*at)
                .and_then(|span| span.started)
                .map_or((true, None), |started| (false, Some(started)))
        });
        let outputs: Vec<Vec<Said>> = spans
            .iter()
            .map(|span| span.output.as_ref().map(said::read).unwrap_or_default())
            .collect();
        let parts = parts(spans, &outputs);
        let is = |at: usize, part| parts.get(at) == Some(&part);
        let calls = || (0..spans.len()).filter(|at| is(*at, Part::Call));
        let called = calls()
            .filter_map(|at| spans.get(at))
            .flat_map(|span| [span.call.as_deref(), Some(name_of_call(span))])
            .flatten()
            .collect();
        let inputs: BTreeMap<usize, Vec<Said>> = (0..spans.len())
            .filter(|at| is(*at, Part::Reply))
            .filter_map(|at| Some((at, said::read(spans.get(at)?.input.as_ref()?))))
            .collect();
        let results = inputs
            .values()
            .flatten()
            .flat_map(|said| said.results.iter().cloned())
            .collect();
        Self {
            spans,
            order,
            parts,
            outputs,
            inputs,
            called,
            results,
        }
    }

    fn order(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().copied()
    }

    fn part(&self, at: usize) -> Part {
        self.parts.get(at).copied().unwrap_or(Part::Group)
    }

    /// What a span of a model said.
    fn output(&self, at: usize) -> &[Said] {
        self.outputs.get(at).map_or(&[], Vec::as_slice)
    }

    /// The spans that stand for the trace: its record, then those around which there is none.
    fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        let ids: HashSet<&str> = self.spans.iter().map(|span| span.id.as_str()).collect();
        let is_frame = |at: usize| {
            self.spans
                .get(at)
                .is_some_and(|span| span.kind == Some(Kind::Frame))
        };
        let is_root = move |at: usize| {
            self.spans.get(at).is_some_and(|span| {
                let parent = span.parent.as_deref();
                parent.is_none_or(|parent| !ids.contains(parent))
            })
        };
        let frames = self.order().filter(move |at| is_frame(*at));
        let others = self
            .order()
            .filter(move |at| !is_frame(*at) && is_root(*at));
        frames.chain(others)
    }

    /// What the user asked, and the span that says so: the clearest, and of these the outermost.
    fn request(&self) -> Option<(usize, String)> {
        let of_roots = self
            .roots()
            .filter_map(|at| Some((at, said::read(self.spans.get(at)?.input.as_ref()?))));
        let of_replies = self
            .order()
            .filter_map(|at| Some((at, self.inputs.get(&at)?.clone())));
        let candidates: Vec<(usize, Vec<Said>)> = of_roots.chain(of_replies).collect();
        let spoken = |messages: &[Said], role| {
            messages
                .iter()
                .rev()
                .find(|said| said.role == role && !said.text.trim().is_empty())
                .map(|said| said.text.clone())
        };
        [Some(Role::User), None]
            .into_iter()
            .find_map(|role| {
                candidates
                    .iter()
                    .find_map(|(at, messages)| Some((*at, spoken(messages, role)?)))
            })
            .or_else(|| {
                self.roots().find_map(|at| {
                    let input = self.spans.get(at)?.input.as_ref()?;
                    Some((at, said::words(input)))
                })
            })
    }

    /// The answer of the trace as a whole.
    fn answer(&self) -> Option<(usize, String)> {
        self.roots().find_map(|at| {
            let output = self.spans.get(at)?.output.as_ref()?;
            let text = self
                .outputs
                .get(at)?
                .iter()
                .rev()
                .find(|said| matches!(said.role, Some(Role::Agent) | None))
                .map_or_else(|| said::words(output), |said| said.text.clone());
            (!text.trim().is_empty()).then_some((at, text))
        })
    }
}

/// The name of the tool that a span calls.
fn name_of_call(span: &ForeignSpan) -> &str {
    span.tool.as_deref().unwrap_or(&span.name)
}

/// Whether a model said anything: words or calls.
fn says(outputs: &[Vec<Said>], at: usize) -> bool {
    outputs.get(at).is_some_and(|messages| {
        messages
            .iter()
            .any(|said| !said.text.trim().is_empty() || !said.calls.is_empty())
    })
}

/// What each span is.
fn parts(spans: &[ForeignSpan], outputs: &[Vec<Said>]) -> Vec<Part> {
    let announced: HashSet<&str> = spans
        .iter()
        .zip(outputs)
        .filter(|(span, _)| span.kind == Some(Kind::Reply))
        .flat_map(|(_, messages)| messages)
        .flat_map(|said| said.calls.iter().map(|call| call.name.as_str()))
        .collect();
    let mut parts: Vec<Part> = spans
        .iter()
        .zip(outputs)
        .map(|(span, messages)| match span.kind {
            Some(Kind::Reply) => Part::Reply,
            Some(Kind::Call) => Part::Call,
            Some(Kind::Other) => Part::Other,
            Some(Kind::Frame) => Part::Group,
            Some(Kind::Group) | None => {
                let answers = |said: &Said| {
                    said.role == Some(Role::Tool) && said.tool.as_deref() == Some(&span.name)
                };
                let is_call =
                    announced.contains(span.name.as_str()) || messages.iter().any(answers);
                if is_call { Part::Call } else { Part::Group }
            }
        })
        .collect();
    nested(spans, outputs, &mut parts);
    parts
}

/// Finds loops that are told as replies, and steps that two nested spans tell.
fn nested(spans: &[ForeignSpan], outputs: &[Vec<Said>], parts: &mut [Part]) {
    let places: HashMap<&str, usize> = spans
        .iter()
        .enumerate()
        .map(|(at, span)| (span.id.as_str(), at))
        .collect();
    let around = |at: usize| {
        let parent = |at: usize| {
            let parent = spans.get(at)?.parent.as_deref()?;
            places.get(parent).copied()
        };
        std::iter::successors(parent(at), move |at| parent(*at)).take(MAX_ANCESTORS)
    };
    let mut replies_in = vec![Vec::new(); spans.len()];
    let mut has_call_in = vec![false; spans.len()];
    for at in 0..spans.len() {
        for outer in around(at) {
            match parts.get(at) {
                Some(Part::Reply) => {
                    if let Some(inside) = replies_in.get_mut(outer) {
                        inside.push(at);
                    }
                }
                Some(Part::Call) => {
                    if let Some(flag) = has_call_in.get_mut(outer) {
                        *flag = true;
                    }
                }
                _ => {}
            }
        }
    }
    let mut changed = Vec::new();
    for (at, inside) in replies_in.iter().enumerate() {
        let is_loop = inside.len() > 1 || has_call_in.get(at) == Some(&true);
        match (parts.get(at), inside.as_slice()) {
            (Some(Part::Reply), _) if is_loop => changed.push((at, Part::Group)),
            (Some(Part::Reply), [inner]) => {
                let told_twice = if says(outputs, at) { *inner } else { at };
                changed.push((told_twice, Part::Retold));
            }
            _ => {}
        }
    }
    for (at, span) in spans.iter().enumerate() {
        let same_tool = |outer: usize| {
            parts.get(outer) == Some(&Part::Call)
                && spans
                    .get(outer)
                    .is_some_and(|other| name_of_call(other) == name_of_call(span))
        };
        if parts.get(at) == Some(&Part::Call)
            && let Some(outer) = around(at).find(|outer| same_tool(*outer))
        {
            changed.push((outer, Part::Retold));
        }
    }
    for (at, part) in changed {
        if let Some(place) = parts.get_mut(at) {
            *place = part;
        }
    }
}

/// The steps while they come together.
struct Steps<'a> {
    intake: &'a Intake,
    limits: Limits,
    model: Option<CleanString>,
    spans: Vec<Span>,
}

impl Steps<'_> {
    /// Adds a step if there is room; if not, an empty one, so that the trace knows that its end is
    /// not the end.
    fn take(&mut self, step: impl FnOnce(&Self) -> Span) -> Option<DropReason> {
        let is_full = self.spans.len() >= Trace::MAX_SPANS;
        let step = if is_full {
            self.blank(SpanKind::Chain, Speaker::System, &ForeignSpan::default())
        } else {
            step(self)
        };
        self.spans.push(step);
        is_full.then_some(DropReason::TraceFull)
    }

    /// Adds what a model said: its words, and those of its calls that have no span.
    fn reply(
        &mut self,
        span: &ForeignSpan,
        messages: &[Said],
        told: &Told<'_>,
    ) -> Option<DropReason> {
        let texts: Vec<&str> = messages
            .iter()
            .map(|said| said.text.as_str())
            .filter(|text| !text.trim().is_empty())
            .collect();
        let text = texts.join("\n");
        if self.model.is_none() {
            self.model = span.model.as_deref().map(|model| self.name(model));
        }
        let mut fate = Some(DropReason::Silent);
        if !text.is_empty() || span.failure.is_some() {
            fate = self.take(|steps| Span {
                name: steps.name(span.model.as_deref().unwrap_or(&span.name)),
                output: steps.text(if text.is_empty() {
                    span.failure.as_deref().unwrap_or_default()
                } else {
                    &text
                }),
                status: match &span.failure {
                    Some(said) => failed(said),
                    None => SpanStatus::Ok,
                },
                ..steps.blank(SpanKind::Llm, Speaker::Agent, span)
            });
        }
        let calls: Vec<&said::SaidCall> = messages.iter().flat_map(|said| &said.calls).collect();
        if calls.is_empty() {
            return fate;
        }
        for call in &calls {
            let has_span = call
                .id
                .as_deref()
                .is_some_and(|id| told.called.contains(id))
                || told.called.contains(call.name.as_str());
            if has_span {
                continue;
            }
            let result = call.id.as_ref().and_then(|id| told.results.get(id));
            let added = self.take(|steps| Span {
                name: steps.name(&call.name),
                arguments: steps.arguments(call.arguments.as_ref()),
                output: steps.text(result.map_or("", String::as_str)),
                status: result.map_or(SpanStatus::Unknown, |text| ended(text)),
                tokens: None,
                ..steps.blank(SpanKind::Tool, Speaker::Tool, span)
            });
            fate = fate.and(added);
        }
        match fate {
            Some(DropReason::Silent) => Some(DropReason::OnlyCalls),
            fate => fate,
        }
    }

    fn call(&self, span: &ForeignSpan) -> Span {
        let output = span.output.as_ref().map(said::words);
        let announced = span.output.as_ref().and_then(announced);
        let status = match (&span.failure, announced) {
            (Some(said), announced) => SpanStatus::Failed(
                class::named_in(said)
                    .or(announced)
                    .unwrap_or(ErrorClass::Other),
            ),
            (None, Some(class)) => SpanStatus::Failed(class),
            (None, None) if span.output.is_some() => SpanStatus::Ok,
            (None, None) => SpanStatus::Unknown,
        };
        let text = output
            .as_deref()
            .filter(|text| !text.is_empty())
            .or(span.failure.as_deref());
        Span {
            name: self.name(name_of_call(span)),
            arguments: self.arguments(span.input.as_ref()),
            output: self.text(text.unwrap_or_default()),
            status,
            ..self.blank(SpanKind::Tool, Speaker::Tool, span)
        }
    }

    fn answer(&self, span: &ForeignSpan, answer: &str) -> Span {
        Span {
            name: self.name(&span.name),
            output: self.text(answer),
            status: SpanStatus::Ok,
            ..self.blank(SpanKind::Llm, Speaker::Agent, span)
        }
    }

    fn blank(&self, kind: SpanKind, speaker: Speaker, span: &ForeignSpan) -> Span {
        Span {
            kind,
            name: CleanText::empty(),
            speaker,
            arguments: Arguments::none(),
            output: CleanText::empty(),
            status: SpanStatus::Unknown,
            started_at: span.started,
            ended_at: span.ended,
            tokens: span.tokens,
        }
    }

    fn name(&self, name: &str) -> CleanString {
        self.intake.text(name, Limits::NAME).into_owned()
    }

    fn text(&self, text: &str) -> CleanString {
        self.intake.text(text, self.limits.text).into_owned()
    }

    /// A call that has a span was carried out, so its arguments were read by somebody: what is no
    /// object here is the instrumentation's wording, not the model's mistake.
    fn arguments(&self, input: Option<&Value>) -> Arguments {
        let parsed = match input {
            Some(Value::String(text)) => serde_json::from_str(text).ok(),
            _ => None,
        };
        let told = match parsed.as_ref().or(input) {
            // Some put the object into another, as its only field.
            Some(Value::Object(fields)) if fields.len() == 1 => fields
                .get("input")
                .filter(|inner| inner.is_object())
                .or(parsed.as_ref().or(input)),
            told => told,
        };
        let raw = match (told, input) {
            (Some(object @ Value::Object(_)), _) => RawArguments::Value(object),
            (_, Some(Value::String(text))) if !text.trim().is_empty() => RawArguments::Free(text),
            (_, None | Some(Value::String(_) | Value::Null)) => RawArguments::None,
            (_, Some(other)) => {
                let text = other.to_string();
                return arguments::read(&RawArguments::Free(&text), self.intake, self.limits);
            }
        };
        arguments::read(&raw, self.intake, self.limits)
    }
}

/// How a call ended, by its result.
fn ended(result: &str) -> SpanStatus {
    failure::classify(result).map_or(SpanStatus::Ok, SpanStatus::Failed)
}

/// The failure that an output announces: as it came, or in its words.
fn announced(output: &Value) -> Option<ErrorClass> {
    match output {
        Value::String(text) => failure::classify(text),
        other => failure::classify(&other.to_string()),
    }
    .or_else(|| failure::classify(&said::words(output)))
}

/// How a span failed, by its own words.
fn failed(said: &str) -> SpanStatus {
    SpanStatus::Failed(class::named_in(said).unwrap_or(ErrorClass::Other))
}
