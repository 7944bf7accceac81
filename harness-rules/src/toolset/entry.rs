//! Entry: the moment at which a trial begins to matter for a session.
//!
//! A session enters a trial at its first call whose answer would differ between the arms, that is if
//! it is answered twice, with the rule shown and hidden and all other rules at the session's own
//! arms, and the whole answers are compared (see [`Look`]). The entry is on disk before the answer
//! leaves, and so is that the session is a unit of what all rules are worth, if it is; where that
//! cannot be had in time, the hidden answer is given in either arm and nothing is entered, so that
//! randomisation is not undone by what the disk did.

use std::time::Duration;

use harness_core::{RuleStatus, SessionId};
use harness_store::EntryEvent;
use harness_store::wire::event::{TrialAssigned, TrialKind, WorthAssigned};
use serde_json::Value;

use super::answer::{Call, Page, failed};
use super::session::TaskSession;
use crate::book::RuleBook;
use crate::evidence::{Arm, Pi};
use crate::ledger::{Ledger, RuleRecord};
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
    let look = Arms::of(&view, session.id(), book.settings()).look(call);
    let becomes_unit = session.may_be_a_unit() && view.becomes_unit(session.id());
    if look.entering.is_empty() && !becomes_unit {
        return call.answer_with(&look.page);
    }
    drop(look);
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
            let look = Arms::of(&view, &id, inner.settings()).look(&call);
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
            let trials = look.entering.iter().filter_map(|record| {
                let trial = record.open_trial()?;
                Some((&record.rule.id, trial))
            });
            for (rule, trial) in trials {
                let is_first = trial.name.kind == TrialKind::Trial && trial.t.is_none();
                events.push(
                    TrialAssigned {
                        rule: rule.clone(),
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
            let answer = call.answer_with(&look.page);
            drop(look);
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
            let arms = Arms::of(&view, session, book.settings());
            call.answer(&view, &|record| {
                arms.standing(record) == Standing::Settled { shown: true }
            })
        }
        Err(error) => failed(&error.to_string()),
    }
}

/// How a session stands to one live rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It entered, or cannot enter; the rule is shown or not, come what may.
    Settled { shown: bool },
    /// It has not entered yet and would be in this arm.
    Waiting { shown: bool },
}

/// A session's arms in everything that is running.
struct Arms<'a> {
    ledger: &'a Ledger,
    session: &'a SessionId,
    settings: &'a Settings,
    is_null: bool,
}

/// What a call of a session shows, and the rules whose trials it enters by it.
struct Look<'a> {
    page: Page<'a>,
    entering: Vec<&'a RuleRecord>,
}

impl<'a> Look<'a> {
    /// Goes through the rules, best first, until the answer is full. A rule that the session waits
    /// for makes a difference to the answer exactly if it would be on the page when shown: what is
    /// behind the end of the page is not there in either arm, and what is on it is missing when
    /// hidden.
    fn of(call: &Call, ledger: &'a Ledger, standing: impl Fn(&RuleRecord) -> Standing) -> Self {
        let mut page = Page::empty(call);
        let mut entering = Vec::new();
        for record in call.ranked(ledger) {
            if !page.has_room_for(record) {
                break;
            }
            let (is_shown, waits) = match standing(record) {
                Standing::Settled { shown } => (shown, false),
                Standing::Waiting { shown } => (shown, true),
            };
            if waits {
                entering.push(record);
            }
            if is_shown {
                page.show(record);
            }
        }
        entering.sort_by_key(|record| &record.rule.id);
        Self { page, entering }
    }
}

impl<'a> Arms<'a> {
    fn of(ledger: &'a Ledger, session: &'a SessionId, settings: &'a Settings) -> Self {
        Self {
            ledger,
            session,
            settings,
            is_null: ledger
                .key()
                .is_some_and(|key| key.in_null_arm(session.as_str())),
        }
    }

    fn look(&self, call: &Call) -> Look<'a> {
        Look::of(call, self.ledger, |record| self.standing(record))
    }

    /// An active rule that is not on trial for this session is shown, a candidate not.
    fn standing(&self, record: &RuleRecord) -> Standing {
        if self.is_null {
            return Standing::Settled { shown: false };
        }
        self.on_trial(record).unwrap_or(Standing::Settled {
            shown: record.status == RuleStatus::Active,
        })
    }

    /// `None` for a rule that is not on trial for this session.
    fn on_trial(&self, record: &RuleRecord) -> Option<Standing> {
        let trial = record.open_trial()?;
        if self.settings.provisional == Provisional::Never && trial.name.kind == TrialKind::Trial {
            return None;
        }
        let shown = |pi: Pi| Some(trial.arm(self.session, pi)? == Arm::Treated);
        if let Some(entry) = trial.entry(self.session) {
            return shown(entry.pi).map(|shown| Standing::Settled { shown });
        }
        if trial.takes_entries()
            && self.settings.judges(trial)
            && self.ledger.may_enter(self.session, trial)
        {
            return shown(trial.next_pi()).map(|shown| Standing::Waiting { shown });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use harness_core::RuleId;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::testing::{record, rule};

    const STANDINGS: [Standing; 4] = [
        Standing::Settled { shown: true },
        Standing::Settled { shown: false },
        Standing::Waiting { shown: true },
        Standing::Waiting { shown: false },
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        /// Both as EVIDENCE has it: each call is answered twice, with one rule shown and hidden and
        /// all others at their own arms, and the whole answers are compared.
        #[test]
        fn a_look_enters_what_answering_twice_says_and_shows_the_sessions_own_arms(
            rules in prop::collection::vec(
                ("(order|refund)( order| refund| late){0,2}", any::<bool>(), 0..4_usize),
                0..14,
            ),
            limit in 1..6_u64,
            searches in any::<bool>(),
        ) {
            let status = |is_active: bool| match is_active {
                true => RuleStatus::Active,
                false => RuleStatus::Candidate,
            };
            let records: Vec<RuleRecord> = (0..)
                .zip(&rules)
                .map(|(at, (text, is_active, _))| RuleRecord {
                    added_seq: at,
                    ..record(rule(&format!("r-{}", 97 - at), text), status(*is_active))
                })
                .collect();
            let standings: BTreeMap<RuleId, Standing> = records
                .iter()
                .zip(&rules)
                .map(|(record, (.., standing))| (record.rule.id.clone(), STANDINGS[*standing]))
                .collect();
            let ledger = Ledger::of(records);
            let call = match searches {
                true => Call::parse("harness_rules_search", &json!({"query": "order", "limit": limit})),
                false => Call::parse("harness_rules_read", &json!({})),
            }
            .expect("a call");
            let own = |record: &RuleRecord| match standings[&record.rule.id] {
                Standing::Settled { shown } | Standing::Waiting { shown } => shown,
            };
            let differs = |id: &RuleId| {
                let with = |shown: bool| {
                    call.answer(&ledger, &|record| match record.rule.id == *id {
                        true => shown,
                        false => own(record),
                    })
                };
                with(true) != with(false)
            };
            let expected: Vec<&RuleId> = standings
                .iter()
                .filter(|(_, standing)| matches!(standing, Standing::Waiting { .. }))
                .map(|(id, _)| id)
                .filter(|id| differs(id))
                .collect();
            let look = Look::of(&call, &ledger, |record| standings[&record.rule.id]);
            let found: Vec<&RuleId> = look.entering.iter().map(|record| &record.rule.id).collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(call.answer_with(&look.page), call.answer(&ledger, &own));
        }
    }
}
