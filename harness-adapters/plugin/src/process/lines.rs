//! The conversation with one started process: numbered calls out, bounded lines back.

use harness_core::CleanString;
use harness_shell::{ConfinedChild, Outcome, RunError};
use serde_json::{Map, Value, json};

use super::failure::ProcessFailure;
use crate::abi::MAX_ANSWER;

/// Bytes of a line either way, its end not counted.
pub const MAX_LINE: usize = MAX_ANSWER;
/// The version of the protocol.
pub const PROTOCOL: u64 = 1;

/// Bytes that the number of a call takes in its line.
const NUMBER: usize = 32;

/// Whether a call fits in a line.
pub(super) fn fits(asked: &Value) -> bool {
    asked.to_string().len() + NUMBER <= MAX_LINE
}

/// A started process.
pub(super) struct Conversation {
    child: ConfinedChild,
    /// What has come and is not read yet.
    come: Vec<u8>,
    /// How much of it is known to have no end of a line.
    searched: usize,
    /// The number of the last call.
    last: u64,
}

/// What the process says while a call is under way.
pub(super) enum Said {
    /// The answer.
    Answer(Value),
    /// It cannot do this, and why; it is well otherwise.
    Cannot(String),
    /// It asks something back.
    Asks(Map<String, Value>),
}

impl Conversation {
    pub(super) const fn with(child: ConfinedChild) -> Self {
        Self {
            child,
            come: Vec::new(),
            searched: 0,
            last: 0,
        }
    }

    /// Sends a call, under a number of its own.
    pub(super) async fn ask(&mut self, mut asked: Value) -> Result<(), ProcessFailure> {
        self.last += 1;
        if let Value::Object(parts) = &mut asked {
            parts.insert("id".to_owned(), json!(self.last));
        }
        self.send(&asked).await
    }

    /// Answers what the process asked back during the last call.
    pub(super) async fn answer(&mut self, result: &Value) -> Result<(), ProcessFailure> {
        self.send(&json!({ "id": self.last, "result": result }))
            .await
    }

    /// What it says next about the last call.
    pub(super) async fn hear(&mut self) -> Result<Said, ProcessFailure> {
        let line = self.line().await?;
        let Ok(Value::Object(mut said)) = serde_json::from_slice(&line) else {
            return Err(ProcessFailure::NoLine);
        };
        if said.remove("id").and_then(|id| id.as_u64()) != Some(self.last) {
            return Err(ProcessFailure::OtherId);
        }
        match (said.remove("answer"), said.remove("error")) {
            (Some(answer), None) => Ok(Said::Answer(answer)),
            (None, Some(Value::String(why))) => Ok(Said::Cannot(why)),
            (None, None) => Ok(Said::Asks(said)),
            _ => Err(ProcessFailure::NoLine),
        }
    }

    /// Ends it; gives what it said on standard error.
    pub(super) async fn close(self) -> CleanString {
        let ended: Result<Outcome, RunError> = self.child.close().await;
        ended.map_or_else(|_| CleanString::empty(), |outcome| outcome.stderr)
    }

    async fn send(&mut self, message: &Value) -> Result<(), ProcessFailure> {
        let mut line = message.to_string();
        if line.len() > MAX_LINE {
            return Err(ProcessFailure::AskedTooMuch);
        }
        line.push('\n');
        let written = self.child.write(line.as_bytes()).await;
        written.map_err(|_| ProcessFailure::Ended)
    }

    async fn line(&mut self) -> Result<Vec<u8>, ProcessFailure> {
        loop {
            let unsearched = self.come.get(self.searched..).unwrap_or_default();
            if let Some(at) = unsearched.iter().position(|byte| *byte == b'\n') {
                let rest = self.come.split_off(self.searched + at + 1);
                let mut line = std::mem::replace(&mut self.come, rest);
                self.searched = 0;
                line.pop();
                if line.len() > MAX_LINE {
                    return Err(ProcessFailure::TooLong);
                }
                return Ok(line);
            }
            self.searched = self.come.len();
            if self.come.len() > MAX_LINE {
                return Err(ProcessFailure::TooLong);
            }
            match self.child.read().await {
                Some(chunk) => self.come.extend(chunk),
                None => return Err(ProcessFailure::Ended),
            }
        }
    }
}
