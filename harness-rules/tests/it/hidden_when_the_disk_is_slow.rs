//! An entry is on disk before the answer leaves. Where that cannot be had in 250 ms, either arm
//! gets the answer without the rule, and nothing is entered: what the disk did tells no arm.

use std::fs::File;
use std::time::{Duration, Instant};

use harness_core::RuleId;
use harness_rules::Desks;
use harness_rules::evidence::{Arm, Pi};
use serde_json::{Value, json};

use crate::fixture::{
    FIRST, HOLDOUT, Live, Names, Place, add_rule, advice, arm_of, decide, promote, proposal,
    rule_on_trial, session_id, shown,
};

/// How long an answer may take for a lock that never comes, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Calls while another writer holds the workspace's lock.
fn while_locked<T>(place: &Place, call: impl FnOnce() -> T) -> T {
    let lock = File::options()
        .read(true)
        .write(true)
        .open(place.file("state/lock"))
        .unwrap();
    lock.lock().unwrap();
    let answer = call();
    lock.unlock().unwrap();
    answer
}

#[test]
fn either_arm_gets_the_hidden_answer_and_enters_later() {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let mut names = Names::default();
    let mut begin = |arm| Live::begin(&desks, &names.in_arm(&rule, FIRST, Pi::Ramp, arm));
    let (treated, control) = (begin(Arm::Treated), begin(Arm::Control));

    let began = Instant::now();
    let answers = while_locked(&place, || [treated.read(), control.read()]);
    assert!(began.elapsed() >= 2 * Duration::from_millis(250));
    assert!(began.elapsed() < PATIENCE);
    assert_eq!(answers[0], answers[1]);
    assert_eq!(shown(&answers[0]), []);
    assert_eq!(place.entries(), []);
    assert_eq!(treated.state.shown(), []);

    assert_eq!(shown(&treated.read()), [rule]);
    assert_eq!(shown(&control.read()), []);
    assert_eq!(place.entries().len(), 2);
}

#[test]
fn a_session_that_has_entered_keeps_its_arm_without_the_disk() {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let name = Names::default().in_arm(&rule, FIRST, Pi::Ramp, Arm::Treated);
    let live = Live::begin(&desks, &name);
    live.read();
    let answer = while_locked(&place, || live.read());
    assert_eq!(shown(&answer), [rule]);
}

/// An active rule that ranks first and a candidate that only comes into an answer of one rule where
/// the active one is hidden.
fn two_that_compete(place: &Place) -> (Desks, RuleId, RuleId) {
    let desks = place.open();
    let active = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    promote(&desks, &mut Names::default(), &active);
    let candidate = add_rule(&desks, "n-2", proposal(&format!("{} aalpha", advice('b'))));
    decide(&desks);
    (desks, active, candidate)
}

#[test]
fn hiding_one_rule_lets_no_other_in_that_the_session_has_not_entered() {
    let place = Place::new();
    let (desks, active, candidate) = two_that_compete(&place);
    let before = place.entries().len();
    let mut names = Names::default();
    let name = names.that(|name| {
        arm_of(&active, HOLDOUT, name, Pi::Holdout) == Arm::Treated
            && arm_of(&candidate, FIRST, name, Pi::Ramp) == Arm::Treated
            && desks
                .book
                .ledger()
                .unwrap()
                .session(&session_id(name))
                .is_none()
    });
    let live = Live::begin(&desks, &name);
    let search = || -> Value {
        let query = json!({ "query": "aalpha", "limit": 1 });
        live.tools.call("harness_rules_search", &query)
    };
    let answer = while_locked(&place, search);
    assert_eq!((&answer["ok"], shown(&answer)), (&json!(true), vec![]));
    assert_eq!(place.entries().len(), before);
    assert_eq!(shown(&search()), [active]);
    assert_eq!(place.entries().len(), before + 1);
}
