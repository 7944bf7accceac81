//! One session in twenty is shown no rule, for good; sessions that read rules while one is active
//! are units, by either arm alike, and what they come to says what all rules together change.

use harness_core::RuleId;
use harness_rules::{Desks, RuleBook, Scores, Settings};
use harness_store::wire::event::{
    Event, HealthState, OriginDoc, TrialObservedCause, WorthAssigned, WorthObserved,
};

use crate::fixture::{
    BREACH, Live, METRIC, Names, OTHER_METRIC, Place, advice, health, master, opened, promote,
    proposal, rule_on_trial, shown,
};

fn active() -> (Place, Desks, RuleId, Names) {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let mut names = Names::default();
    promote(&desks, &mut names, &rule);
    (place, desks, rule, names)
}

fn units(place: &Place) -> (Vec<WorthAssigned>, Vec<WorthObserved>) {
    let (mut assigned, mut observed) = (Vec::new(), Vec::new());
    for event in place.events() {
        match event {
            Event::WorthAssigned(event) => assigned.push(event),
            Event::WorthObserved(event) => observed.push(event),
            _ => {}
        }
    }
    (assigned, observed)
}

/// The first session of that series that is shown no rule.
fn null_name(series: &str) -> String {
    (0..)
        .map(|n| format!("{series}-{n}"))
        .find(|name| master().in_null_arm(name))
        .unwrap()
}

#[test]
fn only_a_session_that_reads_while_a_rule_is_active_is_one_and_once() {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let mut names = Names::default();
    Live::begin(&desks, &names.any()).read();
    assert_eq!(units(&place).0, []);
    promote(&desks, &mut names, &rule);
    assert_eq!(units(&place).0, []);
    // Neither listing nor asking for a status is reading, and a stranger is no session.
    let idle = Live::begin(&desks, "idle");
    idle.tools
        .call("harness_rules_list", &serde_json::Value::Null);
    Live::tools_of(&desks, "stranger").read();
    let recorded = Live::begin_as(&desks, opened("recorded", OriginDoc::Recorded, None));
    recorded.read();
    assert_eq!(units(&place).0, []);
    let live = Live::begin(&desks, "reader");
    live.turn(&desks, &[]);
    live.search("alph");
    live.read();
    let [unit] = &units(&place).0[..] else {
        panic!("{:?}", units(&place));
    };
    assert_eq!((unit.session.as_str(), unit.turn_index), ("reader", 1));
}

#[test]
fn a_session_of_the_null_arm_is_shown_nothing_and_is_a_unit_all_the_same() {
    let (place, desks, rule, mut names) = active();
    let null = Live::begin(&desks, &null_name("quiet"));
    assert_eq!(shown(&null.read()), []);
    let other = names.in_arm(
        &rule,
        crate::fixture::HOLDOUT,
        harness_rules::evidence::Pi::Holdout,
        harness_rules::evidence::Arm::Treated,
    );
    let other = Live::begin(&desks, &other);
    assert_eq!(shown(&other.read()), [rule]);
    assert_eq!(units(&place).0.len(), 2);
    null.finish(&desks, true);
    other.finish(&desks, false);
    let worth = desks.book.worth().unwrap();
    let arms = worth.arms.unwrap();
    assert_eq!((arms.null, arms.shown), ((1, 0), (0, 1)));
    assert!(arms.difference.estimate < 0.0 && arms.difference.high > 0.0);
    assert!(worth.since.is_some());
    // Who has no key cannot say which is which.
    let keyless = RuleBook::read_only(&place.reader(), Settings::default());
    assert_eq!(keyless.worth().unwrap().arms, None);
}

#[test]
fn any_condition_fails_it_and_an_outage_drops_it() {
    let (place, desks, _, mut names) = active();
    let mut unit = || {
        let live = Live::begin(&desks, &names.any());
        live.read();
        live
    };
    let [breaks, closes, misses, drops] = [unit(), unit(), unit(), unit()];
    breaks.turn(&desks, &[(BREACH.0, OTHER_METRIC)]);
    breaks.turn(&desks, &[(BREACH.0, METRIC)]);
    closes.turn(&desks, &[]);
    closes.close(&desks, Scores::Complete);
    misses.close(&desks, Scores::Missing);
    health(&desks, HealthState::Down);
    drops.turn(&desks, &[BREACH]);
    health(&desks, HealthState::Up);
    drops.close(&desks, Scores::Complete);
    breaks.close(&desks, Scores::Complete);
    let told: Vec<_> = units(&place)
        .1
        .into_iter()
        .map(|observed| (observed.y, observed.cause))
        .collect();
    assert_eq!(
        told,
        [
            (Some(1), TrialObservedCause::Condition),
            (Some(0), TrialObservedCause::Closed),
            (Some(1), TrialObservedCause::Missing),
            (None, TrialObservedCause::Outage),
        ]
    );
    let worth = desks.book.worth().unwrap();
    assert_eq!((worth.pending, worth.dropped), (0, 1));
    assert_eq!(desks.book.ledger().unwrap().doubts(), []);
}
