//! Evidence is by one evaluator at one pair of error rates and under one key. A change of any of
//! them opens a trial anew, with nothing carried over; without a key nothing is decided. Hosts with
//! different evaluators do not take turns in that.

use harness_core::{CaseKind, RuleId, RuleStatus};
use harness_rules::evidence::{Arm, Levels, Pi};
use harness_rules::ledger::TrialState;
use harness_rules::{Decided, Desks, Scores, Settings};
use harness_store::wire::event::{Event, TrialKind, TrialName, TrialOpened};

use crate::fixture::{
    BREACH, FIRST, Live, Names, Place, advice, decide, evaluator, promote, proposal, rule_on_trial,
    shown, status,
};

use crate::replayed::{case, keep, replaying};

const SECOND: TrialName = TrialName {
    kind: TrialKind::Trial,
    opening: 2,
};

fn openings(place: &Place) -> Vec<TrialOpened> {
    let events = place.events().into_iter();
    events
        .filter_map(|event| match event {
            Event::TrialOpened(opened) => Some(opened),
            _ => None,
        })
        .collect()
}

/// That the second opening runs, has met nobody, and has a key of its own.
fn assert_anew(place: &Place, desks: &Desks, rule: &RuleId) {
    let view = desks.book.ledger().unwrap();
    let [first, second] = &view.rule(rule).unwrap().trials[..] else {
        panic!("two openings");
    };
    assert_eq!(
        (first.state, second.state),
        (TrialState::Ended, TrialState::Open)
    );
    assert_eq!((first.entered(), second.entered()), (1, 0));
    assert_eq!(
        (second.name, second.t, second.horizon),
        (SECOND, None, None)
    );
    drop(view);
    let openings = openings(place);
    assert_ne!(openings[0].commitment, openings[1].commitment);
    assert_eq!(openings[1].starting_e, 1.0);
    assert!(place.verify(rule).follows());
}

/// A place with one rule on trial, which one session has entered.
fn entered() -> (Place, Desks, RuleId, Live) {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let live = Live::begin(&desks, &Names::default().any());
    live.read();
    (place, desks, rule, live)
}

#[test]
fn another_evaluator() {
    let (place, desks, rule, live) = entered();
    assert_eq!(decide(&desks), Decided::default());
    let decided = desks.validation.decide(&evaluator("2")).unwrap();
    assert_eq!(decided.opened, [(rule.clone(), SECOND)]);
    assert_anew(&place, &desks, &rule);
    // Its session began before the opening; an outcome of it belongs to no trial any more.
    assert_eq!(shown(&live.read()), []);
    live.finish(&desks, true);
    assert_eq!((place.entries().len(), place.outcomes().len()), (1, 0));
    // The next one gets the next number.
    let mut names = Names::default();
    names.any();
    Live::begin(&desks, &names.any()).read();
    let entry = place.entries().pop().unwrap();
    assert_eq!((entry.trial, entry.t, entry.pi), (SECOND, Some(2), 0.1));
}

fn judged_by(version: &str) -> Settings {
    Settings {
        judge: Some(evaluator(version)),
        ..Settings::default()
    }
}

#[test]
fn one_that_had_its_turn_waits_until_the_other_is_gone() {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let mut names = Names::default();
    let look = |version: &str| {
        let decided = desks.validation.decide(&evaluator(version)).unwrap();
        assert!(decided.opened.len() <= 1);
        decided.opened.len()
    };
    let begin = |names: &mut Names, count: usize| {
        for _ in 0..count {
            Live::begin(&desks, &names.any());
        }
    };
    assert_eq!(look("2"), 1);
    // Whoever looks, and however often.
    for _ in 0..5 {
        assert_eq!((look("1"), look("2")), (0, 0));
    }
    // Nobody meets the second's trial in twenty sessions; a single one starts the count anew.
    begin(&mut names, 19);
    assert_eq!(look("1"), 0);
    Live::begin(&desks, &names.any()).read();
    assert_eq!(place.entries().len(), 1);
    begin(&mut names, 19);
    assert_eq!(look("1"), 0);
    begin(&mut names, 1);
    assert_eq!((look("2"), look("1")), (0, 1));
    // The next return takes twice as many, and a version that is new takes none.
    begin(&mut names, 39);
    assert_eq!(look("2"), 0);
    begin(&mut names, 1);
    assert_eq!(look("2"), 1);
    assert_eq!((look("3"), look("1"), look("2")), (1, 0, 0));
    assert_eq!(openings(&place).len(), 5);
    assert!(place.verify(&rule).follows());
}

#[test]
fn a_session_of_another_host_does_not_enter_and_its_twin_does() {
    for (version, enters) in [("1", true), ("2", false)] {
        let place = Place::new();
        let desks = place.open_with(judged_by("1"));
        let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
        drop(desks);
        let desks = place.open_with(judged_by(version));
        let name = Names::default().in_arm(&rule, FIRST, Pi::Ramp, Arm::Treated);
        let live = Live::begin(&desks, &name);
        assert_eq!(shown(&live.read()).contains(&rule), enters);
        assert_eq!(place.entries().len(), usize::from(enters));
    }
}

#[test]
fn a_turn_that_another_judged_has_no_score_in_either_arm() {
    for arm in [Arm::Treated, Arm::Control] {
        for (version, fired, y) in [
            ("1", false, 0),
            ("1", true, 1),
            ("2", false, 1),
            ("2", true, 1),
        ] {
            let place = Place::new();
            let desks = place.open_with(judged_by("1"));
            let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
            let name = Names::default().in_arm(&rule, FIRST, Pi::Ramp, arm);
            Live::begin(&desks, &name).read();
            drop(desks);
            let desks = place.open_with(judged_by(version));
            let live = Live::tools_of(&desks, &name);
            live.turn(&desks, if fired { &[BREACH] } else { &[] });
            live.close(&desks, Scores::Complete);
            let [outcome] = &place.outcomes()[..] else {
                panic!("one outcome");
            };
            assert_eq!(outcome.y, Some(y), "{arm:?} {version} {fired}");
            assert!(place.verify(&rule).follows());
        }
    }
}

#[test]
fn a_replay_is_run_by_its_own_judge() {
    for (version, runs) in [("1", true), ("2", false)] {
        let place = Place::new();
        let settings = |version: &str| Settings {
            replay: replaying().replay,
            ..judged_by(version)
        };
        let desks = place.open_with(settings("1"));
        keep(&desks, case("c-1", CaseKind::Failure, 0));
        rule_on_trial(&desks, "n-1", proposal(&advice('a')));
        drop(desks);
        let desks = place.open_with(settings(version));
        assert_eq!(desks.validation.begin_round().unwrap().is_some(), runs);
    }
}

#[test]
fn other_error_rates() {
    for levels in [
        Levels::new(0.04, 0.2).unwrap(),
        Levels::new(0.05, 0.1).unwrap(),
    ] {
        let (place, desks, rule, live) = entered();
        drop((desks, live));
        let desks = place.open_with(Settings {
            levels,
            ..Settings::default()
        });
        assert_eq!(decide(&desks).opened, [(rule.clone(), SECOND)]);
        assert_anew(&place, &desks, &rule);
        assert_eq!(decide(&desks), Decided::default());
    }
}

#[test]
fn another_key() {
    let (place, desks, rule, live) = entered();
    drop((desks, live));
    std::fs::write(place.key_file(), [8; 32]).unwrap();
    let desks = place.open();
    assert_eq!(decide(&desks).opened, [(rule.clone(), SECOND)]);
    assert_anew(&place, &desks, &rule);
}

#[test]
fn an_active_rules_holdout_starts_anew_too() {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    promote(&desks, &mut Names::default(), &rule);
    let decided = desks.validation.decide(&evaluator("2")).unwrap();
    let third = TrialName {
        kind: TrialKind::Holdout,
        opening: 3,
    };
    assert_eq!(decided.opened, [(rule.clone(), third)]);
    assert_eq!(status(&desks, &rule), RuleStatus::Active);
    assert!(place.verify(&rule).follows());
}

#[test]
fn without_the_key_nothing_is_decided_and_nobody_enters() {
    let (place, desks, rule, live) = entered();
    drop((desks, live));
    let key = std::fs::read(place.key_file()).unwrap();
    std::fs::remove_file(place.key_file()).unwrap();
    let desks = place.open();
    assert_eq!(decide(&desks), Decided::default());
    assert_eq!(
        desks.validation.decide(&evaluator("2")).unwrap(),
        Decided::default()
    );
    let mut names = Names::default();
    names.any();
    let live = Live::begin(&desks, &names.any());
    assert_eq!(shown(&live.read()), []);
    assert_eq!((place.entries().len(), openings(&place).len()), (1, 1));
    drop((desks, live));

    // With it back, the trial goes on where it stood.
    std::fs::write(place.key_file(), key).unwrap();
    let desks = place.open();
    assert_eq!(decide(&desks), Decided::default());
    let live = Live::begin(&desks, &names.any());
    live.read();
    assert_eq!(place.entries().pop().unwrap().trial, FIRST);
    assert_eq!(status(&desks, &rule), RuleStatus::Candidate);
}

#[test]
fn a_verdict_needs_no_key_to_be_believed() {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let mut names = Names::default();
    promote(&desks, &mut names, &rule);
    drop(desks);
    std::fs::remove_file(place.key_file()).unwrap();
    let desks = place.open();
    assert_eq!(status(&desks, &rule), RuleStatus::Active);
    assert_eq!(desks.book.ledger().unwrap().doubts(), []);
    // It is shown to whoever asks: without the key there is no holdout.
    let live = Live::begin(&desks, &names.any());
    assert_eq!(shown(&live.read()), [rule]);
}
