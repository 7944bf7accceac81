//! A rule becomes active by the evidence of a randomised trial, and by nothing else; a second
//! opinion derives the same numbers from the journal alone.

use harness_core::{Retirement, RuleId, RuleStatus};
use harness_rules::evidence::{Arm, Levels, Pi};
use harness_rules::{Decided, Desks, Settings};
use harness_store::wire::event::{
    CloseReason, Event, OriginDoc, RulePromote, SessionClosed, TrialAssigned, TrialKind, TrialName,
    TrialObserved, TrialObservedCause,
};

use crate::fixture::{
    FIRST, HOLDOUT, Live, Names, Place, add_rule, add_rule_for, advice, decide, notice, opened,
    promote, proposal, proposal_in, rule_on_trial, session_id, shown, status,
};

fn promotion(place: &Place, rule: &RuleId) -> RulePromote {
    let found = place.events().into_iter().find_map(|event| match event {
        Event::RulePromote(promoted) if promoted.rule.id == *rule => Some(*promoted),
        _ => None,
    });
    found.expect("the rule was promoted")
}

fn close_to(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < 1e-9
}

/// A session of an agent that fails unless it reads the rule; whether it entered treated.
fn agent_session(desks: &Desks, name: &str, rule: &RuleId) -> bool {
    let live = Live::begin(desks, name);
    let treated = shown(&live.read()).contains(rule);
    live.finish(desks, !treated);
    treated
}

#[test]
fn a_rule_that_helps_becomes_active_and_a_restart_in_between_changes_nothing() {
    let place = Place::new();
    let mut desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let mut names = Names::default();
    let (mut treated, mut control) = (0, 0);
    let decided = loop {
        assert_eq!(status(&desks, &rule), RuleStatus::Candidate);
        match agent_session(&desks, &names.any(), &rule) {
            true => treated += 1,
            false => control += 1,
        }
        if (treated + control) % 10 == 0 {
            drop(desks);
            desks = place.open();
        }
        let decided = decide(&desks);
        if decided != Decided::default() {
            break decided;
        }
        assert!(treated + control < 150, "no verdict yet");
    };
    assert_eq!(
        decided,
        Decided {
            promoted: vec![rule.clone()],
            opened: vec![(rule.clone(), HOLDOUT)],
            ..Decided::default()
        }
    );
    assert_eq!(status(&desks, &rule), RuleStatus::Active);
    assert_eq!(desks.book.ledger().unwrap().doubts(), []);

    let claimed = promotion(&place, &rule);
    let verification = place.verify(&rule);
    assert!(verification.follows(), "{verification:?}");
    assert_eq!(verification.status, "active");
    let numbers = verification.verdicts[0].numbers.clone().unwrap();
    assert_eq!(
        (numbers.treated, numbers.control),
        ((0, treated), (control, 0))
    );
    assert_eq!(numbers.entered, treated + control);
    assert_eq!(
        (numbers.t, numbers.promotions, numbers.principals),
        (Some(1), 0, 1)
    );
    assert!(close_to(numbers.e_value, claimed.e_value), "{numbers:?}");
    assert!(
        close_to(numbers.threshold, claimed.threshold),
        "{numbers:?}"
    );

    drop(desks);
    let desks = place.open();
    assert_eq!(status(&desks, &rule), RuleStatus::Active);
    assert_eq!(decide(&desks), Decided::default());
}

#[test]
fn a_rule_that_changes_nothing_stays_a_candidate() {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let mut names = Names::default();
    // Half of each arm fails: 2 treated and 18 controls while π is .1, 12 and 12 afterwards.
    let ramp = [(Arm::Treated, 2), (Arm::Control, 18)].map(|arm| (Pi::Ramp, arm));
    let rest = [(Arm::Treated, 12), (Arm::Control, 12)].map(|arm| (Pi::Trial, arm));
    for (pi, (arm, sessions)) in ramp.into_iter().chain(rest) {
        for n in 0..sessions {
            let live = Live::begin(&desks, &names.in_arm(&rule, FIRST, pi, arm));
            assert_eq!(shown(&live.read()).contains(&rule), arm == Arm::Treated);
            live.finish(&desks, n % 2 == 0);
            assert_eq!(decide(&desks), Decided::default());
        }
    }
    assert_eq!(status(&desks, &rule), RuleStatus::Candidate);
    let verification = place.verify(&rule);
    assert!(verification.follows() && verification.verdicts.is_empty());
    assert_eq!(verification.status, "candidate");
}

#[test]
fn one_principal_alone_promotes_nothing_that_another_does_not_bear_out() {
    let run = |second: Option<&str>| {
        let place = Place::new();
        let desks = place.open();
        let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
        let mut names = Names::default();
        let mut promoted = false;
        // One principal who sees the arm acts on it; another, with one session, fails in any arm.
        let principals = std::iter::once(second).chain(std::iter::repeat(Some("first")));
        for principal in principals.take(45) {
            let name = names.any();
            let live = Live::begin_as(&desks, opened(&name, OriginDoc::Live, principal));
            let helped = shown(&live.read()).contains(&rule);
            live.finish(&desks, !helped || principal != Some("first"));
            promoted |= decide(&desks).promoted.contains(&rule);
        }
        assert!(place.verify(&rule).follows());
        promoted
    };
    assert!(run(Some("first")));
    assert!(!run(Some("second")));
}

#[test]
fn a_principal_whose_session_is_still_open_has_to_bear_it_out_too() {
    for (other, expected) in [("first", true), ("second", false)] {
        let place = Place::new();
        let desks = place.open();
        let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
        let mut names = Names::default();
        let begin = |name: &str, principal: &str| {
            let live = Live::begin_as(&desks, opened(name, OriginDoc::Live, Some(principal)));
            let helped = shown(&live.read()).contains(&rule);
            (live, helped)
        };
        let (waiting, _) = begin(&names.any(), other);
        let mut promoted = false;
        for number in 1..45 {
            let pi = Pi::of_entry(number);
            let arm = [Arm::Treated, Arm::Control][number as usize % 2];
            let (live, helped) = begin(&names.in_arm(&rule, FIRST, pi, arm), "first");
            live.finish(&desks, !helped);
            promoted |= decide(&desks).promoted.contains(&rule);
        }
        assert_eq!(promoted, expected);
        waiting.finish(&desks, false);
        assert!(place.verify(&rule).follows());
    }
}

#[test]
fn a_harmful_candidate_is_retired_and_a_later_promotion_needs_more() {
    let place = Place::new();
    let desks = place.open();
    let bad = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let mut names = Names::default();
    let mut retired = Vec::new();
    for _ in 0..150 {
        let live = Live::begin(&desks, &names.any());
        let harmed = shown(&live.read()).contains(&bad);
        live.finish(&desks, harmed);
        retired = decide(&desks).retired;
        if !retired.is_empty() {
            break;
        }
    }
    assert_eq!(retired, [(bad.clone(), Retirement::Harmful)]);
    let verification = place.verify(&bad);
    assert!(verification.follows(), "{verification:?}");
    assert_eq!(
        (verification.status, verification.verdicts[0].verdict),
        ("retired", "harmful")
    );

    let good = rule_on_trial(&desks, "n-2", proposal(&advice('b')));
    promote(&desks, &mut names, &good);
    let claimed = promotion(&place, &good);
    // The second trial, with no promotion before it: 2^1.5 · 2.612 / .2.
    assert_eq!((claimed.t, claimed.promotions), (2, 0));
    assert!(
        (claimed.threshold - 36.94).abs() < 0.01,
        "{}",
        claimed.threshold
    );
    assert!(claimed.e_value >= claimed.threshold);
    assert!(place.verify(&good).follows());
}

/// A trial of 128 sessions at the laxest levels, and an opening that has met all but one of them.
fn nearly_spent(place: &Place) -> (Desks, RuleId, u32) {
    let settings = || Settings {
        levels: Levels::new(0.9, 0.999).unwrap(),
        ..Settings::default()
    };
    let desks = place.open_with(settings());
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    drop(desks);

    // What sessions leave behind, in four commits.
    let horizon = 128;
    let mut names = Names::default();
    let wait = std::time::Duration::from_secs(60);
    let halves = place.halves();
    let pi = |n: u32| if n < 20 { Pi::Ramp } else { Pi::Trial };
    // One in ten is treated while π is .1, then one in two; half of each arm fails.
    let arm = |n: u32| match n % if n < 20 { 10 } else { 2 } {
        0 => Arm::Treated,
        _ => Arm::Control,
    };
    let fails = |n: u32| (n / 2).is_multiple_of(2);
    let sessions: Vec<String> = (0..horizon - 1)
        .map(|n| names.in_arm(&rule, FIRST, pi(n), arm(n)))
        .collect();
    let opened = |name: &String| opened(name, OriginDoc::Live, None).into();
    let assigned = |(name, n): (&String, u32)| TrialAssigned {
        rule: rule.clone(),
        trial: FIRST,
        session: session_id(name),
        pi: pi(n).probability(),
        t: (n == 0).then_some(1),
        turn_index: 0,
    };
    let observed = |(name, n): (&String, u32)| TrialObserved {
        rule: rule.clone(),
        trial: FIRST,
        session: session_id(name),
        y: Some(u8::from(fails(n))),
        cause: match fails(n) {
            true => TrialObservedCause::Condition,
            false => TrialObservedCause::Closed,
        },
        turn_index: None,
    };
    let closed = |name: &String| SessionClosed {
        session: session_id(name),
        turns: 1,
        reason: CloseReason::Host,
    };
    let numbered = || sessions.iter().zip(0..);
    let watch = &halves.watch;
    watch
        .append(wait, sessions.iter().map(opened).collect())
        .unwrap();
    let entries = numbered().map(assigned).map(Into::into).collect();
    halves.entries.append(wait, entries).unwrap();
    watch
        .append(wait, numbered().map(observed).map(Into::into).collect())
        .unwrap();
    watch
        .append(wait, sessions.iter().map(closed).map(Into::into).collect())
        .unwrap();
    drop(halves);
    (place.open_with(settings()), rule, horizon)
}

#[test]
fn the_horizon_stops_entries_and_then_the_rule_is_unproven() {
    let place = Place::new();
    let (desks, rule, horizon) = nearly_spent(&place);
    assert_eq!(desks.book.ledger().unwrap().doubts(), []);
    assert_eq!(decide(&desks), Decided::default());
    let mut names = Names::default();
    let unused = |name: &str| {
        desks
            .book
            .ledger()
            .unwrap()
            .session(&session_id(name))
            .is_none()
    };

    let last = Live::begin(&desks, &names.that(unused));
    let one_too_many = Live::begin(&desks, &names.that(unused));
    last.read();
    assert_eq!(shown(&one_too_many.read()), []);
    assert_eq!(place.entries().len() as u32, horizon);
    assert_eq!(place.entries().pop().unwrap().session, *last.state.id());

    // Its last session is still open.
    assert_eq!(decide(&desks), Decided::default());
    last.finish(&desks, true);
    assert_eq!(
        decide(&desks).retired,
        [(rule.clone(), Retirement::Unproven)]
    );
    let verification = place.verify(&rule);
    assert!(verification.follows(), "{verification:?}");
    assert_eq!(verification.verdicts[0].verdict, "unproven");
    assert_eq!(
        verification.verdicts[0].numbers.clone().unwrap().entered,
        u64::from(horizon)
    );
}

#[test]
fn an_active_rule_that_harms_is_retired_and_what_descends_from_it_is_quarantined() {
    let place = Place::new();
    let desks = place.open();
    let mut names = Names::default();
    let parent = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    promote(&desks, &mut names, &parent);

    let mut failing = notice("n-2");
    failing.shown_rules = vec![parent.clone()];
    // In scopes of their own, so that no session meets two of the three.
    let child = add_rule_for(&desks, failing, proposal_in("stock", &advice('b')));
    let stranger = add_rule(&desks, "n-3", proposal_in("dates", &advice('c')));
    assert_eq!(decide(&desks).opened.len(), 2);
    promote(&desks, &mut names, &child);
    promote(&desks, &mut names, &stranger);

    // Now those fail that see the parent, and those do not that are held out.
    let mut decided = Decided::default();
    for n in 0..200 {
        let arm = if n % 4 == 0 {
            Arm::Control
        } else {
            Arm::Treated
        };
        let live = Live::begin(&desks, &names.in_arm(&parent, HOLDOUT, Pi::Holdout, arm));
        let harmed = shown(&live.read()).contains(&parent);
        assert_eq!(harmed, arm == Arm::Treated);
        live.finish(&desks, harmed);
        decided = decide(&desks);
        if !decided.retired.is_empty() {
            break;
        }
    }
    assert_eq!(decided.retired, [(parent.clone(), Retirement::Harmful)]);
    assert_eq!(decided.quarantined, vec![child.clone()]);
    assert_eq!(status(&desks, &child), RuleStatus::Candidate);
    assert_eq!(status(&desks, &stranger), RuleStatus::Active);
    let reopened = TrialName {
        kind: TrialKind::Trial,
        opening: 3,
    };
    assert_eq!(decide(&desks).opened, [(child.clone(), reopened)]);
    for rule in [&parent, &child, &stranger] {
        let verification = place.verify(rule);
        assert!(verification.follows(), "{verification:?}");
        assert_eq!(verification.status, status(&desks, rule).as_str());
    }
    let view = desks.book.ledger().unwrap();
    assert_eq!(view.doubts(), []);
    // A promotion counts for ever, whatever became of the rule.
    assert_eq!(view.promotions(), 3);
}

#[test]
fn a_verdict_names_who_judged() {
    let (place, mut names) = (Place::new(), Names::default());
    let desks = place.open();
    let good = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    promote(&desks, &mut names, &good);
    let bad = rule_on_trial(&desks, "n-2", proposal_in("stock", &advice('b')));
    for _ in 0..200 {
        let live = Live::begin(&desks, &names.any());
        let harmed = live.read_scope("stock");
        live.finish(&desks, shown(&harmed).contains(&bad));
        if !decide(&desks).retired.is_empty() {
            break;
        }
    }
    assert_eq!(
        status(&desks, &bad),
        RuleStatus::Retired(Retirement::Harmful)
    );
    let who = "judged by embedded 1";
    assert!(promotion(&place, &good).reason.contains(who));
    let notes: Vec<String> = place
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::RuleRetire(retired) => Some(retired.note?.as_str().to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(notes, [who]);
}
