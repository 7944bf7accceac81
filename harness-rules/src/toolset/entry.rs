//! Entry: the moment at which a trial begins to matter for a session.
//!
//! A session enters a trial at its first call whose answer would differ between the arms: the call
//! is answered twice, with the rule shown and hidden and all other rules at the session's own arms,
//! and the whole answers are compared. The entry is on disk before the answer leaves,
//! and so is that the session is a unit of what all rules are worth, if it is; where that
//! cannot be had in time, the hidden answer is given in either arm and nothing is entered, so that
//! randomisation is not undone by what the disk did.

use std::collections::BTreeMap;
use std::time::Duration;

use harness_core::{RuleId, RuleStatus, SessionId};
use harness_store::EntryEvent;
use harness_store::wire::event::{TrialAssigned, TrialKind, WorthAssigned};
use serde_json::Value;

use super::answer::{Call, failed};
use super::session::TaskSession;
use crate::book::RuleBook;
use crate::evidence::{Arm, Pi};
use crate::ledger::{Ledger, RuleRecord, Trial};
use crate::settings::{Provisional, Settings};

/// How long an answer waits for an entry to be durable.
const ENTRY_DEADLINE: Duration = Duration::from_millis(250);

pub(super) fn answer_in_session(book: &RuleBook, session: &TaskSession, call: &Call) -> Value {
    let view = match book.ledger() {
        Ok(view) => view,
        Err(error) => return failed(&error.to_string()),
    };
    if !call.reads_rules() {
        return call.answer(&view, &|_| true);
    }
    let arms = Arms::of(&view, session.id(), call, book.settings());
    let entering = arms.entering(&view, call);
    let becomes_unit = session.may_be_a_unit() && view.becomes_unit(session.id());
    if entering.is_empty() && !becomes_unit {
        return call.answer(&view, &|record| arms.shows(record));
    }
    drop(view);
    match enter(book, session, call) {
        Some(answer) => answer,
        None => {
            session.never_a_unit();
            hidden_answer(book, session.id(), call)
        }
    }
}

/// Enters every trial that this call makes matter, and answers. Everything is looked up again under
/// the writers' lock, so that numbering and π are exact whoever else is entering.
fn enter(book: &RuleBook, session: &TaskSession, call: &Call) -> Option<Value> {
    let (inner, id, call, turn_index) = (
        book.clone(),
        session.id().clone(),
        call.clone(),
        session.turn(),
    );
    let may_be_a_unit = session.may_be_a_unit();
    book.entries()?
        .commit(ENTRY_DEADLINE, move |tx| {
            let view = inner.ledger()?;
            let arms = Arms::of(&view, &id, &call, inner.settings());
            let mut next_t = view.next_t();
            let mut events: Vec<EntryEvent> = Vec::new();
            if may_be_a_unit && view.becomes_unit(&id) {
                events.push(
                    WorthAssigned {
                        session: id.clone(),
                        turn_index,
                    }
                    .into(),
                );
            }
            for (rule, trial) in arms.entering(&view, &call) {
                let is_first = trial.name.kind == TrialKind::Trial && trial.t.is_none();
                events.push(
                    TrialAssigned {
                        rule,
                        trial: trial.name,
                        session: id.clone(),
                        pi: trial.next_pi().probability(),
                        t: is_first.then(|| u64::from(next_t.get())),
                        turn_index,
                    }
                    .into(),
                );
                if is_first {
                    next_t = next_t.saturating_add(1);
                }
            }
            let answer = call.answer(&view, &|record| arms.shows(record));
            drop(view);
            if !events.is_empty() {
                tx.commit(events)?;
            }
            Ok::<Value, harness_store::StoreError>(answer)
        })
        .ok()
        .and_then(Result::ok)
}

/// The answer without any rule whose trial the session has not entered, and so alike in both arms
/// of each.
fn hidden_answer(book: &RuleBook, session: &SessionId, call: &Call) -> Value {
    match book.ledger() {
        Ok(view) => {
            let arms = Arms::of(&view, session, call, book.settings());
            call.answer(&view, &|record| {
                arms.shows(record) && !arms.is_waiting_for(&record.rule.id)
            })
        }
        Err(error) => failed(&error.to_string()),
    }
}

/// How a session stands to one rule on trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It entered, or can no longer enter; the rule is shown or not, come what may.
    Settled { shown: bool },
    /// It has not entered yet and would be in this arm.
    Waiting { shown: bool },
}

/// A session's arms in everything that is running and that a call can show.
struct Arms {
    null: bool,
    of: BTreeMap<RuleId, Standing>,
}

impl Arms {
    fn of(ledger: &Ledger, session: &SessionId, call: &Call, settings: &Settings) -> Self {
        let null = ledger
            .key()
            .is_some_and(|key| key.in_null_arm(session.as_str()));
        let mut of = BTreeMap::new();
        if !null {
            let reach = call.reach(ledger);
            let live = reach.iter().filter_map(|id| ledger.rule(id));
            for record in live.filter(|record| record.status.is_live()) {
                if let Some(standing) = standing(ledger, session, record, settings) {
                    of.insert(record.rule.id.clone(), standing);
                }
            }
        }
        Self { null, of }
    }

    fn shows(&self, record: &RuleRecord) -> bool {
        if self.null {
            return false;
        }
        match self.of.get(&record.rule.id) {
            Some(Standing::Settled { shown } | Standing::Waiting { shown }) => *shown,
            None => record.status == RuleStatus::Active,
        }
    }

    fn is_waiting_for(&self, rule: &RuleId) -> bool {
        matches!(self.of.get(rule), Some(Standing::Waiting { .. }))
    }

    /// The trials that this call enters: those the session waits for and whose rule makes a
    /// difference to the answer.
    fn entering<'a>(&self, ledger: &'a Ledger, call: &Call) -> Vec<(RuleId, &'a Trial)> {
        self.of
            .iter()
            .filter(|(_, standing)| matches!(standing, Standing::Waiting { .. }))
            .filter(|(id, _)| {
                let with = |shown: bool| {
                    call.answer(ledger, &|record| {
                        if record.rule.id == **id {
                            shown
                        } else {
                            self.shows(record)
                        }
                    })
                };
                with(true) != with(false)
            })
            .filter_map(|(id, _)| Some((id.clone(), ledger.rule(id)?.open_trial()?)))
            .collect()
    }
}

/// `None` for a rule that is not on trial for this session: an active one is shown, a candidate not.
fn standing(
    ledger: &Ledger,
    session: &SessionId,
    record: &RuleRecord,
    settings: &Settings,
) -> Option<Standing> {
    let trial = record.open_trial()?;
    if settings.provisional == Provisional::Never && trial.name.kind == TrialKind::Trial {
        return None;
    }
    let shown = |pi: Pi| Some(trial.arm(session, pi)? == Arm::Treated);
    if let Some(entry) = trial.entry(session) {
        return shown(entry.pi).map(|shown| Standing::Settled { shown });
    }
    if trial.takes_entries() && settings.judges(trial) && ledger.may_enter(session, trial) {
        return shown(trial.next_pi()).map(|shown| Standing::Waiting { shown });
    }
    None
}
