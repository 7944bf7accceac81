//! What a host reports of a turn, step by step, as raw as it has it.

use std::sync::Arc;

use harness_core::{
    Applicability, Arguments, CleanString, CleanText, ErrorClass, Origin, Scope, ScopeHint,
    SessionId, Span, SpanKind, SpanStatus, Speaker, Trace, TraceId, TurnPayload,
};
use harness_sanitize::Intake;
use serde_json::Value;

use super::{arguments, raw};

/// Bytes of a request, a reply or a tool's result that are kept.
const MAX_TEXT: usize = 8192;
/// Bytes of a tool's name that are kept.
const MAX_NAME: usize = 128;
/// Steps that are counted. Those past [`Trace::MAX_SPANS`] are only counted, not kept.
const MAX_STEPS: usize = 8 * Trace::MAX_SPANS;
/// The name of whoever replies.
const AGENT: &str = "assistant";

/// What a tool of the host's came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOutcome<'a> {
    /// It did what it is for, and answered this.
    Answered(&'a str),
    /// It failed in this way, and said this.
    Failed(ErrorClass, &'a str),
    /// It was called and gave no answer.
    Unanswered,
}

/// A turn of the task agent while it goes on, and then what is reported of it.
///
/// Texts are redacted, cleaned and cut as they come in, at a cost that is linear in each; one of
/// more than 256 KiB is left out. It is reported once, as
/// [`record_turn`](crate::host::HarnessSession::record_turn) takes it:
///
/// ```
/// # fn f(session: &harness_engine::host::HarnessSession, turn: harness_engine::host::TurnReport) {
/// let _ = session.record_turn(turn);
/// # }
/// ```
///
/// ```compile_fail,E0382
/// # fn f(session: &harness_engine::host::HarnessSession, turn: harness_engine::host::TurnReport) {
/// let _ = session.record_turn(turn);
/// let _ = session.record_turn(turn);
/// # }
/// ```
#[must_use = "a turn counts once it is recorded"]
pub struct TurnReport {
    intake: Arc<Intake>,
    request: CleanString,
    steps: Vec<Span>,
    task_summary: Option<CleanString>,
    scope_hints: Vec<ScopeHint>,
    replay_input: Option<CleanString>,
}

impl TurnReport {
    pub(super) fn new(intake: Arc<Intake>, user: &str) -> Self {
        Self {
            request: raw::take(user, MAX_TEXT, &intake),
            intake,
            steps: Vec::new(),
            task_summary: None,
            scope_hints: Vec::new(),
            replay_input: None,
        }
    }

    /// The agent said something; 8 KiB of it are kept.
    pub fn reply(&mut self, text: &str) -> &mut Self {
        self.step(|intake| Span {
            output: raw::take(text, MAX_TEXT, intake),
            ..blank(SpanKind::Llm, Speaker::Agent, named(AGENT))
        })
    }

    /// The agent's model gave no reply, and failed in this way.
    pub fn no_reply(&mut self, class: ErrorClass) -> &mut Self {
        self.step(|_| Span {
            status: SpanStatus::Failed(class),
            ..blank(SpanKind::Llm, Speaker::Agent, named(AGENT))
        })
    }

    /// Tokens that the last step used, where the provider says.
    pub fn tokens(&mut self, tokens: u64) -> &mut Self {
        if let Some(step) = self.steps.last_mut() {
            step.tokens = Some(tokens);
        }
        self
    }

    /// The agent called a tool of the host's. `arguments` are an object, or the text of one as some
    /// models send it; 128 leaves of 2 KiB are kept, and 8 KiB of the outcome.
    pub fn call(&mut self, tool: &str, arguments: &Value, outcome: ToolOutcome<'_>) -> &mut Self {
        self.step(|intake| {
            let (status, said) = match outcome {
                ToolOutcome::Answered(said) => (SpanStatus::Ok, said),
                ToolOutcome::Failed(class, said) => (SpanStatus::Failed(class), said),
                ToolOutcome::Unanswered => (SpanStatus::Unknown, ""),
            };
            Span {
                arguments: arguments::read(arguments, intake),
                output: raw::take(said, MAX_TEXT, intake),
                status,
                ..blank(
                    SpanKind::Tool,
                    Speaker::Tool,
                    raw::take(tool, MAX_NAME, intake),
                )
            }
        })
    }

    /// What the task is, in the host's words: 600 bytes. It informs the repair agent, and no more.
    pub fn task_summary(&mut self, text: &str) -> &mut Self {
        let summary = raw::take(text, TurnPayload::MAX_TASK_SUMMARY, &self.intake);
        self.task_summary = Some(summary);
        self
    }

    /// A name that a rule learned from this turn might be filed under, described in 160 bytes; 16
    /// of them are kept, and the first is the one that the host would choose.
    pub fn scope_hint(
        &mut self,
        key: Scope,
        description: &str,
        applicability: Applicability,
    ) -> &mut Self {
        if self.scope_hints.len() < TurnPayload::MAX_SCOPE_HINTS {
            let hint = ScopeHint {
                key,
                description: raw::take(description, ScopeHint::MAX_DESCRIPTION, &self.intake),
                applicability,
                recommended: self.scope_hints.is_empty(),
            };
            self.scope_hints.push(hint);
        }
        self
    }

    /// What would replay the turn, for hosts that can: 64 KiB of it.
    pub fn replay_input(&mut self, text: &str) -> &mut Self {
        self.replay_input = Some(raw::take(text, CleanText::MAX_BYTES, &self.intake));
        self
    }

    /// Whether nobody has said or done anything yet.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The turn as the engine takes it.
    pub(super) fn finish(self, session: SessionId, index: u32, trace: TraceId) -> TurnPayload {
        let trace = Trace::new(trace, self.request, self.steps);
        TurnPayload {
            task_summary: self.task_summary,
            scope_hints: self.scope_hints,
            replay_input: self.replay_input,
            ..TurnPayload::new(session, index, Origin::Live, trace)
        }
    }

    fn step(&mut self, span: impl FnOnce(&Intake) -> Span) -> &mut Self {
        if self.steps.len() < Trace::MAX_SPANS {
            self.steps.push(span(&self.intake));
        } else if self.steps.len() < MAX_STEPS {
            self.steps
                .push(blank(SpanKind::Chain, Speaker::System, CleanText::empty()));
        }
        self
    }
}

fn blank(kind: SpanKind, speaker: Speaker, name: CleanString) -> Span {
    Span {
        kind,
        name,
        speaker,
        arguments: Arguments::none(),
        output: CleanText::empty(),
        status: SpanStatus::Ok,
        started_at: None,
        ended_at: None,
        tokens: None,
    }
}

fn named(name: &'static str) -> CleanString {
    CleanText::new(name).unwrap_or_else(|_| CleanText::empty())
}

#[cfg(test)]
mod tests {
    use harness_sanitize::{Gate, Redactor};
    use serde_json::json;

    use super::*;

    fn report() -> TurnReport {
        let redactor =
            Redactor::with_values([("APP_TOKEN".to_owned(), "correct-horse-battery".to_owned())]);
        TurnReport::new(
            Arc::new(Intake::new(Gate::default(), redactor)),
            "Add\u{1b}[1m up.",
        )
    }

    fn finish(report: TurnReport) -> TurnPayload {
        report.finish(
            SessionId::parse("s").unwrap(),
            3,
            TraceId::parse("s#3").unwrap(),
        )
    }

    #[test]
    fn steps_become_spans_in_order() {
        let mut report = report();
        assert!(report.is_empty());
        report
            .call(
                "read_file",
                &json!({"path": "a.txt"}),
                ToolOutcome::Failed(ErrorClass::NotFound, "no such file"),
            )
            .call("list_files", &json!({}), ToolOutcome::Answered("b.txt"))
            .call("wait", &Value::Null, ToolOutcome::Unanswered)
            .reply("It is 12.")
            .tokens(7)
            .no_reply(ErrorClass::RateLimited);
        assert!(!report.is_empty());
        let turn = finish(report);
        assert_eq!((turn.index, turn.origin), (3, Origin::Live));
        assert_eq!(turn.trace.request().as_str(), "Add up.");
        let steps: Vec<_> = turn
            .trace
            .spans()
            .iter()
            .map(|span| {
                (
                    span.kind,
                    span.name.as_str(),
                    span.status,
                    span.output.as_str(),
                    span.tokens,
                )
            })
            .collect();
        let failed = SpanStatus::Failed(ErrorClass::NotFound);
        assert_eq!(
            steps,
            [
                (SpanKind::Tool, "read_file", failed, "no such file", None),
                (SpanKind::Tool, "list_files", SpanStatus::Ok, "b.txt", None),
                (SpanKind::Tool, "wait", SpanStatus::Unknown, "", None),
                (SpanKind::Llm, AGENT, SpanStatus::Ok, "It is 12.", Some(7)),
                (
                    SpanKind::Llm,
                    AGENT,
                    SpanStatus::Failed(ErrorClass::RateLimited),
                    "",
                    None
                ),
            ]
        );
    }

    #[test]
    fn every_text_is_redacted_and_cut() {
        let secret = "it is correct-horse-battery";
        let long = format!("{secret} {}", "x y ".repeat(20_000));
        let mut report = report();
        report
            .call(&long, &json!({ "a": long }), ToolOutcome::Answered(&long))
            .call(
                &long,
                &json!(long),
                ToolOutcome::Failed(ErrorClass::Other, &long),
            )
            .reply(&long)
            .task_summary(&long)
            .scope_hint(Scope::scoped(), &long, Applicability::Task)
            .replay_input(&long);
        let turn = finish(report);
        assert!(!format!("{turn:?}").contains("correct-horse"));
        assert!(
            turn.trace
                .spans()
                .iter()
                .all(|span| span.output.len() <= MAX_TEXT)
        );
        assert!(turn.task_summary.is_some_and(|text| text.len() <= 600));
        assert!(
            turn.replay_input
                .is_some_and(|text| text.len() <= CleanText::MAX_BYTES)
        );
    }

    #[test]
    fn steps_past_the_bound_are_counted_and_not_kept() {
        let mut report = report();
        for _ in 0..MAX_STEPS + 10 {
            report.reply("on");
        }
        let turn = finish(report);
        assert_eq!(turn.trace.spans().len(), Trace::MAX_SPANS);
        assert_eq!(turn.trace.dropped(), MAX_STEPS - Trace::MAX_SPANS);
    }

    #[test]
    fn hints_are_bounded_and_the_first_is_recommended() {
        let mut report = report();
        for _ in 0..TurnPayload::MAX_SCOPE_HINTS + 3 {
            report.scope_hint(Scope::scoped(), "sums", Applicability::Topical);
        }
        let hints = finish(report).scope_hints;
        assert_eq!(hints.len(), TurnPayload::MAX_SCOPE_HINTS);
        assert!(hints[0].recommended && !hints[1].recommended);
    }
}
