//! A scope has a budget of active rules, and it holds at promotion: a rule that has proven itself
//! waits, with its trial open, until there is room. People are told once for each time that a scope
//! fills up.

use harness_core::{CaseKind, RuleId, RuleStatus};
use harness_rules::evidence::Arm;
use harness_rules::verify::verify;
use harness_rules::{Decided, Desks, Ledger, MAX_ACTIVE_A_SCOPE, RunOutcome, RunReport, TurnEnd};
use harness_sanitize::{Gate, Intake, Redactor};
use harness_store::wire::Line;
use harness_store::wire::event::{Event, Path, ReplayArm, ScopeFull};
use harness_store::{Fold, MAX_COMMIT, Original};
use serde_json::json;

use crate::fixture::{
    FIRST, HOLDOUT, Live, Names, Place, add_rule, advice, arm_of, clean, decide, proposal, rule_id,
    scope, shown, status,
};
use crate::replayed::{Host, case, keep, replaying};

/// Sessions that prove a rule that always helps, whatever its number: half of them see it.
const ENOUGH: usize = 60;

/// Makes the rules of these numbers active in the scope `orders`, by another program's word.
fn take_over(place: &Place, desks: &Desks, numbers: std::ops::Range<usize>) {
    let folder = place.paths.config_dir.join(format!("of-{}", numbers.start));
    std::fs::create_dir_all(&folder).unwrap();
    let count = numbers.len();
    let lines: String = numbers
        .map(|number| {
            let text =
                ["keep", "its", "old", "place", "here"].map(|word| format!("{word}{number}"));
            let doc = json!({
                "id": old(number).as_str(), "created_at": "2026-11-30T09:00:00.000000+00:00",
                "rule": text.join(" "),
                "rationale": "it was so", "source_notice_id": null, "metric": null,
                "status": "active", "tags": [], "trial": null, "scope": "orders",
                "applicability": "topical", "failure_signatures": [],
            });
            format!("{doc}\n")
        })
        .collect();
    std::fs::write(folder.join("rules.jsonl"), lines).unwrap();
    let intake = Intake::new(Gate::default(), Redactor::patterns_only());
    let original = Original::read(&folder, &intake).unwrap();
    assert_eq!(desks.operator.import(original).unwrap().rules.len(), count);
}

fn old(number: usize) -> RuleId {
    rule_id(&format!("r-old-{number}"))
}

/// Runs sessions of an agent that fails unless it is shown the rule, in either arm by turns, until
/// the rule is active or they are enough; says whether it is.
fn prove(desks: &Desks, names: &mut Names, rule: &RuleId, letter: char) -> bool {
    for number in 0..ENOUGH {
        let pi = {
            let view = desks.book.ledger().unwrap();
            view.rule(rule).unwrap().open_trial().unwrap().next_pi()
        };
        let arm = [Arm::Treated, Arm::Control][number % 2];
        let name = names.that(|name| arm_of(rule, FIRST, name, pi) == arm);
        let live = Live::begin(desks, &name);
        // Only this rule's own words, so that no other trial is entered.
        let helped = shown(&live.search(&advice(letter))).contains(rule);
        assert_eq!(helped, arm == Arm::Treated);
        live.finish(desks, !helped);
        let decided = decide(desks);
        assert!(decided.promoted.iter().all(|promoted| promoted == rule));
        if !decided.promoted.is_empty() {
            return true;
        }
    }
    false
}

fn fillings(place: &Place) -> Vec<ScopeFull> {
    let events = place.events().into_iter();
    events
        .filter_map(|event| match event {
            Event::ScopeFull(full) => Some(full),
            _ => None,
        })
        .collect()
}

/// Summaries of the notices that wait, as their files say them.
fn told(place: &Place) -> Vec<String> {
    let folder = std::fs::read_dir(place.file("mailbox/pending")).unwrap();
    folder
        .map(|file| {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let notice: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(notice["severity"], "needs_human");
            notice["summary"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// A place with room for one more, and two candidates.
fn nearly_full() -> (Place, Desks, [RuleId; 2]) {
    let place = Place::new();
    let desks = place.open();
    take_over(&place, &desks, 1..MAX_ACTIVE_A_SCOPE);
    let rules = [('a', "n-1"), ('b', "n-2")]
        .map(|(letter, id)| add_rule(&desks, id, proposal(&advice(letter))));
    decide(&desks);
    assert_eq!(fillings(&place), []);
    (place, desks, rules)
}

#[test]
fn the_last_place_is_taken_and_the_next_rule_waits_for_another() {
    let (place, desks, [first, second]) = nearly_full();
    let mut names = Names::default();
    assert!(prove(&desks, &mut names, &first, 'a'));
    let full = ScopeFull {
        scope: scope("orders"),
        active: MAX_ACTIVE_A_SCOPE as u64,
    };
    assert_eq!(fillings(&place), std::slice::from_ref(&full));
    let [summary] = &told(&place)[..] else {
        panic!("one notice");
    };
    assert!(summary.contains("orders has 32 active rules"), "{summary}");
    // People's, not the repair agent's.
    assert_eq!(desks.repair.episodes(crate::fixture::later()).unwrap(), []);

    assert!(!prove(&desks, &mut names, &second, 'b'));
    assert_eq!(status(&desks, &second), RuleStatus::Candidate);
    assert_eq!(desks.book.ledger().unwrap().promotions(), 1);
    assert_eq!(fillings(&place).len(), 1);
    drop(desks);
    let desks = place.open();
    assert_eq!(decide(&desks), Decided::default());

    // No session more is needed: the evidence was there.
    let entered = place.entries().len();
    desks
        .operator
        .retire(&old(7), clean("it makes room"))
        .unwrap();
    let decided = decide(&desks);
    assert_eq!(decided.promoted, std::slice::from_ref(&second));
    assert_eq!(decided.opened, [(second.clone(), HOLDOUT)]);
    assert_eq!(place.entries().len(), entered);
    // It has filled up once more.
    assert_eq!(fillings(&place), [full.clone(), full]);
    assert_eq!(told(&place).len(), 2);
    assert!(place.verify(&second).follows());
    assert_eq!(desks.book.ledger().unwrap().doubts(), []);
}

#[test]
fn a_promotion_without_room_is_not_believed() {
    let (place, desks, [first, second]) = nearly_full();
    let mut names = Names::default();
    assert!(prove(&desks, &mut names, &first, 'a'));
    assert!(!prove(&desks, &mut names, &second, 'b'));
    let reason = clean("it makes room");
    desks.operator.retire(&old(7), reason).unwrap();
    assert_eq!(decide(&desks).promoted, std::slice::from_ref(&second));

    // The same journal, but for the line that made the room.
    let is_gone = |line: &Line| matches!(line.event(), Some((_, Event::RuleRetire(gone))) if gone.id == old(7));
    for without in [false, true] {
        let lines = place.lines().into_iter();
        let lines: Vec<Line> = lines.filter(|line| !(without && is_gone(line))).collect();
        let mut ledger = Ledger::new(None);
        for line in &lines {
            ledger.apply(line);
        }
        let verified = verify(&second, lines.into_iter()).unwrap();
        assert_eq!(verified.follows(), !without);
        assert_eq!(ledger.doubts().is_empty(), !without);
        let status = ledger.rule(&second).unwrap().status;
        assert_eq!(status == RuleStatus::Active, !without);
        assert_eq!(verified.status == "active", !without);
    }
}

#[test]
fn what_replay_has_proven_waits_too_and_no_session_is_asked() {
    let place = Place::new();
    let desks = place.open_with(replaying());
    keep(&desks, case("c-f1", CaseKind::Failure, 0));
    keep(&desks, case("c-f2", CaseKind::Failure, 0));
    let rule = add_rule(&desks, "n-1", proposal(&advice('a')));
    take_over(&place, &desks, 0..MAX_ACTIVE_A_SCOPE);
    decide(&desks);
    // Brought by another program, and people are told all the same.
    assert_eq!(fillings(&place).len(), 1);

    let mut host = Host::default();
    for _ in 0..desks.book.settings().replay.unwrap().attempts {
        let mut round = desks.validation.begin_round().unwrap().unwrap();
        let mut plan = desks.validation.next_turn(&mut round).unwrap().unwrap();
        while let Some(pair) = plan.next_pair() {
            let mut run = |arm: ReplayArm| {
                let tools = pair.tools(arm);
                let answer = tools.call("harness_rules_read", &json!({ "scope": "orders" }));
                RunReport {
                    session: Some(host.session()),
                    outcome: RunOutcome::Scored {
                        outcome_failed: None,
                        target_failed: !shown(&answer).contains(&rule),
                    },
                }
            };
            let (with, without) = (run(ReplayArm::With), run(ReplayArm::Without));
            let _ = desks.validation.take(&mut round, pair.ran(with, without));
        }
        desks.validation.end_turn(&plan, TurnEnd::AllRun).unwrap();
        desks.validation.end_round(round).unwrap();
        assert_eq!(decide(&desks), Decided::default());
    }
    // Every attempt is used up, and it is no forward trial that goes on.
    let view = desks.book.ledger().unwrap();
    let trial = view.rule(&rule).unwrap().open_trial().unwrap();
    assert_eq!((trial.name, trial.path), (FIRST, Path::Replay));
    drop(view);
    desks
        .operator
        .retire(&old(7), clean("it makes room"))
        .unwrap();
    assert_eq!(decide(&desks).promoted, std::slice::from_ref(&rule));
    assert!(place.verify(&rule).follows());
}

#[test]
fn what_another_program_brought_is_held_out_however_much_it_is() {
    let (place, brought) = (Place::new(), MAX_COMMIT + 4);
    let desks = place.open();
    take_over(&place, &desks, 0..brought);
    assert_eq!(decide(&desks).opened.len(), brought);
    assert_eq!(decide(&desks), Decided::default());
    let view = desks.book.ledger().unwrap();
    assert!(view.rules().all(|rule| rule.open_trial().is_some()));
}
