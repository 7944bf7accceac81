//! From messages to turns: see [`Conversation`](crate::Conversation) for where one ends.

use harness_core::{
    Arguments, CleanString, CleanText, ErrorClass, IdError, SessionId, Span, SpanKind, SpanStatus,
    Speaker, Trace,
};
use harness_sanitize::Intake;

use crate::message::{Call, ToolResult};
use crate::trace_id::trace_id;
use crate::{Limits, arguments, class, failure};

/// Calls that may wait for their result at once; the oldest gives way.
const MAX_WAITING: usize = 1024;

/// The turns of a conversation while its messages come in.
pub(crate) struct Turns<'a> {
    intake: &'a Intake,
    limits: Limits,
    model: CleanString,
    turns: Vec<Turn>,
    waiting: Vec<Waiting>,
    messages: usize,
}

struct Turn {
    /// What the user said; none before the first user message.
    request: Option<String>,
    spans: Vec<Span>,
}

/// A call whose result has not come.
struct Waiting {
    id: Option<String>,
    name: String,
    /// Which of the agent's messages made it.
    message: usize,
    turn: usize,
    span: usize,
}

impl<'a> Turns<'a> {
    pub(crate) fn new(intake: &'a Intake, limits: Limits, model: Option<CleanString>) -> Self {
        Self {
            intake,
            limits,
            model: model.unwrap_or_else(|| intake.text("assistant", Limits::NAME).into_owned()),
            turns: vec![Turn {
                request: None,
                spans: Vec::new(),
            }],
            waiting: Vec::new(),
            messages: 0,
        }
    }

    /// The user spoke: a new turn, unless nothing has followed what they said before.
    pub(crate) fn user(&mut self, text: String) {
        match self.turns.last_mut() {
            Some(turn) if turn.spans.is_empty() => match &mut turn.request {
                Some(request) => {
                    request.push('\n');
                    request.push_str(&text);
                }
                none => *none = Some(text),
            },
            _ => self.turns.push(Turn {
                request: Some(text),
                spans: Vec::new(),
            }),
        }
    }

    /// The agent spoke or called tools. An empty message is a reply too: an empty one.
    pub(crate) fn agent(&mut self, text: &str, calls: Vec<Call<'_>>) {
        self.messages += 1;
        if !text.trim().is_empty() || calls.is_empty() {
            let reply = Span {
                kind: SpanKind::Llm,
                name: self.model.clone(),
                speaker: Speaker::Agent,
                arguments: Arguments::none(),
                output: self.text(text),
                status: SpanStatus::Ok,
                started_at: None,
                ended_at: None,
                tokens: None,
            };
            self.push(reply);
        }
        for call in calls {
            let span = Span {
                kind: SpanKind::Tool,
                name: self.intake.text(call.name, Limits::NAME).into_owned(),
                speaker: Speaker::Tool,
                arguments: arguments::read(&call.arguments, self.intake, self.limits),
                output: CleanText::empty(),
                status: SpanStatus::Unknown,
                started_at: None,
                ended_at: None,
                tokens: None,
            };
            if let Some((turn, span)) = self.push(span) {
                if self.waiting.len() >= MAX_WAITING {
                    self.waiting.remove(0);
                }
                self.waiting.push(Waiting {
                    id: call.id.map(str::to_owned),
                    name: call.name.to_owned(),
                    message: self.messages,
                    turn,
                    span,
                });
            }
        }
    }

    /// A tool answered: whether there was a call that waits for it.
    ///
    /// Ids come back in one conversation, so the result belongs to the latest message that made a
    /// call of that id, and within it to the first such call. A result without an id is matched
    /// by name.
    pub(crate) fn result(&mut self, result: &ToolResult<'_>) -> bool {
        let answers = |call: &Waiting| match (result.id, result.name) {
            (Some(id), _) => call.id.as_deref() == Some(id),
            (None, Some(name)) => call.name == name,
            (None, None) => false,
        };
        let found = self
            .waiting
            .iter()
            .enumerate()
            .filter(|(_, call)| answers(call))
            .max_by_key(|(at, call)| (call.message, std::cmp::Reverse(*at)))
            .map(|(at, _)| at);
        let Some(at) = found else {
            return false;
        };
        let call = self.waiting.remove(at);
        let output = self.text(&result.text);
        let status = match failure::classify(&result.text) {
            Some(class) => SpanStatus::Failed(class),
            None if result.failed => {
                SpanStatus::Failed(class::named_in(&result.text).unwrap_or(ErrorClass::Other))
            }
            None => SpanStatus::Ok,
        };
        let span = self
            .turns
            .get_mut(call.turn)
            .and_then(|turn| turn.spans.get_mut(call.span));
        if let Some(span) = span {
            span.output = output;
            span.status = status;
        }
        true
    }

    /// The finished turns as traces.
    ///
    /// # Errors
    /// A session from whose id no trace id can be made.
    pub(crate) fn finish(self, session: &SessionId) -> Result<Vec<Trace>, IdError> {
        let Self {
            intake,
            limits,
            turns,
            ..
        } = self;
        turns
            .into_iter()
            .filter(Turn::is_finished)
            .zip(0_u32..)
            .map(|(turn, index)| {
                let request = turn.request.unwrap_or_default();
                let request = intake.text(&request, limits.text).into_owned();
                Ok(Trace::new(trace_id(session, index)?, request, turn.spans))
            })
            .collect()
    }

    fn push(&mut self, span: Span) -> Option<(usize, usize)> {
        let at = self.turns.len().checked_sub(1)?;
        let turn = self.turns.last_mut()?;
        turn.spans.push(span);
        Some((at, turn.spans.len() - 1))
    }

    fn text(&self, text: &str) -> CleanString {
        self.intake.text(text, self.limits.text).into_owned()
    }
}

impl Turn {
    fn is_finished(&self) -> bool {
        let called = self.spans.iter().any(|span| span.kind == SpanKind::Tool);
        called || (self.request.is_some() && !self.spans.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{Conversation, Reader};

    fn read(messages: &Value) -> Conversation {
        let intake = crate::testing::intake();
        let session = SessionId::parse("s").unwrap();
        let document = Reader::new(&intake, Limits::default())
            .read_document(messages.to_string().as_bytes(), |_| session.clone());
        assert_eq!(document.unreadable, []);
        document.conversations.into_iter().next().unwrap()
    }

    /// Each turn as its request and its spans, `name: output`.
    fn outline(messages: &Value) -> Vec<(String, Vec<String>)> {
        read(messages)
            .turns
            .iter()
            .map(|turn| {
                let spans = turn
                    .spans()
                    .iter()
                    .map(|s| format!("{}: {}", s.name, s.output));
                (turn.request().to_string(), spans.collect())
            })
            .collect()
    }

    fn turn(request: &str, spans: &[&str]) -> (String, Vec<String>) {
        (
            request.into(),
            spans.iter().map(|span| (*span).into()).collect(),
        )
    }

    fn says(role: &str, content: &str) -> Value {
        json!({"role": role, "content": content})
    }

    fn calls(id: &str, name: &str) -> Value {
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}
        ]})
    }

    fn returns(id: &str, content: &str) -> Value {
        json!({"role": "tool", "tool_call_id": id, "content": content})
    }

    #[test]
    fn a_turn_runs_from_one_user_message_to_just_before_the_next() {
        let messages = json!([
            says("system", "rules of the house"),
            says("user", "move the box"),
            calls("1", "move"),
            returns("1", "moved"),
            says("assistant", "done"),
            says("user", "thanks, and the lamp?"),
            says("assistant", "which lamp?"),
        ]);
        assert_eq!(
            outline(&messages),
            [
                turn("move the box", &["move: moved", "assistant: done"]),
                turn("thanks, and the lamp?", &["assistant: which lamp?"]),
            ]
        );
    }

    #[test]
    fn a_greeting_before_the_first_request_is_no_turn_and_work_is() {
        let greeting = json!([
            says("assistant", "welcome"),
            says("user", "a"),
            says("assistant", "b")
        ]);
        assert_eq!(outline(&greeting), [turn("a", &["assistant: b"])]);
        let work = json!([
            calls("1", "look"),
            says("user", "a"),
            says("assistant", "b")
        ]);
        assert_eq!(
            outline(&work),
            [turn("", &["look: "]), turn("a", &["assistant: b"])]
        );
    }

    #[test]
    fn a_goodbye_is_no_turn_and_two_requests_in_a_row_are_one() {
        let messages = json!([
            says("user", "a"),
            says("user", "b"),
            says("assistant", "c"),
            says("user", "bye"),
        ]);
        assert_eq!(outline(&messages), [turn("a\nb", &["assistant: c"])]);
    }

    #[test]
    fn an_id_that_comes_back_belongs_to_the_latest_call() {
        let messages = json!([
            says("user", "a"),
            calls("1", "look"),
            calls("1", "move"),
            returns("1", "moved"),
            calls("1", "open"),
            returns("1", "opened"),
        ]);
        assert_eq!(
            outline(&messages),
            [turn("a", &["look: ", "move: moved", "open: opened"])]
        );
        let statuses: Vec<_> = read(&messages).turns[0]
            .spans()
            .iter()
            .map(|span| span.status)
            .collect();
        assert_eq!(
            statuses,
            [SpanStatus::Unknown, SpanStatus::Ok, SpanStatus::Ok]
        );
    }

    #[test]
    fn parallel_calls_get_their_own_results_and_a_late_one_still_finds_its_call() {
        let both = json!({"role": "assistant", "tool_calls": [
            {"id": "1", "function": {"name": "look", "arguments": "{}"}},
            {"id": "2", "function": {"name": "move", "arguments": "{}"}},
        ]});
        let messages = json!([
            says("user", "a"),
            both,
            returns("2", "moved"),
            says("user", "b"),
            returns("1", "Error: box not found"),
            says("assistant", "c"),
        ]);
        assert_eq!(
            outline(&messages),
            [
                turn("a", &["look: Error: box not found", "move: moved"]),
                turn("b", &["assistant: c"]),
            ]
        );
        assert_eq!(
            read(&messages).turns[0].spans()[0].status,
            SpanStatus::Failed(ErrorClass::NotFound)
        );
    }

    #[test]
    fn legacy_calls_are_matched_by_name() {
        let messages = json!([
            says("user", "a"),
            {"role": "assistant", "function_call": {"name": "look", "arguments": "{}"}},
            {"role": "function", "name": "look", "content": "a box"},
        ]);
        assert_eq!(outline(&messages), [turn("a", &["look: a box"])]);
    }

    #[test]
    fn a_message_may_say_by_itself_that_the_call_failed() {
        let mut result = returns("1", "3 boxes");
        let status = |result: &Value| {
            let messages = json!([says("user", "a"), calls("1", "look"), result]);
            read(&messages).turns[0].spans()[0].status
        };
        assert_eq!(status(&result), SpanStatus::Ok);
        result["is_error"] = true.into();
        assert_eq!(status(&result), SpanStatus::Failed(ErrorClass::Other));
    }
}
