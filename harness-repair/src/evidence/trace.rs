//! A trace as evidence: its failures counted, its steps with what failed first.

use std::collections::HashMap;

use harness_core::{Arguments, Span, SpanKind, SpanStatus, Trace};
use serde_json::{Map, Value, json};

use super::{Leaves, share, within};

/// Bytes shown of the request.
const MAX_REQUEST: usize = 800;
/// Bytes shown of what a failed call or the agent said.
const MAX_TELLING: usize = 800;
/// Bytes shown of any other output.
const MAX_OUTPUT: usize = 400;
/// Bytes shown of an argument's value.
const MAX_ARGUMENT: usize = 200;
/// Arguments shown of a call.
const MAX_ARGUMENTS: usize = 24;
/// Bytes shown of a name.
const MAX_NAME: usize = 96;
/// Bytes shown of a trace's id: all that it can have, so that it can be asked for.
const MAX_ID: usize = 1024;
/// Lines in the table of failures.
const MAX_FAILURES: usize = 16;
/// Bytes for saying how many steps are shown.
const SHOWN: usize = 64;

/// The trace within `room` bytes of JSON. The steps that matter most come first, those that no
/// longer fit are left out, and each says which step it was. Calls of the rule tools are not
/// shown: they are how the agent was advised, not what it did.
pub(crate) fn trace_view(trace: &Trace, leaves: &Leaves<'_>, room: usize) -> Value {
    let trace = trace.for_judges();
    let steps = Steps::new(&trace);
    let total = steps.0.len() + trace.dropped();
    let mut view = json!({
        "ok": true,
        "trace_id": leaves.value(trace.id().as_str(), MAX_ID),
        "request": {
            "speaker": "user",
            "text": leaves.value(trace.request().as_str(), MAX_REQUEST),
        },
        "failed": steps.failed(),
        "failures": steps.failures(leaves),
        "shown": "",
        "steps": [],
    });
    let room = room.saturating_sub(view.to_string().len() + SHOWN);
    let by_importance = steps.by_importance().map(|step| step.view(total, leaves));
    let shown = within(by_importance, room);
    if let Some(view) = view.as_object_mut() {
        let share = share(shown.len(), total, "steps, what failed first");
        view.insert("shown".into(), share);
        view.insert("steps".into(), shown.into());
    }
    view
}

struct Steps<'t>(Vec<Step<'t>>);

struct Step<'t> {
    number: usize,
    span: &'t Span,
    /// The first step that made the same call.
    repeats: Option<usize>,
    last: bool,
}

impl<'t> Steps<'t> {
    fn new(trace: &'t Trace) -> Self {
        let mut first: HashMap<(&str, &Arguments), usize> = HashMap::new();
        let count = trace.spans().len();
        let steps = trace.spans().iter().zip(1..).map(|(span, number)| {
            let repeats = (span.kind == SpanKind::Tool)
                .then(|| {
                    *first
                        .entry((span.name.as_str(), &span.arguments))
                        .or_insert(number)
                })
                .filter(|earlier| *earlier != number);
            Step {
                number,
                span,
                repeats,
                last: number == count,
            }
        });
        Self(steps.collect())
    }

    fn calls(&self) -> impl Iterator<Item = &Step<'t>> {
        self.0
            .iter()
            .filter(|step| step.span.kind == SpanKind::Tool)
    }

    fn failed(&self) -> Value {
        let failed = self
            .calls()
            .filter(|step| step.span.status.failure().is_some())
            .count();
        share(failed, self.calls().count(), "calls")
    }

    /// One line for each tool and error class, most frequent first.
    fn failures(&self, leaves: &Leaves<'_>) -> Vec<Value> {
        let mut calls: HashMap<&str, usize> = HashMap::new();
        let mut failures: HashMap<(&str, &str), (usize, usize, usize)> = HashMap::new();
        for step in self.calls() {
            let tool = step.span.name.as_str();
            *calls.entry(tool).or_default() += 1;
            if let Some(class) = step.span.status.failure() {
                let line = failures
                    .entry((tool, class.as_str()))
                    .or_insert((0, 0, step.number));
                line.0 += 1;
                line.1 += usize::from(step.repeats.is_some());
            }
        }
        let mut lines: Vec<_> = failures.into_iter().collect();
        lines.sort_by_key(|(_, (count, _, first))| (std::cmp::Reverse(*count), *first));
        lines
            .into_iter()
            .take(MAX_FAILURES)
            .map(|((tool, class), (count, repeated, _))| {
                json!({
                    "tool": leaves.value(tool, MAX_NAME),
                    "error_class": class,
                    "failed": share(count, calls.get(tool).copied().unwrap_or(count), "calls of the tool"),
                    "repeated": share(repeated, count, "with the arguments of an earlier call"),
                })
            })
            .collect()
    }

    fn by_importance(&self) -> impl Iterator<Item = &Step<'t>> {
        let mut ordered: Vec<&Step<'t>> = self.0.iter().collect();
        ordered.sort_by_key(|step| step.rank());
        ordered.into_iter()
    }
}

impl Step<'_> {
    /// Failures, the end, repeats, open ends, the rest; in each, as it happened.
    fn rank(&self) -> (u8, usize) {
        let group = match self.span.status {
            SpanStatus::Failed(_) => 0,
            _ if self.last => 1,
            _ if self.repeats.is_some() => 2,
            SpanStatus::Unknown if self.span.kind == SpanKind::Tool => 3,
            SpanStatus::Ok | SpanStatus::Unknown => 4,
        };
        (group, self.number)
    }

    fn view(&self, total: usize, leaves: &Leaves<'_>) -> Value {
        let Span {
            kind,
            name,
            speaker,
            arguments,
            output,
            status,
            ..
        } = self.span;
        let (status, class) = match status {
            SpanStatus::Ok => ("ok", None),
            SpanStatus::Failed(class) => ("failed", Some(class.as_str())),
            SpanStatus::Unknown => ("unknown", None),
        };
        let telling = class.is_some() || *kind == SpanKind::Llm;
        let max = if telling { MAX_TELLING } else { MAX_OUTPUT };
        let mut view = json!({
            "step": share(self.number, total, "steps"),
            "kind": kind.as_str(),
            "name": leaves.value(name.as_str(), MAX_NAME),
            "speaker": speaker.as_str(),
            "status": status,
            "output": leaves.output(output.as_str(), max),
        });
        if let Some(view) = view.as_object_mut() {
            if let Some(class) = class {
                view.insert("error_class".into(), class.into());
            }
            if let Some(earlier) = self.repeats {
                view.insert("repeats_step".into(), earlier.into());
            }
            if *kind == SpanKind::Tool {
                view.insert("arguments".into(), self::arguments(arguments, leaves));
            }
        }
        view
    }
}

fn arguments(arguments: &Arguments, leaves: &Leaves<'_>) -> Value {
    match arguments {
        Arguments::Unreadable(text) => leaves.output(text.as_str(), MAX_OUTPUT),
        Arguments::Leaves(all) => Value::Object(
            all.iter()
                .take(MAX_ARGUMENTS)
                .map(|leaf| {
                    let path = leaf.path.as_str();
                    (
                        leaves.key(path),
                        leaves.keyed(path, leaf.value.as_str(), MAX_ARGUMENT),
                    )
                })
                .collect::<Map<_, _>>(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OK, call, failed, intake, trace};
    use harness_core::ErrorClass::NotFound;

    fn view(spans: Vec<Span>, room: usize) -> Value {
        trace_view(&trace(spans), &Leaves::new(&intake()), room)
    }

    #[test]
    fn failures_are_counted_and_shown_first() {
        let view = view(
            vec![
                call("list", &[("folder", "a")], OK, "said"),
                call("read", &[("path", "x")], failed(NotFound), "said"),
                call("read", &[("path", "x")], failed(NotFound), "said"),
                call("read", &[("path", "y")], OK, "said"),
            ],
            64 * 1024,
        );
        assert_eq!(view["failed"], "2 of 4 calls");
        assert_eq!(
            view["failures"],
            json!([{
                "tool": "read",
                "error_class": "not_found",
                "failed": "2 of 3 calls of the tool",
                "repeated": "1 of 2 with the arguments of an earlier call",
            }])
        );
        let order: Vec<&str> = view["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s["step"].as_str().unwrap())
            .collect();
        assert_eq!(
            order,
            [
                "2 of 4 steps",
                "3 of 4 steps",
                "4 of 4 steps",
                "1 of 4 steps"
            ]
        );
        assert_eq!(view["steps"][1]["repeats_step"], 2);
        assert_eq!(view["steps"][0]["speaker"], "tool");
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_said() {
        let mut spans = vec![call("list", &[("folder", "a")], OK, "said"); 400];
        spans.push(call("read", &[("path", "x")], failed(NotFound), "said"));
        let view = view(spans, 10 * 1024);
        assert!(view.to_string().len() <= 10 * 1024);
        assert_eq!(view["steps"][0]["name"], "read");
        assert!(view["shown"].as_str().unwrap().contains(" of 401 steps"));
    }

    #[test]
    fn a_credentials_argument_is_masked_and_another_shown() {
        let view = view(
            vec![
                call("login", &[("password", "tulip")], failed(NotFound), "said"),
                call("login", &[("user", "tulip")], failed(NotFound), "said"),
            ],
            64 * 1024,
        );
        assert_eq!(view["steps"][0]["arguments"]["password"], "[masked]");
        assert_eq!(view["steps"][1]["arguments"]["user"], "tulip");
    }

    #[test]
    fn the_rule_tools_are_not_part_of_what_the_agent_did() {
        let view = view(
            vec![
                call("harness_rules_search", &[("query", "x")], OK, "said"),
                call("read", &[("path", "x")], OK, "said"),
            ],
            64 * 1024,
        );
        assert_eq!(view["failed"], "0 of 1 calls");
        assert!(!view.to_string().contains("harness_rules_search"));
    }
}
