//! From bytes to conversations.

use harness_core::{CleanString, SessionId};
use harness_sanitize::Intake;
use serde_json::Value;

use crate::message::{self, Message, ToolResult};
use crate::spans::{self, SpanAccount, Spans};
use crate::turns::Turns;
use crate::unreadable::{Place, Reason, Unreadable};
use crate::{Conversation, Limits, gzip};

/// What a document held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The conversations, in order.
    pub conversations: Vec<Conversation>,
    /// What was left out, in order; at most [`Limits::REPORTS`].
    pub unreadable: Vec<Unreadable>,
    /// Reports beyond that bound.
    pub unreported: usize,
    /// What became of the spans that were put together into conversations.
    pub spans: SpanAccount,
}

impl Document {
    fn report(&mut self, place: Place, reason: Reason) {
        if self.unreadable.len() < Limits::REPORTS {
            self.unreadable.push(Unreadable { place, reason });
        } else {
            self.unreported += 1;
        }
    }
}

/// Reads recorded conversations; see the crate's docs for the forms.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    intake: &'a Intake,
    limits: Limits,
}

impl<'a> Reader<'a> {
    /// A reader whose every text goes through `intake`.
    pub const fn new(intake: &'a Intake, limits: Limits) -> Self {
        Self { intake, limits }
    }

    /// Reads a whole document: one JSON value, JSON lines, or OTLP as protocol buffers; gzipped or
    /// not. The spans in it are put together by themselves.
    ///
    /// It is read as lines if it is not one value and at least one line is a conversation or a span
    /// by itself; then a line that is not costs only itself.
    ///
    /// `unnamed` names a conversation without a `session_id` from its own bytes (the document, or
    /// its line); the same bytes should get the same name.
    pub fn read_document(&self, bytes: &[u8], unnamed: impl Fn(&[u8]) -> SessionId) -> Document {
        let mut spans = Spans::default();
        let mut document = self.gather(bytes, &mut spans, unnamed);
        let Document {
            conversations,
            spans,
            ..
        } = self.assemble(spans);
        document.conversations.extend(conversations);
        document.spans = spans;
        document
    }

    /// Reads a document as [`Self::read_document`] does, and leaves its spans in `spans`, to be put
    /// together with those of other documents.
    pub fn gather(
        &self,
        bytes: &[u8],
        spans: &mut Spans,
        unnamed: impl Fn(&[u8]) -> SessionId,
    ) -> Document {
        let mut document = Document::default();
        let whole = Place {
            line: None,
            message: None,
        };
        if bytes.len() > self.limits.document {
            let max = self.limits.document;
            document.report(
                whole,
                Reason::TooLarge {
                    bytes: bytes.len(),
                    max,
                },
            );
            return document;
        }
        let bytes = match gzip::expand(bytes, self.limits.document) {
            Ok(bytes) => bytes,
            Err(reason) => {
                document.report(whole, reason);
                return document;
            }
        };
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        match parse(text) {
            Ok(value) => self.value(&value, &bytes, None, spans, &unnamed, &mut document),
            Err(_) if lines(text).any(|(_, line)| self.stands_alone(line)) => {
                for (number, line) in lines(text) {
                    self.line_into(line, number, spans, &unnamed, &mut document);
                }
            }
            // Ids are random bytes: a message with spans is no text.
            Err(_) if std::str::from_utf8(text).is_err() && spans::looks_like_protobuf(text) => {
                let mut take = |span| spans.take(span, self.intake);
                spans::read_protobuf(text, &mut take, &mut |reason| {
                    document.report(whole, reason)
                });
            }
            Err(reason) => document.report(whole, reason),
        }
        document
    }

    /// Reads one line of JSON lines, for callers that stream a file too large to hold; `number`
    /// counts from 1. A blank line holds nothing and is no error. Spans are left in `spans`.
    pub fn read_line(
        &self,
        line: &[u8],
        number: usize,
        spans: &mut Spans,
        unnamed: impl Fn(&[u8]) -> SessionId,
    ) -> Document {
        let mut document = Document::default();
        self.line_into(line, number, spans, &unnamed, &mut document);
        document
    }

    /// Puts gathered spans together: a trace is a turn, and traces of one session are a
    /// conversation.
    pub fn assemble(&self, spans: Spans) -> Document {
        let (conversations, spans) = spans.assemble(self.intake, self.limits);
        Document {
            conversations,
            spans,
            ..Document::default()
        }
    }

    fn line_into(
        &self,
        line: &[u8],
        number: usize,
        spans: &mut Spans,
        unnamed: &impl Fn(&[u8]) -> SessionId,
        document: &mut Document,
    ) {
        let line = line.trim_ascii();
        let place = Place {
            line: Some(number),
            message: None,
        };
        if line.is_empty() {
            return;
        }
        if line.len() > self.limits.line {
            let max = self.limits.line;
            document.report(
                place,
                Reason::TooLarge {
                    bytes: line.len(),
                    max,
                },
            );
            return;
        }
        match parse(line) {
            Ok(value) => self.value(&value, line, Some(number), spans, unnamed, document),
            Err(reason) => document.report(place, reason),
        }
    }

    /// Whether a line is a conversation or a span by itself, so that the document is JSON lines.
    fn stands_alone(&self, line: &[u8]) -> bool {
        line.len() <= self.limits.line
            && parse(line).is_ok_and(|value| is_conversation(&value) || spans::holds_spans(&value))
    }

    /// Takes a value up as spans or as a conversation.
    fn value(
        &self,
        value: &Value,
        bytes: &[u8],
        line: Option<usize>,
        spans: &mut Spans,
        unnamed: &impl Fn(&[u8]) -> SessionId,
        document: &mut Document,
    ) {
        if is_conversation(value) || !spans::holds_spans(value) {
            return self.conversation(value, bytes, line, unnamed, document);
        }
        let place = Place {
            line,
            message: None,
        };
        let mut take = |span| spans.take(span, self.intake);
        spans::read_json(value, &mut take, &mut |reason| {
            document.report(place, reason);
        });
    }

    fn conversation(
        &self,
        value: &Value,
        bytes: &[u8],
        line: Option<usize>,
        unnamed: &impl Fn(&[u8]) -> SessionId,
        document: &mut Document,
    ) {
        let place = Place {
            line,
            message: None,
        };
        let head = match Head::read(value, self.intake) {
            Ok(head) => head,
            Err(reason) => return document.report(place, reason),
        };
        let max = self.limits.messages;
        if head.messages.len() > max {
            let messages = head.messages.len();
            document.report(place, Reason::TooManyMessages { messages, max });
        }
        let mut turns = Turns::new(self.intake, self.limits, head.model.clone());
        for (index, value) in head.messages.iter().take(max).enumerate() {
            let mut report = |reason| {
                let message = Some(index);
                document.report(Place { line, message }, reason);
            };
            match message::read(value, &mut report) {
                Ok(Message::Instruction) => {}
                Ok(Message::User(text)) => turns.user(text),
                Ok(Message::Agent {
                    text,
                    calls,
                    results,
                }) => {
                    turns.agent(&text, calls);
                    answer(&mut turns, &results, &mut report);
                }
                Ok(Message::Results(results)) => answer(&mut turns, &results, &mut report),
                Err(reason) => report(reason),
            }
        }
        let session = head.session.unwrap_or_else(|| unnamed(bytes));
        match turns.finish(&session) {
            Ok(turns) if turns.is_empty() => document.report(place, Reason::NoTurn),
            Ok(turns) => document.conversations.push(Conversation {
                session,
                model: head.model,
                turns,
            }),
            Err(error) => document.report(place, error.into()),
        }
    }
}

fn is_conversation(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.contains_key("messages"),
        Value::Array(list) => list.first().is_some_and(|item| item.get("role").is_some()),
        _ => false,
    }
}

fn answer(turns: &mut Turns<'_>, results: &[ToolResult<'_>], report: &mut impl FnMut(Reason)) {
    for result in results {
        if !turns.result(result) {
            report(Reason::Orphan);
        }
    }
}

/// A conversation before its messages are read.
struct Head<'v> {
    session: Option<SessionId>,
    model: Option<CleanString>,
    messages: &'v [Value],
}

impl<'v> Head<'v> {
    fn read(value: &'v Value, intake: &Intake) -> Result<Self, Reason> {
        let object = match value {
            Value::Array(messages) => {
                return Ok(Self {
                    session: None,
                    model: None,
                    messages,
                });
            }
            Value::Object(object) => object,
            other => {
                return Err(Reason::WrongType {
                    what: "conversation",
                    found: type_of(other),
                    expected: "an object or a list of messages",
                });
            }
        };
        let session = match text_field(object.get("session_id"), "session_id")? {
            Some(text) => Some(SessionId::parse(text)?),
            None => None,
        };
        let model = text_field(object.get("model"), "model")?
            .map(|text| intake.text(text, Limits::NAME).into_owned())
            .filter(|model| !model.is_empty());
        match object.get("messages") {
            Some(Value::Array(messages)) => Ok(Self {
                session,
                model,
                messages,
            }),
            Some(other) => Err(Reason::WrongType {
                what: "messages",
                found: type_of(other),
                expected: "a list",
            }),
            None => Err(Reason::Missing("messages")),
        }
    }
}

fn text_field<'v>(value: Option<&'v Value>, what: &'static str) -> Result<Option<&'v str>, Reason> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(Reason::WrongType {
            what,
            found: type_of(other),
            expected: "a string",
        }),
    }
}

/// The type of a JSON value, with its article.
pub(crate) const fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Parses one JSON value; the parser bounds the nesting at 128.
fn parse(bytes: &[u8]) -> Result<Value, Reason> {
    if bytes.trim_ascii().is_empty() {
        return Err(Reason::Empty);
    }
    serde_json::from_slice(bytes).map_err(|error| Reason::Syntax {
        // The parser's own words may quote the input.
        problem: match error.classify() {
            serde_json::error::Category::Eof => "it ends too early",
            _ => "a syntax error, a bad byte or too deep a nest",
        },
        line: error.line(),
        column: error.column(),
    })
}

/// The lines of `bytes` without their LF, numbered from 1.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    (1..).zip(bytes.split(|byte| *byte == b'\n'))
}
