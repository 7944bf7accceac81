//! What could not be read: where, why, and what was expected instead.

use std::fmt;

use harness_core::{IdError, Quoted};
use thiserror::Error;

/// Where something unreadable stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line of JSON lines, from 1; none where the document is one value.
    pub line: Option<usize>,
    /// The message of the conversation, from 0; none where it is the whole.
    pub message: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.message) {
            (None, None) => f.write_str("document"),
            (Some(line), None) => write!(f, "line {line}"),
            (None, Some(message)) => write!(f, "message {message}"),
            (Some(line), Some(message)) => write!(f, "line {line}, message {message}"),
        }
    }
}

/// One report: something was left out of what was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where.
    pub place: Place,
    /// Why.
    pub reason: Reason,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// Why something was left out. The fault is the recording's, except where noted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Reason {
    /// Nothing but white space.
    #[error("it is empty; messages or spans were expected")]
    Empty,
    /// Over the bound of the reader: the operator's to raise, or to split.
    #[error("it has {bytes} bytes, at most {max} are read")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The bound.
        max: usize,
    },
    /// Gzip that is broken or cut off.
    #[error("it is gzip that cannot be expanded")]
    Gzip,
    /// Gzip that holds more than the bound of the reader: the operator's to split.
    #[error("it is gzip that holds more than {max} bytes")]
    Expands {
        /// The bound.
        max: usize,
    },
    /// OTLP as protocol buffers that is malformed; what stood before was read.
    #[error("it is no OTLP: {0}")]
    Protobuf(&'static str),
    /// In a list of spans, or around one, something else.
    #[error("it is no span of a form that is known")]
    NoSpan,
    /// A span that cannot be named, and so not put together with others.
    #[error("the span has no {0} id, or one of too many characters")]
    NoId(&'static str),
    /// Over the bound of the reader; the first `max` messages were read.
    #[error("the conversation has {messages} messages, only the first {max} are read")]
    TooManyMessages {
        /// How many there are.
        messages: usize,
        /// The bound.
        max: usize,
    },
    /// Not JSON, not UTF-8, or nested too deeply.
    #[error("it is not JSON ({problem} at line {line}, column {column})")]
    Syntax {
        /// What the parser said, without its place and without the input.
        problem: &'static str,
        /// Line of the text, from 1.
        line: usize,
        /// Column of the line, from 1 (0 at its very start).
        column: usize,
    },
    /// Something of another type than expected.
    #[error("`{what}` is {found}, {expected} was expected")]
    WrongType {
        /// Which field or value.
        what: &'static str,
        /// The type it has.
        found: &'static str,
        /// The type it should have.
        expected: &'static str,
    },
    /// A field that must be there is not.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A role that no chat-completion message has.
    #[error(
        "{} is no role: `system`, `developer`, `user`, `assistant`, `tool` or `function` was expected",
        Quoted(.0)
    )]
    UnknownRole(String),
    /// A session id that no session may have.
    #[error("{0}")]
    BadSession(#[from] IdError),
    /// A tool's result that belongs to no call before it.
    #[error("it is the result of no call that came before")]
    Orphan,
    /// No turn: nobody asked and no tool was called, or nothing followed.
    #[error("it has no finished turn: a user message and what followed it was expected")]
    NoTurn,
}
