//! Hands to replay candidates: cases, a host that runs them, and turns from beginning to end.

use harness_core::{CaseId, CaseKind, EvalCase, SessionId, Signature};
use harness_rules::{
    Desks, ReplayBounds, ReplayPair, ReplayPlan, ReplayRound, ReplayTaken, RunOutcome, RunReport,
    Settings, TurnEnd,
};
use harness_store::Capture;
use harness_store::wire::event::{Event, ReplayArm, ValidationReplayCase};
use serde_json::json;

use crate::fixture::{Place, clean, session_id, shown, start};

/// Settings of a host that can replay.
pub(crate) fn replaying() -> Settings {
    Settings {
        replay: Some(ReplayBounds::default()),
        ..Settings::default()
    }
}

pub(crate) fn case_id(id: &str) -> CaseId {
    CaseId::parse(id).unwrap()
}

/// A case that can be replayed; failures have the signature of every notice here.
pub(crate) fn case(id: &str, kind: CaseKind, age: i64) -> EvalCase {
    EvalCase {
        id: case_id(id),
        created_at: start().plus_seconds(-age),
        session: session_id(&format!("of-{id}")),
        kind,
        signatures: match kind {
            CaseKind::Failure => vec![Signature::parse("breach:tool_correctness").unwrap()],
            CaseKind::Win => Vec::new(),
        },
        baseline: Vec::new(),
        replay_input: Some(clean("do it again")),
        notes: clean(""),
    }
}

pub(crate) fn keep(desks: &Desks, case: EvalCase) {
    let kept = desks.watch.capture_case(case).unwrap();
    assert!(matches!(kept, Capture::Kept { .. }), "{kept:?}");
}

/// Whether a run fails: by its case, whether its agent was shown the candidate, and its seed.
pub(crate) type Fails = fn(&EvalCase, bool, u64) -> bool;

/// A host whose agent reads the rules of `orders` and then fails or not. No two runs are alike.
#[derive(Default)]
pub(crate) struct Host(u32);

impl Host {
    pub(crate) fn session(&mut self) -> SessionId {
        self.0 += 1;
        session_id(&format!("run-{}", self.0))
    }

    pub(crate) fn run(&mut self, pair: &ReplayPair, arm: ReplayArm, fails: Fails) -> RunReport {
        let answer = pair
            .tools(arm)
            .call("harness_rules_read", &json!({ "scope": "orders" }));
        let saw = !shown(&answer).is_empty();
        assert_eq!(saw, arm == ReplayArm::With, "{answer}");
        RunReport {
            session: Some(self.session()),
            outcome: RunOutcome::Scored {
                outcome_failed: None,
                target_failed: fails(pair.case(), saw, pair.seed()),
            },
        }
    }

    pub(crate) fn pair(
        &mut self,
        desks: &Desks,
        round: &mut ReplayRound,
        pair: ReplayPair,
        fails: Fails,
    ) -> ReplayTaken {
        let [first, second] = pair.order().map(|arm| (arm, self.run(&pair, arm, fails)));
        let (with, without) = match first.0 {
            ReplayArm::With => (first.1, second.1),
            ReplayArm::Without => (second.1, first.1),
        };
        desks
            .validation
            .take(round, pair.ran(with, without))
            .unwrap()
    }

    /// All pairs of a turn, to its end.
    pub(crate) fn turn(
        &mut self,
        desks: &Desks,
        round: &mut ReplayRound,
        mut plan: ReplayPlan,
        fails: Fails,
    ) {
        while let Some(pair) = plan.next_pair() {
            assert_eq!(self.pair(desks, round, pair, fails), ReplayTaken::Counted);
        }
        desks.validation.end_turn(&plan, TurnEnd::AllRun).unwrap();
    }

    /// A round in which every candidate that waits has its turn; how many had.
    pub(crate) fn round(&mut self, desks: &Desks, fails: Fails) -> usize {
        let Some(mut round) = desks.validation.begin_round().unwrap() else {
            return 0;
        };
        let mut turns = 0;
        while let Some(plan) = desks.validation.next_turn(&mut round).unwrap() {
            self.turn(desks, &mut round, plan, fails);
            turns += 1;
        }
        desks.validation.end_round(round).unwrap();
        turns
    }
}

/// The pairs that were run, in order.
pub(crate) fn pairs(place: &Place) -> Vec<ValidationReplayCase> {
    place
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::ValidationReplayCase(pair) => Some(*pair),
            _ => None,
        })
        .collect()
}
