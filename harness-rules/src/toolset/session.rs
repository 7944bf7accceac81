//! The toolset that a task agent holds.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use harness_core::{Rule, RuleId, SessionId};
use serde_json::Value;

use super::answer::{Call, surfaced};
use super::arm::RunArm;
use super::entry::answer_in_session;
use crate::book::RuleBook;

/// What a toolset and the watcher of its session share: which turn it is, and which rules the
/// session has been shown.
#[derive(Debug)]
pub struct TaskSession {
    id: SessionId,
    turn: AtomicU32,
    is_no_unit: AtomicBool,
    surfaced: Mutex<BTreeSet<RuleId>>,
}

impl TaskSession {
    /// A session that is in its first turn and has seen nothing.
    pub fn new(id: SessionId) -> Arc<Self> {
        Arc::new(Self {
            id,
            turn: AtomicU32::new(0),
            is_no_unit: AtomicBool::new(false),
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

    /// Says that an answer left before the session could become a unit of what the rules are worth:
    /// it never will, as what it reads from now on may depend on what it was shown.
    pub(super) fn never_a_unit(&self) {
        self.is_no_unit.store(true, Ordering::Release);
    }

    pub(super) fn may_be_a_unit(&self) -> bool {
        !self.is_no_unit.load(Ordering::Acquire)
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

/// Whose eyes a toolset looks with.
#[derive(Clone)]
enum Sight {
    /// A session's, in the arms that its id has.
    Session(Arc<TaskSession>),
    /// Those of one run of a replay, in the arm that it was given. It enters nothing.
    Run(Arc<RunArm>),
}

/// The four tools of one session, or of one run of a replay. It can read rules and append one kind of event,
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
    sight: Sight,
}

impl TaskToolset {
    pub(crate) const fn new(book: RuleBook, session: Arc<TaskSession>) -> Self {
        Self {
            book,
            sight: Sight::Session(session),
        }
    }

    pub(crate) const fn of_run(book: RuleBook, arm: Arc<RunArm>) -> Self {
        Self {
            book,
            sight: Sight::Run(arm),
        }
    }

    /// Calls a tool by name. Always answers with a JSON object that has `ok`; a name that is not
    /// one of the four is answered without any effect.
    ///
    /// May wait for the disk, 250 ms at most, when the session enters a trial by this call.
    pub fn call(&self, name: &str, arguments: &Value) -> Value {
        let call = match Call::parse(name, arguments) {
            Ok(call) => call,
            Err(answer) => return answer,
        };
        match &self.sight {
            Sight::Session(session) => {
                let answer = answer_in_session(&self.book, session, &call);
                session.remember(&answer);
                answer
            }
            Sight::Run(arm) => arm.answer(&self.book, &call),
        }
    }
}
