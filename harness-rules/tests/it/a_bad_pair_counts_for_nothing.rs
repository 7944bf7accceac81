//! A pair counts only if both runs are what they should be. Anything else is a line in the journal
//! that says why it counts for nothing; and a turn that is cut short decides nothing.

use harness_core::{CaseKind, RuleId, RuleStatus, SessionId};
use harness_rules::{
    Decided, Desks, ReplayBounds, ReplayPair, ReplayTaken, RunOutcome, RunReport, Settings, TurnEnd,
};
use harness_store::wire::event::{Event, PendingReason, ReplayArm, VoidReason};

use crate::fixture::{
    Live, Names, Place, add_rule, advice, decide, proposal, proposal_in, session_id, status,
};
use crate::replayed::{Host, case, keep, pairs, replaying};

fn candidate() -> (Place, Desks, RuleId) {
    let place = Place::new();
    let desks = place.open_with(replaying());
    keep(&desks, case("c-f1", CaseKind::Failure, 0));
    let rule = add_rule(&desks, "n-1", proposal(&advice('a')));
    decide(&desks);
    (place, desks, rule)
}

fn endings(place: &Place) -> Vec<PendingReason> {
    place
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::ValidationVerdict(ended) => Some(ended.pending),
            _ => None,
        })
        .collect()
}

fn scored(session: Option<SessionId>, failed: bool) -> RunReport {
    RunReport {
        session,
        outcome: RunOutcome::Scored {
            outcome_failed: None,
            target_failed: failed,
        },
    }
}

/// Reads the rules in both runs, as an agent would.
fn read(pair: &ReplayPair) {
    let mut host = Host::default();
    for arm in pair.order() {
        host.run(pair, arm, |_, _, _| false);
    }
}

#[test]
fn whatever_is_wrong_with_it_is_journaled_and_spends_nothing() {
    type Bad = fn(&ReplayPair) -> [RunReport; 2];
    let bad: [(VoidReason, Bad); 5] = [
        (VoidReason::NotSurfaced, |_| {
            ["a", "b"].map(|name| scored(Some(session_id(name)), name == "b"))
        }),
        (VoidReason::NotStarted, |pair| {
            read(pair);
            let mut runs = ["c", "d"].map(|name| scored(Some(session_id(name)), false));
            runs[0].outcome = RunOutcome::NotStarted;
            runs
        }),
        (VoidReason::Session, |pair| {
            read(pair);
            [scored(None, false), scored(Some(session_id("e")), true)]
        }),
        (VoidReason::Session, |pair| {
            read(pair);
            [false, true].map(|failed| scored(Some(session_id("twice")), failed))
        }),
        (VoidReason::Session, |pair| {
            read(pair);
            ["known", "f"].map(|name| scored(Some(session_id(name)), name == "f"))
        }),
    ];
    let (place, desks, rule) = candidate();
    Live::begin(&desks, "known");
    let mut round = desks.validation.begin_round().unwrap().unwrap();
    let mut plan = desks.validation.next_turn(&mut round).unwrap().unwrap();
    for (why, runs) in bad {
        let pair = plan.next_pair().unwrap();
        let [with, without] = runs(&pair);
        let taken = desks.validation.take(&mut round, pair.ran(with, without));
        assert_eq!(taken.unwrap(), ReplayTaken::Void(why));
    }
    desks.validation.end_turn(&plan, TurnEnd::AllRun).unwrap();
    desks.validation.end_round(round).unwrap();
    assert_eq!(endings(&place), [PendingReason::AllVoid]);
    assert!(
        pairs(&place)
            .iter()
            .all(|pair| pair.void.is_some() && pair.t.is_none())
    );
    assert_eq!(decide(&desks), Decided::default());
    let view = desks.book.ledger().unwrap();
    assert_eq!((view.doubts(), view.next_t().get()), (&[][..], 1));
    drop(view);
    assert!(place.verify(&rule).follows());
    // A pair that is as it should be counts, right after them.
    let mut round = desks.validation.begin_round().unwrap().unwrap();
    let mut plan = desks.validation.next_turn(&mut round).unwrap().unwrap();
    let pair = plan.next_pair().unwrap();
    let taken = Host::default().pair(&desks, &mut round, pair, |_, saw, _| !saw);
    assert_eq!(taken, ReplayTaken::Counted);
    assert_eq!(pairs(&place)[5].t, Some(1));
}

#[test]
fn what_the_host_calls_void_is_void_and_a_run_without_a_score_has_failed() {
    let (place, desks, _) = candidate();
    let mut round = desks.validation.begin_round().unwrap().unwrap();
    let mut plan = desks.validation.next_turn(&mut round).unwrap().unwrap();
    let mut host = Host::default();
    for why in [VoidReason::Seed, VoidReason::Drift] {
        let pair = plan.next_pair().unwrap();
        let [with, without] =
            [ReplayArm::With, ReplayArm::Without].map(|arm| host.run(&pair, arm, |_, _, _| false));
        let taken = desks
            .validation
            .take(&mut round, pair.void(why, with, without));
        assert_eq!(taken.unwrap(), ReplayTaken::Void(why));
    }
    let pair = plan.next_pair().unwrap();
    let [mut with, without] =
        [ReplayArm::With, ReplayArm::Without].map(|arm| host.run(&pair, arm, |_, _, _| false));
    with.outcome = RunOutcome::Unscored;
    let taken = desks.validation.take(&mut round, pair.ran(with, without));
    assert_eq!(taken.unwrap(), ReplayTaken::Counted);
    desks
        .validation
        .end_turn(&plan, TurnEnd::BudgetSpent)
        .unwrap();
    assert_eq!(endings(&place), [PendingReason::BudgetSpent]);
    let view = desks.book.ledger().unwrap();
    let record = view.live_rules().next().unwrap();
    let replay = &record.open_trial().unwrap().replay;
    assert_eq!((replay.pairs.target(), replay.void), ((0, 1), 2));
}

#[test]
fn the_outcome_comes_first_and_alike_is_alike() {
    use RunOutcome::Scored;
    let run = |outcome_failed, target_failed| Scored {
        outcome_failed,
        target_failed,
    };
    let (place, desks, _) = candidate();
    let mut round = desks.validation.begin_round().unwrap().unwrap();
    let mut plan = desks.validation.next_turn(&mut round).unwrap().unwrap();
    let mut host = Host::default();
    let table = [
        // With, without: won and lost so far.
        (run(Some(false), true), run(Some(true), false), (1, 0)),
        (run(Some(true), false), run(Some(false), true), (1, 1)),
        (run(Some(true), false), run(Some(true), true), (2, 1)),
        (run(None, true), run(Some(true), true), (2, 1)),
        (RunOutcome::Unscored, run(Some(false), true), (2, 2)),
    ];
    for (with_run, without_run, sums) in table {
        let pair = plan.next_pair().unwrap();
        let [mut with, mut without] =
            [ReplayArm::With, ReplayArm::Without].map(|arm| host.run(&pair, arm, |_, _, _| false));
        (with.outcome, without.outcome) = (with_run, without_run);
        let result = pair.ran(with, without);
        assert_eq!(
            desks.validation.take(&mut round, result).unwrap(),
            ReplayTaken::Counted
        );
        let view = desks.book.ledger().unwrap();
        let record = view.live_rules().next().unwrap();
        assert_eq!(record.open_trial().unwrap().replay.pairs.target(), sums);
    }
    desks.validation.end_turn(&plan, TurnEnd::AllRun).unwrap();
    assert_eq!(endings(&place), [PendingReason::Undecided]);
    let rule = desks
        .book
        .ledger()
        .unwrap()
        .live_rules()
        .next()
        .unwrap()
        .rule
        .id
        .clone();
    assert!(place.verify(&rule).follows());
}

#[test]
fn a_turn_that_was_cut_short_decides_nothing_and_the_next_round_is_anothers() {
    let place = Place::new();
    let desks = place.open_with(replaying());
    keep(&desks, case("c-f1", CaseKind::Failure, 0));
    keep(&desks, case("c-f2", CaseKind::Failure, 1));
    keep(&desks, case("c-w1", CaseKind::Win, 0));
    let rules = ['a', 'b'].map(|letter| {
        let scope = if letter == 'a' { "orders" } else { "stock" };
        add_rule(
            &desks,
            &format!("n-{letter}"),
            proposal_in(scope, &advice(letter)),
        )
    });
    decide(&desks);
    let mut host = Host::default();
    let mut served = Vec::new();
    for _ in 0..2 {
        let mut round = desks.validation.begin_round().unwrap().unwrap();
        let mut plan = desks.validation.next_turn(&mut round).unwrap().unwrap();
        served.push(plan.rule().clone());
        if *plan.rule() == rules[0] {
            // More than enough for a promotion, and a win to protect is still to come.
            while plan.left() > 1 {
                let pair = plan.next_pair().unwrap();
                host.pair(&desks, &mut round, pair, |_, saw, _| !saw);
            }
        }
        desks
            .validation
            .end_turn(&plan, TurnEnd::BudgetSpent)
            .unwrap();
        desks.validation.end_round(round).unwrap();
    }
    assert_eq!(served, rules);
    assert_eq!(decide(&desks), Decided::default());
    assert_eq!(status(&desks, &rules[0]), RuleStatus::Candidate);
    {
        let view = desks.book.ledger().unwrap();
        let trial = view.rule(&rules[0]).unwrap().open_trial().unwrap();
        assert!(trial.replay.pairs.benefit().at_least(20.0));
    }
    // The evidence is kept: one whole turn more, and it decides.
    let mut round = desks.validation.begin_round().unwrap().unwrap();
    let plan = desks.validation.next_turn(&mut round).unwrap().unwrap();
    assert_eq!(*plan.rule(), rules[0]);
    host.turn(&desks, &mut round, plan, |_, _, _| false);
    assert_eq!(decide(&desks).promoted, [rules[0].clone()]);
    assert!(place.verify(&rules[0]).follows());
}

#[test]
fn a_turn_whose_runner_is_gone_is_ended_and_one_round_runs_at_a_time() {
    let (place, desks, rule) = candidate();
    let mut round = desks.validation.begin_round().unwrap().unwrap();
    assert!(desks.validation.begin_round().unwrap().is_none());
    let mut plan = desks.validation.next_turn(&mut round).unwrap().unwrap();
    let late = plan.next_pair().unwrap();
    drop((round, plan));
    // As after a crash: nobody ended the turn, and nothing is decided of it.
    assert_eq!(decide(&desks), Decided::default());
    let mut round = desks.validation.begin_round().unwrap().unwrap();
    assert_eq!(endings(&place), [PendingReason::Interrupted]);
    let runs = ["x", "y"].map(|name| scored(Some(session_id(name)), false));
    read(&late);
    let [with, without] = runs;
    let taken = desks.validation.take(&mut round, late.ran(with, without));
    assert_eq!(taken.unwrap(), ReplayTaken::Stale);
    assert!(desks.validation.next_turn(&mut round).unwrap().is_some());
    assert!(place.verify(&rule).follows());
}

#[test]
fn a_case_that_is_gone_leaves_nothing_to_run_and_in_the_end_sessions_decide() {
    let (place, desks, _) = candidate();
    std::fs::remove_file(place.file("evalset/c-f1.json")).unwrap();
    let mut host = Host::default();
    let attempts = ReplayBounds::default().attempts;
    for _ in 0..attempts {
        assert_eq!(host.round(&desks, |_, _, _| false), 1);
    }
    assert_eq!(
        endings(&place),
        vec![PendingReason::NoCase; attempts as usize]
    );
    assert_eq!(decide(&desks).opened.len(), 1);
    let live = Live::begin(&desks, &Names::default().any());
    live.read();
    assert_eq!(place.entries().len(), 1);
}

#[test]
fn nobody_runs_a_round_where_nobody_can_replay() {
    let (place, desks, _) = candidate();
    drop(desks);
    let desks = place.open_with(Settings::default());
    assert!(desks.validation.begin_round().unwrap().is_none());
}
