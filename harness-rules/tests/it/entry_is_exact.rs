//! A session enters a trial at its first call whose answer differs between the arms: exactly then,
//! exactly once, and with the probability that is due.

use harness_core::{RuleId, RuleStatus};
use harness_rules::evidence::{Arm, Pi};
use harness_rules::{Desks, Provisional, Scores, Settings};
use harness_store::wire::event::{OriginDoc, TrialAssigned};
use serde_json::{Value, json};

use crate::fixture::{
    FIRST, HOLDOUT, Live, Names, Place, add_rule, advice, arm_of, decide, master, opened, promote,
    proposal, proposal_in, rule_on_trial, session_id, shown, status,
};

/// A place with one rule on trial.
fn on_trial() -> (Place, Desks, RuleId) {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    (place, desks, rule)
}

#[test]
fn only_a_call_whose_answer_differs_enters() {
    let (place, desks, rule) = on_trial();
    let name = Names::default().any();
    let live = Live::begin(&desks, &name);
    live.tools.call("harness_rules_list", &json!({}));
    live.tools
        .call("harness_rule_status", &json!({ "rule_id": rule.as_str() }));
    live.read_scope("global");
    live.search("nothing that matches");
    live.tools
        .call("harness_rules_read", &json!({ "scope": "../orders" }));
    live.tools
        .call("harness_rules_write", &json!({ "scope": "orders" }));
    assert_eq!(place.entries(), []);

    live.search("aalpha");
    let entries = place.entries();
    assert_eq!(entries.len(), 1);
    assert_eq!((&entries[0].rule, entries[0].trial), (&rule, FIRST));
    assert_eq!(
        (entries[0].session.as_str(), entries[0].t),
        (name.as_str(), Some(1))
    );
    live.search("aalpha");
    live.read();
    assert_eq!(place.entries(), entries);
}

#[test]
fn a_search_cut_short_before_the_rule_does_not_enter() {
    let (place, desks, older) = on_trial();
    let mut names = Names::default();
    promote(&desks, &mut names, &older);
    // It shares one word with the active rule, which ranks first whatever the words say.
    let candidate = add_rule(
        &desks,
        "n-2",
        proposal(&format!("{} aalpha aalpha", advice('b'))),
    );
    decide(&desks);
    let entered = |place: &Place| {
        let entries = place.entries();
        entries
            .iter()
            .filter(|entry| entry.rule == candidate)
            .count()
    };
    let shows_older = names.in_arm(&older, HOLDOUT, Pi::Holdout, Arm::Treated);
    let live = Live::begin(&desks, &shows_older);
    let search = |limit: u64| json!({ "query": "aalpha", "limit": limit });
    live.tools.call("harness_rules_search", &search(1));
    assert_eq!(entered(&place), 0);
    live.tools.call("harness_rules_search", &search(2));
    assert_eq!(entered(&place), 1);

    // Held out from the active rule, the same call of another session shows the candidate.
    let hides_older = names.in_arm(&older, HOLDOUT, Pi::Holdout, Arm::Control);
    let live = Live::begin(&desks, &hides_older);
    live.tools.call("harness_rules_search", &search(1));
    assert_eq!(entered(&place), 2);
}

#[test]
fn pi_is_a_tenth_for_twenty_entries_and_a_half_from_then_on() {
    let (place, desks, rule) = on_trial();
    let mut names = Names::default();
    for n in 0..23 {
        let name = names.any();
        let live = Live::begin(&desks, &name);
        let pi = if n < 20 { Pi::Ramp } else { Pi::Trial };
        let treated = arm_of(&rule, FIRST, &name, pi) == Arm::Treated;
        assert_eq!(shown(&live.read()).contains(&rule), treated);
    }
    let entries = place.entries();
    let pis: Vec<f64> = entries.iter().map(|entry| entry.pi).collect();
    assert_eq!(pis, [[0.1; 20].as_slice(), [0.5; 3].as_slice()].concat());
    let numbers: Vec<_> = entries.iter().filter_map(|entry| entry.t).collect();
    assert_eq!((numbers, entries[0].t), (vec![1], Some(1)));
}

#[test]
fn a_session_keeps_the_pi_of_its_entry() {
    let (_place, desks, rule) = on_trial();
    let mut names = Names::default();
    // Treated at a half, not at a tenth: it enters among the first twenty and sees nothing ever.
    let early = names.that(|name| {
        arm_of(&rule, FIRST, name, Pi::Ramp) == Arm::Control
            && arm_of(&rule, FIRST, name, Pi::Trial) == Arm::Treated
    });
    let early = Live::begin(&desks, &early);
    assert_eq!(shown(&early.read()), []);
    for _ in 0..20 {
        Live::begin(&desks, &names.any()).read();
    }
    assert_eq!(shown(&early.read()), []);
}

#[test]
fn one_call_enters_every_trial_that_it_makes_matter() {
    let (place, desks, one) = on_trial();
    let two = add_rule(&desks, "n-2", proposal(&advice('b')));
    let elsewhere = add_rule(&desks, "n-3", proposal_in("stock", &advice('c')));
    assert_eq!(decide(&desks).opened.len(), 2);
    let mut names = Names::default();
    let live = Live::begin(&desks, &names.any());
    live.read();
    let mut entered: Vec<_> = place
        .entries()
        .into_iter()
        .map(|entry| entry.rule)
        .collect();
    entered.sort();
    let mut both = vec![one, two];
    both.sort();
    assert_eq!(entered, both);
    live.read_scope("stock");
    let entries = place.entries();
    assert_eq!(entries[2].rule, elsewhere);
    // Trials are numbered in the order in which they are first entered.
    let numbers: Vec<_> = entries.iter().map(|entry| entry.t).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3)]);
    Live::begin(&desks, &names.any()).read();
    assert!(place.entries()[3..].iter().all(|entry| entry.t.is_none()));
}

#[test]
fn the_turn_of_entry_is_the_one_that_goes_on() {
    let (place, desks, _) = on_trial();
    let live = Live::begin(&desks, &Names::default().any());
    live.turn(&desks, &[]);
    live.turn(&desks, &[]);
    live.read();
    assert_eq!(place.entries()[0].turn_index, 2);
}

#[test]
fn sessions_that_take_no_part_never_enter_and_never_see_it() {
    let place = Place::new();
    let desks = place.open();
    let mut names = Names::default();
    let before = Live::begin(&desks, &names.any());
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));

    let mut treated = || names.in_arm(&rule, FIRST, Pi::Ramp, Arm::Treated);
    let recorded = Live::begin_as(&desks, opened(&treated(), OriginDoc::Recorded, None));
    let unknown = Live::tools_of(&desks, &treated());
    let closed = Live::begin(&desks, &treated());
    closed.close(&desks, Scores::Complete);
    let null = (0..).map(|n| format!("null-{n}")).find(|name| {
        master().in_null_arm(name) && arm_of(&rule, FIRST, name, Pi::Ramp) == Arm::Treated
    });
    let null = Live::begin(&desks, &null.unwrap());
    for (what, live) in [
        ("begun before the opening", &before),
        ("recorded", &recorded),
        ("unknown", &unknown),
        ("closed", &closed),
        ("null arm", &null),
    ] {
        assert_eq!(shown(&live.read()), [], "{what}");
        assert_eq!(place.entries(), [], "{what}");
    }
    // The twin that does take part.
    let live = Live::begin(&desks, &treated());
    assert_eq!(shown(&live.read()), [rule]);
    assert_eq!(place.entries().len(), 1);
}

#[test]
fn who_has_no_session_or_asked_for_no_trials_never_sees_a_candidate() {
    let (place, desks, rule) = on_trial();
    let read = json!({ "scope": "orders" });
    let unassigned = desks.book.unassigned_reader();
    assert_eq!(shown(&unassigned.call("harness_rules_read", &read)), []);
    let full = desks.book.full_reader();
    assert_eq!(
        shown(&full.call("harness_rules_read", &read)),
        vec![rule.clone()]
    );
    drop((desks, unassigned, full));

    let settings = |provisional| Settings {
        provisional,
        ..Settings::default()
    };
    let name = Names::default().in_arm(&rule, FIRST, Pi::Ramp, Arm::Treated);
    let desks = place.open_with(settings(Provisional::Never));
    let live = Live::begin(&desks, &name);
    assert_eq!((shown(&live.read()), place.entries().len()), (vec![], 0));
    drop((desks, live));
    let desks = place.open_with(settings(Provisional::Trial));
    let live = Live::tools_of(&desks, &name);
    assert_eq!(
        (shown(&live.read()), place.entries().len()),
        (vec![rule], 1)
    );
}

#[test]
fn the_treated_see_it_labelled_and_the_controls_see_nothing_of_it() {
    let (_place, desks, rule) = on_trial();
    let mut names = Names::default();
    let treated = Live::begin(&desks, &names.in_arm(&rule, FIRST, Pi::Ramp, Arm::Treated));
    let control = Live::begin(&desks, &names.in_arm(&rule, FIRST, Pi::Ramp, Arm::Control));
    let calls: [fn(&Live) -> Value; 2] = [Live::read, |live| live.search("orders")];
    for call in calls {
        let answer = call(&treated);
        assert_eq!(answer["rules"][0]["status"], "provisional");
        assert_eq!(answer["rules"][0]["rule"], advice('a'));
        let answer = call(&control).to_string();
        assert!(
            !answer.contains(rule.as_str()) && !answer.contains("aalpha"),
            "{answer}"
        );
    }
    assert_eq!(treated.state.shown(), [rule]);
    assert_eq!(control.state.shown(), []);
}

#[test]
fn list_and_status_are_alike_in_every_arm() {
    let (place, desks, rule) = on_trial();
    let mut names = Names::default();
    let answers = |live: &Live| -> [Value; 2] {
        let status = json!({ "rule_id": rule.as_str() });
        [
            live.tools.call("harness_rules_list", &json!({})),
            live.tools.call("harness_rule_status", &status),
        ]
    };
    let treated = Live::begin(&desks, &names.in_arm(&rule, FIRST, Pi::Ramp, Arm::Treated));
    let control = Live::begin(&desks, &names.in_arm(&rule, FIRST, Pi::Ramp, Arm::Control));
    let before = answers(&treated);
    assert_eq!(before, answers(&control));
    treated.read();
    control.read();
    assert_eq!(place.entries().len(), 2);
    assert_eq!([&before, &before], [&answers(&treated), &answers(&control)]);
    assert_eq!(before[1]["status"], "candidate");
    let told = before[1].to_string();
    assert!(
        !told.contains("aalpha") && !told.contains("trial"),
        "{told}"
    );
}

#[test]
fn an_active_rule_is_held_out_from_a_tenth() {
    let (place, desks, rule) = on_trial();
    let mut names = Names::default();
    let begun_before = Live::begin(&desks, &names.any());
    promote(&desks, &mut names, &rule);
    assert_eq!(status(&desks, &rule), RuleStatus::Active);
    let entered = place.entries().len();

    // Whoever began before the promotion is in no holdout and sees what is active.
    assert_eq!(shown(&begun_before.read()), vec![rule.clone()]);
    assert_eq!(place.entries().len(), entered);

    let held_out = Live::begin(
        &desks,
        &names.in_arm(&rule, HOLDOUT, Pi::Holdout, Arm::Control),
    );
    assert_eq!(shown(&held_out.read()), []);
    let shows = Live::begin(
        &desks,
        &names.in_arm(&rule, HOLDOUT, Pi::Holdout, Arm::Treated),
    );
    let answer = shows.read();
    assert_eq!(answer["rules"][0]["status"], "active");
    let entries = &place.entries()[entered..];
    assert_eq!(entries.len(), 2);
    for entry in entries {
        assert_eq!((entry.trial, entry.pi, entry.t), (HOLDOUT, 0.9, None));
    }

    // The null arm sees no rule at all, and enters nothing.
    let null = (0..)
        .map(|n| format!("null-{n}"))
        .find(|name| master().in_null_arm(name));
    let null = Live::begin(&desks, &null.unwrap());
    assert_eq!(shown(&null.read()), []);
    assert_eq!(place.entries().len(), entered + 2);
}

#[test]
fn what_an_entry_tells_is_not_the_arm() {
    let (place, desks, rule) = on_trial();
    let mut names = Names::default();
    for arm in [Arm::Treated, Arm::Control] {
        Live::begin(&desks, &names.in_arm(&rule, FIRST, Pi::Ramp, arm)).read();
    }
    let [treated, control] = place.entries().try_into().unwrap();
    let hidden = |mut entry: TrialAssigned| {
        entry.session = session_id("any");
        entry.t = None;
        entry
    };
    assert_eq!(hidden(treated), hidden(control));
}
