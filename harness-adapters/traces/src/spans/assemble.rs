//! Spans that were gathered, put together: by trace into turns, by session into conversations.

use std::collections::HashMap;

use harness_core::{CleanString, SessionId, Trace, TraceId};
use harness_sanitize::Intake;

use super::account::{DropReason, Dropped, SpanAccount};
use super::foreign::ForeignSpan;
use super::turn::{self, Draft};
use crate::trace_id::{self, trace_id};
use crate::{Conversation, Limits};

/// Spans of any number of documents, until they are put together: an export may tell the spans of
/// one trace in several files, and the traces of one session in many.
///
/// At most [`Limits::SPANS`] of [`Limits::HELD`] bytes are held; what comes later is counted as
/// dropped.
#[derive(Debug, Default)]
pub struct Spans {
    held: Vec<ForeignSpan>,
    weight: usize,
    known: HashMap<(String, String), usize>,
    account: SpanAccount,
}

impl Spans {
    /// Whether none was taken in.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.account.read() == 0
    }

    pub(crate) fn take(&mut self, span: ForeignSpan, intake: &Intake) {
        let name = (span.trace.clone(), span.id.clone());
        let weight = self.weight.saturating_add(span.weight());
        let is_full = self.held.len() >= Limits::SPANS || weight > Limits::HELD;
        let known = self.known.get(&name).and_then(|at| self.held.get_mut(*at));
        let reason = match known {
            // A record of a trace that lists its spans tells none of them twice.
            Some(_) if span.is_summary => return,
            Some(held) if held.is_summary && !is_full => {
                *held = span;
                self.weight = weight;
                return;
            }
            Some(_) => DropReason::Repeated,
            None if is_full => DropReason::TooMany,
            None => {
                self.known.insert(name, self.held.len());
                self.held.push(span);
                self.weight = weight;
                return;
            }
        };
        self.account.drop_one(|| dropped(&span, reason, intake));
    }

    /// The conversations, in the order of their first turns, and what became of each span.
    pub(crate) fn assemble(
        self,
        intake: &Intake,
        limits: Limits,
    ) -> (Vec<Conversation>, SpanAccount) {
        let Self {
            held, mut account, ..
        } = self;
        let mut sessions = Sessions::default();
        for spans in by_trace(held) {
            let Some(trace) = spans.first().map(|span| span.trace.clone()) else {
                continue;
            };
            let (draft, mut fates) = turn::draft(&spans, intake, limits);
            if let Some(draft) = draft
                && let Err(reason) = sessions.add(trace, draft)
            {
                fates = vec![Some(reason); spans.len()];
            }
            for (span, fate) in spans.iter().zip(fates) {
                match fate {
                    Some(reason) => account.drop_one(|| dropped(span, reason, intake)),
                    None => account.used += 1,
                }
            }
        }
        (sessions.into_conversations(), account)
    }
}

fn dropped(span: &ForeignSpan, reason: DropReason, intake: &Intake) -> Dropped {
    let clean = |text: &str| -> CleanString { intake.text(text, Limits::NAME).into_owned() };
    Dropped {
        trace: clean(&span.trace),
        span: clean(&span.id),
        name: clean(&span.name),
        reason,
    }
}

/// The spans of each trace, traces and spans in the order in which they came.
fn by_trace(spans: Vec<ForeignSpan>) -> Vec<Vec<ForeignSpan>> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut traces: Vec<Vec<ForeignSpan>> = Vec::new();
    for span in spans {
        let at = *places.entry(span.trace.clone()).or_insert(traces.len());
        match traces.get_mut(at) {
            Some(trace) => trace.push(span),
            None => traces.push(vec![span]),
        }
    }
    traces
}

#[derive(Default)]
struct Sessions {
    places: HashMap<SessionId, usize>,
    found: Vec<(SessionId, Vec<(String, Draft)>)>,
}

impl Sessions {
    fn add(&mut self, trace: String, draft: Draft) -> Result<(), DropReason> {
        let session = match &draft.session {
            Some(session) => SessionId::parse(session)?,
            // A trace of no session is a session of one turn.
            None => SessionId::parse(&format!("trace-{trace}"))
                .or_else(|_| SessionId::parse(&format!("trace-{:016x}", trace_id::fnv(&trace))))?,
        };
        let at = *self
            .places
            .entry(session.clone())
            .or_insert(self.found.len());
        match self.found.get_mut(at) {
            Some((_, turns)) => turns.push((trace, draft)),
            None => self.found.push((session, vec![(trace, draft)])),
        }
        Ok(())
    }

    fn into_conversations(self) -> Vec<Conversation> {
        self.found
            .into_iter()
            .map(|(session, mut turns)| {
                turns.sort_by_key(|(_, draft)| (draft.started.is_none(), draft.started));
                let model = turns.iter().find_map(|(_, draft)| draft.model.clone());
                let turns = turns
                    .into_iter()
                    .zip(0_u32..)
                    .filter_map(|((trace, draft), index)| {
                        // The platform that the spans came from knows the trace by its own id.
                        let id = TraceId::parse(&trace).or_else(|_| trace_id(&session, index));
                        Some(Trace::new(id.ok()?, draft.request, draft.spans))
                    })
                    .collect();
                Conversation {
                    session,
                    model,
                    turns,
                }
            })
            .collect()
    }
}
