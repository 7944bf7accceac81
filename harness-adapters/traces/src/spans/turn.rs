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

use harness_core::{CleanString, CleanText, Span, SpanKind, Timestamp, Trace};
use harness_sanitize::Intake;

use super::account::DropReason;
use super::foreign::ForeignSpan;
use super::steps::Steps;
use super::told::{Part, Told};
use crate::Limits;

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
    let mut steps = Steps::new(intake, limits);
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
