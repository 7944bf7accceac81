//! The four tools as the repair agent and an operator call them: every live rule, labelled, and no
//! session, so no arm and no entry.

use harness_core::RuleId;
use serde_json::Value;

use super::answer::{Call, failed, surfaced};
use crate::book::RuleBook;
use crate::ledger::RuleRecord;

/// Which rules a reader without a session sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sees {
    /// Active rules and candidates.
    Live,
    /// Active rules only: an unassigned reader.
    Active,
}

/// The four tools without a session.
#[derive(Clone)]
pub struct RuleReader {
    book: RuleBook,
    sees: Sees,
}

impl RuleReader {
    pub(crate) const fn new(book: RuleBook, sees: Sees) -> Self {
        Self { book, sees }
    }

    /// Calls a tool by name; always answers with a JSON object that has `ok`.
    pub fn call(&self, name: &str, arguments: &Value) -> Value {
        let call = match Call::parse(name, arguments) {
            Ok(call) => call,
            Err(answer) => return answer,
        };
        let shows: &dyn Fn(&RuleRecord) -> bool = match self.sees {
            Sees::Live => &|_| true,
            Sees::Active => &|record| record.status == harness_core::RuleStatus::Active,
        };
        match self.book.ledger() {
            Ok(ledger) => call.answer(&ledger, shows),
            Err(error) => failed(&error.to_string()),
        }
    }

    /// The rules whose text an answer of [`RuleReader::call`] held.
    pub fn surfaced(answer: &Value) -> Vec<RuleId> {
        surfaced(answer)
    }
}
