//! Spans of a foreign instrumentation as steps of ours.

use harness_core::{
    Arguments, CleanString, CleanText, ErrorClass, Span, SpanKind, SpanStatus, Speaker, Trace,
};
use harness_sanitize::Intake;
use serde_json::Value;

use super::account::DropReason;
use super::foreign::ForeignSpan;
use super::said::{self, Said};
use super::told::{Told, name_of_call, words_of};
use crate::message::RawArguments;
use crate::{Limits, arguments, class, failure};

/// Steps that are counted; those past what a trace holds are empty.
const MAX_COUNTED: usize = 8 * Trace::MAX_SPANS;

/// The steps while they come together.
pub(super) struct Steps<'a> {
    intake: &'a Intake,
    limits: Limits,
    pub(super) model: Option<CleanString>,
    pub(super) spans: Vec<Span>,
}

impl<'a> Steps<'a> {
    pub(super) const fn new(intake: &'a Intake, limits: Limits) -> Self {
        Self {
            intake,
            limits,
            model: None,
            spans: Vec::new(),
        }
    }

    /// Adds a step if there is room; if not, an empty one, so that the trace knows that its end is
    /// not the end.
    pub(super) fn take(&mut self, step: impl FnOnce(&Self) -> Span) -> Option<DropReason> {
        let is_full = self.spans.len() >= Trace::MAX_SPANS;
        let step = if is_full {
            self.blank(SpanKind::Chain, Speaker::System, &ForeignSpan::default())
        } else {
            step(self)
        };
        if self.spans.len() < MAX_COUNTED {
            self.spans.push(step);
        }
        is_full.then_some(DropReason::TraceFull)
    }

    /// Adds what a model said: its words, and those of its calls that have no span.
    pub(super) fn reply(
        &mut self,
        span: &ForeignSpan,
        messages: &[Said],
        told: &Told<'_>,
    ) -> Option<DropReason> {
        let text = words_of(span, messages);
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

    pub(super) fn call(&self, span: &ForeignSpan) -> Span {
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

    pub(super) fn answer(&self, span: &ForeignSpan, answer: &str) -> Span {
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
