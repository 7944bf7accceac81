//! Where a host can replay, a candidate is tried on captured cases before any session sees it: it
//! is promoted on pairs that it wins, stopped by any one case that it harms, and goes on to a
//! forward trial with what was shown, never more.

use harness_core::{CaseKind, Retirement, RuleId, RuleStatus};
use harness_rules::evidence::EValue;
use harness_rules::{Decided, Desks, ReplayBounds, Settings};
use harness_store::wire::event::{Event, Path, RulePromote, TrialKind, TrialName, TrialOpened};

use crate::fixture::{
    FIRST, Live, Names, Place, add_rule, advice, decide, evaluator, proposal, shown, status,
};
use crate::replayed::{Host, case, keep, pairs, replaying};

const SECOND: TrialName = TrialName {
    kind: TrialKind::Trial,
    opening: 2,
};

fn openings(place: &Place) -> Vec<TrialOpened> {
    place
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::TrialOpened(opened) => Some(opened),
            _ => None,
        })
        .collect()
}

/// A place with two failures and a win, and a candidate in replay.
fn candidate() -> (Place, Desks, RuleId) {
    let place = Place::new();
    let desks = place.open_with(replaying());
    for (id, kind) in [
        ("c-f1", CaseKind::Failure),
        ("c-f2", CaseKind::Failure),
        ("c-w1", CaseKind::Win),
    ] {
        keep(&desks, case(id, kind, 0));
    }
    let rule = add_rule(&desks, "n-1", proposal(&advice('a')));
    assert_eq!(decide(&desks).opened, [(rule.clone(), FIRST)]);
    (place, desks, rule)
}

#[test]
fn only_where_somebody_can_and_a_case_that_can_be_run_shares_a_signature() {
    let unlike = |mut case: harness_core::EvalCase| {
        case.signatures.clear();
        case
    };
    let unplayable = |mut case: harness_core::EvalCase| {
        case.replay_input = None;
        case
    };
    let failure = || case("c-1", CaseKind::Failure, 0);
    for (settings, case, path) in [
        (replaying(), failure(), Path::Replay),
        (Settings::default(), failure(), Path::Forward),
        (replaying(), unlike(failure()), Path::Forward),
        (replaying(), unplayable(failure()), Path::Forward),
        (replaying(), case("c-1", CaseKind::Win, 0), Path::Forward),
    ] {
        let place = Place::new();
        let desks = place.open_with(settings);
        keep(&desks, case);
        add_rule(&desks, "n-1", proposal(&advice('a')));
        decide(&desks);
        assert_eq!(openings(&place)[0].path, path);
    }
}

#[test]
fn a_rule_that_wins_its_pairs_is_active_before_any_session_saw_it() {
    let (place, desks, rule) = candidate();
    let live = Live::begin(&desks, &Names::default().any());
    assert!(shown(&live.read()).is_empty() && place.entries().is_empty());
    assert_eq!(Host::default().round(&desks, |_, saw, _| !saw), 1);
    assert_eq!(status(&desks, &rule), RuleStatus::Candidate);
    let holdout = TrialName {
        kind: TrialKind::Holdout,
        opening: 2,
    };
    assert_eq!(
        decide(&desks),
        Decided {
            promoted: vec![rule.clone()],
            opened: vec![(rule.clone(), holdout)],
            ..Decided::default()
        }
    );
    assert_eq!(desks.book.ledger().unwrap().doubts(), []);
    let verification = place.verify(&rule);
    assert!(verification.follows(), "{verification:?}");
    let numbers = verification.verdicts[0].numbers.clone().unwrap();
    let replay = numbers.replay.unwrap();
    assert_eq!((replay.wins, replay.losses, replay.counted), (10, 0, 15));
    assert_eq!((numbers.t, numbers.entered), (Some(1), 15));
    assert!((numbers.e_value / harness_rules::evidence::paired(10, 0).as_f64() - 1.0).abs() < 1e-9);
    assert!(shown(&live.read()).contains(&rule));
}

#[test]
fn the_first_run_of_a_pair_is_by_a_coin_and_cases_are_the_newest() {
    let place = Place::new();
    let desks = place.open_with(replaying());
    for age in 0..5 {
        keep(&desks, case(&format!("c-f{age}"), CaseKind::Failure, age));
        keep(&desks, case(&format!("c-w{age}"), CaseKind::Win, age));
    }
    add_rule(&desks, "n-1", proposal(&advice('a')));
    decide(&desks);
    Host::default().round(&desks, |_, saw, _| !saw);
    let pairs = pairs(&place);
    let order: Vec<&str> = pairs
        .iter()
        .map(|pair| pair.case.as_str())
        .take(5)
        .collect();
    assert_eq!(order, ["c-w0", "c-w1", "c-f0", "c-f1", "c-f2"]);
    let seeds: Vec<u64> = pairs.iter().map(|pair| pair.seed).step_by(5).collect();
    assert_eq!(seeds, [1, 2, 3, 4, 5]);
    let with_first = pairs
        .iter()
        .filter(|pair| pair.first == harness_store::wire::event::ReplayArm::With)
        .count();
    assert!((5..=20).contains(&with_first), "{with_first}");
    let numbered: Vec<Option<u64>> = pairs.iter().map(|pair| pair.t).collect();
    assert_eq!(
        (numbered[0], numbered.iter().flatten().count()),
        (Some(1), 1)
    );
}

#[test]
fn harm_to_one_win_stops_a_rule_that_helps_everywhere_else() {
    let (place, desks, rule) = candidate();
    let mut host = Host::default();
    let hurts = |case: &harness_core::EvalCase, saw: bool, _| match case.kind {
        CaseKind::Win => saw,
        CaseKind::Failure => !saw,
    };
    for _ in 0..ReplayBounds::default().attempts {
        assert_eq!(decide(&desks), Decided::default());
        assert_eq!(host.round(&desks, hurts), 1);
    }
    let retired = (rule.clone(), Retirement::Unproven);
    assert_eq!(decide(&desks).retired, [retired]);
    assert_eq!(decide(&desks), Decided::default());
    let verification = place.verify(&rule);
    assert!(verification.follows(), "{verification:?}");
    let replay = verification.verdicts[0]
        .numbers
        .clone()
        .unwrap()
        .replay
        .unwrap();
    assert!(replay.vetoed && replay.wins == 30 && replay.e_veto > 3.0);
    assert_eq!(desks.book.ledger().unwrap().doubts(), []);
}

#[test]
fn a_rule_that_loses_its_pairs_is_harmful() {
    let (place, desks, rule) = candidate();
    Host::default().round(&desks, |_, saw, _| saw);
    assert_eq!(
        decide(&desks).retired,
        [(rule.clone(), Retirement::Harmful)]
    );
    assert!(place.verify(&rule).follows());
}

#[test]
fn an_undecided_replay_gives_its_evidence_and_number_to_the_forward_trial() {
    let (place, desks, rule) = candidate();
    let mut host = Host::default();
    // Each round: one pair is won, nine are alike.
    let little = |case: &harness_core::EvalCase, saw: bool, seed: u64| {
        case.id.as_str() == "c-f1" && seed.is_multiple_of(5) && !saw
    };
    for _ in 0..ReplayBounds::default().attempts {
        assert_eq!(decide(&desks), Decided::default());
        host.round(&desks, little);
    }
    assert_eq!(host.round(&desks, little), 0, "attempts are bounded");
    assert_eq!(decide(&desks).opened, [(rule.clone(), SECOND)]);
    let opened = &openings(&place)[1];
    let capital = harness_rules::evidence::paired(3, 0);
    assert_eq!(
        (opened.path, opened.starting_e),
        (Path::Forward, capital.as_f64())
    );
    {
        let view = desks.book.ledger().unwrap();
        let trial = view.rule(&rule).unwrap().open_trial().unwrap();
        assert_eq!(trial.t.map(std::num::NonZeroU32::get), Some(1));
        assert_eq!((trial.horizon, trial.capital), (None, capital));
    }
    let mut names = Names::default();
    for _ in 0..100 {
        let live = Live::begin(&desks, &names.any());
        let helped = shown(&live.read()).contains(&rule);
        live.finish(&desks, !helped);
        if decide(&desks).promoted.contains(&rule) {
            break;
        }
    }
    assert_eq!(status(&desks, &rule), RuleStatus::Active);
    let promoted = place.events().into_iter().find_map(|event| match event {
        Event::RulePromote(promoted) => Some(*promoted),
        _ => None,
    });
    let RulePromote { t, e_value, .. } = promoted.unwrap();
    let verification = place.verify(&rule);
    assert!(verification.follows(), "{verification:?}");
    let numbers = verification.verdicts[0].numbers.clone().unwrap();
    assert_eq!((t, numbers.t), (1, Some(1)));
    assert!((numbers.capital / capital.as_f64() - 1.0).abs() < 1e-9);
    assert_eq!(numbers.replay.map(|replay| replay.wins), Some(3));
    assert!((numbers.e_value / e_value - 1.0).abs() < 1e-9);
    assert_eq!(desks.book.ledger().unwrap().doubts(), []);
}

#[test]
fn evidence_against_goes_along_too_and_a_changed_judge_drops_it() {
    let lost = |case: &harness_core::EvalCase, saw: bool, seed: u64| {
        case.id.as_str() == "c-f1" && seed == 1 && saw
    };
    let (place, desks, _) = candidate();
    let mut host = Host::default();
    while host.round(&desks, lost) > 0 {
        let _ = decide(&desks);
    }
    let capital = harness_rules::evidence::paired(0, 1);
    assert!(capital < EValue::ONE);
    assert_eq!(openings(&place)[1].starting_e, capital.as_f64());

    let (place, desks, rule) = candidate();
    Host::default().round(&desks, lost);
    let opened = desks.validation.decide(&evaluator("2")).unwrap().opened;
    assert_eq!(opened, [(rule, SECOND)]);
    let opened = &openings(&place)[1];
    assert_eq!((opened.path, opened.starting_e), (Path::Replay, 1.0));
}

#[test]
fn where_nobody_can_replay_any_more_the_forward_trial_goes_on() {
    let (place, desks, rule) = candidate();
    Host::default().round(&desks, |_, _, _| false);
    drop(desks);
    let desks = place.open();
    assert_eq!(decide(&desks).opened, [(rule, SECOND)]);
    assert_eq!(openings(&place)[1].path, Path::Forward);
}
