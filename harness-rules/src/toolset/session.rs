//! The toolset that a task agent holds.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use harness_core::{Rule, RuleId, SessionId};
use serde_json::Value;

use super::answer::{Call, surfaced};
use super::entry::answer_in_session;
use crate::book::RuleBook;

/// What a toolset and the watcher of its session share: which turn it is, and which rules the
/// session has been shown.
#[derive(Debug)]
pub struct TaskSession {
    id: SessionId,
    turn: AtomicU32,
    surfaced: Mutex<BTreeSet<RuleId>>,
}

impl TaskSession {
    /// A session that is in its first turn and has seen nothing.
    pub fn new(id: SessionId) -> Arc<Self> {
        Arc::new(Self {
            id,
            turn: AtomicU32::new(0),
            surfaced: Mutex::default(),
        })
    }

    /// Its id.
    pub const fn id(&self) -> &SessionId {
        &self.id
    }

    /// The turn that is going on.
    pub fn turn(&self) -> u32 {
        self.turn.load(Ordering::Acquire)
    }

    /// Says that the turn `index` has ended, so that whatever enters from now on enters later.
    pub fn turn_ended(&self, index: u32) {
        self.turn
            .fetch_max(index.saturating_add(1), Ordering::AcqRel);
    }

    /// The rules whose text the session has been shown, at most [`Rule::MAX_PARENTS`].
    pub fn shown(&self) -> Vec<RuleId> {
        self.surfaced
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect()
    }

    fn remember(&self, answer: &Value) {
        let mut known = self.surfaced.lock().unwrap_or_else(PoisonError::into_inner);
        for id in surfaced(answer) {
            if known.len() < Rule::MAX_PARENTS {
                known.insert(id);
            }
        }
    }
}

/// The four tools of one session. It can read rules and append one kind of event,
/// `trial_assigned`; there is nothing else it could be asked to do:
///
/// ```compile_fail
/// # fn f(tools: harness_rules::TaskToolset) {
/// tools.promote("r-0123456789");
/// # }
/// ```
#[derive(Clone)]
pub struct TaskToolset {
    book: RuleBook,
    session: Arc<TaskSession>,
}

impl TaskToolset {
    pub(crate) const fn new(book: RuleBook, session: Arc<TaskSession>) -> Self {
        Self { book, session }
    }

    /// Calls a tool by name. Always answers with a JSON object that has `ok`; a name that is not
    /// one of the four is answered without any effect.
    ///
    /// May wait for the disk, 250 ms at most, when the session enters a trial by this call.
    pub fn call(&self, name: &str, arguments: &Value) -> Value {
        let answer = match Call::parse(name, arguments) {
            Ok(call) => answer_in_session(&self.book, &self.session, &call),
            Err(answer) => return answer,
        };
        self.session.remember(&answer);
        answer
    }
}
