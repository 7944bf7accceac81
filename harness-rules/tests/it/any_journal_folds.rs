//! Whatever a journal says, the ledger folds it without a panic, and it and the second opinion,
//! which share no mathematics, say the same of every rule.

use harness_core::{Retirement, RuleId, RuleStatus};
use harness_rules::evidence::Arm;
use harness_rules::ledger::{DoubtKind, Ledger};
use harness_rules::verify::verify_all;
use harness_store::wire::Line;
use harness_store::wire::event::{Event, PendingReason};
use proptest::prelude::*;

use crate::story::{RULES, Step, Story, id};

impl Story {
    /// That both opinions, with and without the key, are one.
    fn assert_agreed(&self) {
        let mut promotions = 0;
        let mut all_follow = true;
        let mut verified = verify_all(self.lines.iter().cloned());
        for number in 0..RULES {
            let id = id(number);
            let told = |ledger: &Ledger| ledger.rule(&id).map(|record| record.status.as_str());
            let verification = verified.remove(&id);
            let second = verification.as_ref().map(|told| told.status);
            let second = second.filter(|status| *status != "refused");
            assert_eq!(told(&self.keyed), second, "{id}");
            assert_eq!(told(&self.keyless), second, "{id}");
            if let Some(told) = &verification {
                all_follow &= told.follows();
                let believed = told
                    .verdicts
                    .iter()
                    .filter(|verdict| verdict.fault.is_none());
                promotions += believed
                    .filter(|verdict| verdict.verdict == "promoted")
                    .count();
            }
            // What is said of a rule before it is proposed is said of nothing.
            let proposed =
                self.lines.iter().filter_map(Line::event).find(
                    |(_, event)| matches!(event, Event::RuleAdd(added) if added.rule.id == id),
                );
            let doubted = self.keyed.doubts().iter().any(|doubt| {
                about(&doubt.kind) == Some(&id)
                    && proposed.is_some_and(|(record, _)| record.seq <= doubt.seq)
            });
            assert!(
                !doubted || verification.is_some_and(|told| !told.follows()),
                "{id}"
            );
        }
        assert_eq!(promotions, self.keyed.promotions() as usize);
        assert_eq!(self.keyed.doubts(), self.keyless.doubts());
        assert!(all_follow || !self.keyed.doubts().is_empty());
    }

    fn status(&self, number: u8) -> RuleStatus {
        self.keyed.rule(&id(number)).unwrap().status
    }
}

/// The rule that a doubt is about; `None` where it may be another than the line's.
fn about(kind: &DoubtKind) -> Option<&RuleId> {
    match kind {
        DoubtKind::UnreadableRule
        | DoubtKind::UnknownRule(_)
        | DoubtKind::BadUnit(_)
        | DoubtKind::BadFilling(_) => None,
        DoubtKind::TextChanged(rule)
        | DoubtKind::RepeatedRule(rule)
        | DoubtKind::SecondProposal(rule)
        | DoubtKind::BadOpening(rule)
        | DoubtKind::BadEntry(rule)
        | DoubtKind::BadOutcome(rule)
        | DoubtKind::BadReplay(rule)
        | DoubtKind::BadKey(rule)
        | DoubtKind::Unfounded(rule) => Some(rule),
    }
}

/// Sessions in which a rule helps, or harms.
fn meetings(rule: u8, helps: bool) -> Vec<Step> {
    let meet = |arm, fails| Step::Meet {
        rule,
        arm,
        fails,
        principal: 0,
        lie: 0,
    };
    let pairs = [meet(Arm::Treated, !helps), meet(Arm::Control, helps)];
    pairs.repeat(10)
}

/// A true turn in replay, in which each pair comes out like that.
fn turned(rule: u8, result: i8, of_win: i8) -> Vec<Step> {
    let pair = |is_win, result| Step::Pair {
        rule,
        is_win,
        result,
        lie: 0,
    };
    let mut steps = vec![Step::Turn { rule, lie: 0 }];
    steps.extend([pair(true, of_win), pair(false, result)].repeat(3));
    steps.push(Step::EndTurn {
        rule,
        pending: PendingReason::Undecided,
        lie: 0,
    });
    steps
}

/// A true story of one rule that is replayed, and of what follows.
fn replayed(rule: u8, result: i8, of_win: i8) -> Vec<Step> {
    let mut steps = vec![Step::Propose { rule, lie: 0 }, Step::Open { rule, lie: 3 }];
    steps.extend(turned(rule, result, of_win));
    steps.extend(turned(rule, result, of_win));
    steps
}

/// A true story of one rule that becomes active.
fn promoted(rule: u8) -> Vec<Step> {
    let mut steps = vec![Step::Propose { rule, lie: 0 }, Step::Open { rule, lie: 0 }];
    steps.extend(meetings(rule, true));
    steps.extend([Step::Promote { rule, lie: 0 }, Step::Open { rule, lie: 0 }]);
    steps
}

/// A true story that reaches every status but one: `unproven` takes more sessions.
fn true_story() -> Vec<Step> {
    let reason = Retirement::Harmful;
    let mut steps = [promoted(0), promoted(1)].concat();
    steps.extend(meetings(0, false));
    steps.push(Step::Retire {
        rule: 0,
        reason,
        lie: 0,
    });
    steps.push(Step::Quarantine {
        because: 0,
        rules: [1, 1],
    });
    steps.push(Step::Open { rule: 1, lie: 0 });
    steps.extend([
        Step::Propose { rule: 2, lie: 0 },
        Step::Open { rule: 2, lie: 0 },
    ]);
    steps.extend(meetings(2, false));
    steps.push(Step::Retire {
        rule: 2,
        reason,
        lie: 0,
    });
    steps.push(Step::Propose { rule: 3, lie: 0 });
    let reason = Retirement::Operator;
    steps.push(Step::Retire {
        rule: 3,
        reason,
        lie: 0,
    });
    steps
}

#[test]
fn a_true_story_leaves_no_doubt() {
    let story = Story::of(&true_story());
    assert_eq!(story.keyed.doubts(), []);
    story.assert_agreed();
    assert_eq!(story.keyed.promotions(), 2);
    let statuses: Vec<_> = (0..RULES).map(|number| story.status(number)).collect();
    let retired = RuleStatus::Retired;
    assert_eq!(
        statuses,
        [
            retired(Retirement::Harmful),
            RuleStatus::Candidate,
            retired(Retirement::Harmful),
            retired(Retirement::Operator)
        ]
    );
}

#[test]
fn a_true_story_of_replays_leaves_no_doubt() {
    let verdicts = [(0, 1, 0), (1, 1, -1), (2, -1, 0), (3, 0, 0)];
    let mut steps = Vec::new();
    for (rule, result, of_win) in verdicts {
        steps.extend(replayed(rule, result, of_win));
    }
    steps.push(Step::Promote { rule: 0, lie: 0 });
    for (rule, reason) in [(1, Retirement::Unproven), (2, Retirement::Harmful)] {
        steps.push(Step::Retire {
            rule,
            reason,
            lie: 0,
        });
    }
    steps.push(Step::Open { rule: 3, lie: 0 });
    steps.extend(meetings(3, true));
    steps.push(Step::Promote { rule: 3, lie: 0 });
    let story = Story::of(&steps);
    assert_eq!(story.keyed.doubts(), []);
    story.assert_agreed();
    let statuses: Vec<_> = (0..RULES).map(|number| story.status(number)).collect();
    let retired = RuleStatus::Retired;
    assert_eq!(
        statuses,
        [
            RuleStatus::Active,
            retired(Retirement::Unproven),
            retired(Retirement::Harmful),
            RuleStatus::Active
        ]
    );
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let rule = || 0..RULES;
    let lie = |most: u8| prop_oneof![3 => Just(0), 1 => 1..=most];
    let arm = || prop::sample::select(Arm::ALL.to_vec());
    let reasons = vec![
        Retirement::Harmful,
        Retirement::Unproven,
        Retirement::Operator,
    ];
    let endings = vec![
        PendingReason::Undecided,
        PendingReason::AllVoid,
        PendingReason::BudgetSpent,
        PendingReason::Interrupted,
    ];
    let step = prop_oneof![
        2 => (rule(), lie(2)).prop_map(|(rule, lie)| vec![Step::Propose { rule, lie }]),
        3 => (rule(), lie(8)).prop_map(|(rule, lie)| vec![Step::Open { rule, lie }]),
        2 => (rule(), lie(3)).prop_map(|(rule, lie)| vec![Step::Turn { rule, lie }]),
        3 => (rule(), any::<bool>(), -1..2_i8, lie(13)).prop_map(
            |(rule, is_win, result, lie)| vec![Step::Pair { rule, is_win, result, lie }]
        ),
        2 => (rule(), prop::sample::select(endings), lie(4))
            .prop_map(|(rule, pending, lie)| vec![Step::EndTurn { rule, pending, lie }]),
        2 => (rule(), -1..2_i8, -1..2_i8)
            .prop_map(|(rule, result, of_win)| turned(rule, result, of_win)),
        2 => (rule(), -1..2_i8, -1..2_i8)
            .prop_map(|(rule, result, of_win)| replayed(rule, result, of_win)),
        4 => (rule(), arm(), any::<bool>(), 0..3_u8, lie(9)).prop_map(
            |(rule, arm, fails, principal, lie)| vec![Step::Meet { rule, arm, fails, principal, lie }]
        ),
        2 => (rule(), any::<bool>()).prop_map(|(rule, helps)| meetings(rule, helps)),
        2 => rule().prop_map(promoted),
        3 => (rule(), lie(8)).prop_map(|(rule, lie)| vec![Step::Promote { rule, lie }]),
        3 => (rule(), prop::sample::select(reasons), lie(5))
            .prop_map(|(rule, reason, lie)| vec![Step::Retire { rule, reason, lie }]),
        2 => (rule(), [rule(), rule()])
            .prop_map(|(because, rules)| vec![Step::Quarantine { because, rules }]),
    ];
    prop::collection::vec(step, 0..16).prop_map(|steps| steps.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn two_opinions_are_one(steps in steps()) {
        Story::of(&steps).assert_agreed();
    }

    /// A true story with anything thrown in.
    #[test]
    fn two_opinions_on_a_story_that_was_tampered_with(
        inserted in prop::collection::vec((any::<prop::sample::Index>(), steps()), 1..3),
        removed in any::<prop::sample::Index>(),
    ) {
        let mut story = true_story();
        story.remove(removed.index(story.len()));
        for (at, steps) in inserted {
            let at = at.index(story.len());
            story.splice(at..at, steps);
        }
        Story::of(&story).assert_agreed();
    }
}
