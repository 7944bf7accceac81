//! The four tools in one run of a replay. A run is no session: it enters no trial and no null arm,
//! and its arm is the one that it was given.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use harness_core::RuleId;
use serde_json::Value;

use super::answer::{Call, failed};
use crate::book::RuleBook;
use crate::ledger::{Ledger, RuleRecord};

/// What one run is shown: the rules that were active when its pair was planned, and the candidate
/// in one of the two arms. Fixed for the run, so that a promotion meanwhile tells no arm apart.
#[derive(Debug)]
pub(crate) struct RunArm {
    candidate: Option<(RuleId, bool)>,
    active: BTreeSet<RuleId>,
    was_called: AtomicBool,
    has_surfaced: AtomicBool,
}

impl RunArm {
    /// `candidate` and whether it is shown; none where only today's rules are looked at.
    pub(crate) const fn new(candidate: Option<(RuleId, bool)>, active: BTreeSet<RuleId>) -> Self {
        Self {
            candidate,
            active,
            was_called: AtomicBool::new(false),
            has_surfaced: AtomicBool::new(false),
        }
    }

    /// Whether a tool was called: the agent has made a step.
    pub(crate) fn was_called(&self) -> bool {
        self.was_called.load(Ordering::Acquire)
    }

    /// Whether a call was made whose answer the candidate changes.
    pub(crate) fn has_surfaced(&self) -> bool {
        self.has_surfaced.load(Ordering::Acquire)
    }

    pub(super) fn answer(&self, book: &RuleBook, call: &Call) -> Value {
        self.was_called.store(true, Ordering::Release);
        let view = match book.ledger() {
            Ok(view) => view,
            Err(error) => return failed(&error.to_string()),
        };
        let Some((candidate, shown)) = &self.candidate else {
            return self.with(&view, call, None);
        };
        let (with, without) = (
            self.with(&view, call, Some(candidate)),
            self.with(&view, call, None),
        );
        if call.reads_rules() && with != without {
            self.has_surfaced.store(true, Ordering::Release);
        }
        if *shown { with } else { without }
    }

    fn with(&self, ledger: &Ledger, call: &Call, candidate: Option<&RuleId>) -> Value {
        call.answer(ledger, &|record: &RuleRecord| {
            let id = &record.rule.id;
            Some(id) == candidate || self.active.contains(id)
        })
    }
}
