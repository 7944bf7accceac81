//! The spans of a trace looked at together: what each is to the turn.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::foreign::{ForeignSpan, Kind};
use super::said::{self, Role, Said};

/// Spans around a span that are looked at.
const MAX_ANCESTORS: usize = 64;

/// What a span is to its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Reply,
    Call,
    Group,
    Other,
    Retold,
}

/// The spans of a trace, looked at together.
pub(super) struct Told<'s> {
    spans: &'s [ForeignSpan],
    order: Vec<usize>,
    parts: Vec<Part>,
    outputs: Vec<Vec<Said>>,
    inputs: BTreeMap<usize, Vec<Said>>,
    /// Calls that have a span: their ids and their names.
    pub(super) called: HashSet<&'s str>,
    /// Results by the ids of their calls, as later messages tell them.
    pub(super) results: HashMap<String, String>,
}

impl<'s> Told<'s> {
    pub(super) fn of(spans: &'s [ForeignSpan]) -> Self {
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

    pub(super) fn order(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().copied()
    }

    pub(super) fn part(&self, at: usize) -> Part {
        self.parts.get(at).copied().unwrap_or(Part::Group)
    }

    /// What a span of a model said.
    pub(super) fn output(&self, at: usize) -> &[Said] {
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
    pub(super) fn request(&self) -> Option<(usize, String)> {
        let of_roots = self.roots().filter_map(|at| {
            let input = self.spans.get(at)?.input.as_ref()?;
            Some((at, Cow::Owned(said::read(input))))
        });
        let of_replies = self
            .order()
            .filter_map(|at| Some((at, Cow::Borrowed(self.inputs.get(&at)?.as_slice()))));
        let candidates: Vec<(usize, Cow<'_, [Said]>)> = of_roots.chain(of_replies).collect();
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
    pub(super) fn answer(&self) -> Option<(usize, String)> {
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
pub(super) fn name_of_call(span: &ForeignSpan) -> &str {
    span.tool.as_deref().unwrap_or(&span.name)
}

/// The words of a model: of its messages, else of an output that is none, such as an object that
/// was asked for.
pub(super) fn words_of(span: &ForeignSpan, messages: &[Said]) -> String {
    let texts: Vec<&str> = messages
        .iter()
        .map(|said| said.text.as_str())
        .filter(|text| !text.trim().is_empty())
        .collect();
    match &span.output {
        Some(output) if messages.is_empty() => said::words(output),
        _ => texts.join("\n"),
    }
}

/// Whether a model said anything: words or calls.
fn says(span: &ForeignSpan, messages: &[Said]) -> bool {
    messages.iter().any(|said| !said.calls.is_empty())
        || !words_of(span, messages).trim().is_empty()
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
                let speaks = spans
                    .get(at)
                    .zip(outputs.get(at))
                    .is_some_and(|(span, messages)| says(span, messages));
                let told_twice = if speaks { *inner } else { at };
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
