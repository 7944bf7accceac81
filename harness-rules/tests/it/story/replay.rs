//! A candidate's turns in replay.

use harness_core::{CaseId, CaseKind};
use harness_rules::evidence::{Arm, Pi};
use harness_store::wire::event::{
    Event, PendingReason, ReplayArm, ReplayRun, RunEnd, ValidationCandidateStarted,
    ValidationReplayCase, ValidationVerdict, VoidReason,
};

use super::{Story, id, key};
use crate::fixture::{FIRST, session_id};

impl Story {
    pub(super) fn turn(&mut self, rule: u8, lie: u8) {
        let trial = self.trial(rule);
        let name = trial.map_or(FIRST, |trial| trial.name);
        let before = trial.map_or(0, |trial| trial.replay.attempts);
        let case = |id: &str| CaseId::parse(id).unwrap();
        let mut failures = vec![case("c-f")];
        let mut wins = vec![case("c-w")];
        if lie == 2 {
            std::mem::swap(&mut failures, &mut wins);
        }
        if lie == 3 {
            wins.push(case("c-f"));
        }
        self.write(Event::ValidationCandidateStarted(
            ValidationCandidateStarted {
                rule: id(rule),
                trial: name,
                attempt: before + 1 + u32::from(lie == 1),
                attempts: 5,
                seeds: 3,
                failures,
                wins,
            },
        ));
    }

    pub(super) fn pair(&mut self, rule: u8, is_win: bool, result: i8, lie: u8) {
        let trial = self.trial(rule);
        let name = trial.map_or(FIRST, |trial| trial.name);
        let case = CaseId::parse(if is_win { "c-w" } else { "c-f" }).unwrap();
        let seed = trial.map_or(1, |trial| trial.replay.next_seed(&case)) + u64::from(lie == 1);
        let void = (lie == 2).then_some(VoidReason::Drift);
        let is_first = trial.is_some_and(|trial| trial.t.is_none()) && void.is_none();
        let t = (is_first != (lie == 3)).then(|| u64::from(self.keyed.next_t().get()));
        let heads = key(rule, name).arm(&format!("{case}\0{seed}"), Pi::Trial) == Arm::Treated;
        let mut run = |failed: bool| {
            self.sessions += 1;
            let session = match lie {
                4 => "s-1".to_owned(),
                5 => "run".to_owned(),
                _ => format!("run-{}", self.sessions),
            };
            ReplayRun {
                session: (lie != 6).then(|| session_id(&session)),
                end: match lie {
                    7 => RunEnd::NotStarted,
                    8 if failed => RunEnd::Unscored,
                    _ => RunEnd::Scored,
                },
                surfaced: lie != 9,
                outcome_failed: (lie == 10).then_some(!failed),
                target_failed: (lie != 11).then_some(failed),
            }
        };
        let (with, without) = (run(result < 0), run(result > 0));
        self.write(Event::ValidationReplayCase(Box::new(
            ValidationReplayCase {
                rule: id(rule),
                trial: name,
                kind: if is_win != (lie == 12) {
                    CaseKind::Win
                } else {
                    CaseKind::Failure
                },
                case,
                seed,
                first: if heads != (lie == 13) {
                    ReplayArm::With
                } else {
                    ReplayArm::Without
                },
                t,
                with,
                without,
                void,
            },
        )));
    }

    pub(super) fn end_turn(&mut self, rule: u8, pending: PendingReason, lie: u8) {
        let trial = self.trial(rule);
        let name = trial.map_or(FIRST, |trial| trial.name);
        let attempt = trial.map_or(1, |trial| trial.replay.attempts);
        let ((wins, losses), e_value, e_veto) = trial.map_or(((0, 0), 1.0, 1.0), |trial| {
            let pairs = &trial.replay.pairs;
            let numbers = (pairs.benefit().as_f64(), pairs.worst().as_f64());
            (pairs.target(), numbers.0, numbers.1)
        });
        self.write(Event::ValidationVerdict(ValidationVerdict {
            rule: id(rule),
            trial: name,
            attempt: attempt + u32::from(lie == 1),
            pending,
            wins: u64::from(wins) + u64::from(lie == 2),
            losses: u64::from(losses),
            e_value: if lie == 3 { e_value * 2.0 } else { e_value },
            e_veto: if lie == 4 { e_veto * 2.0 } else { e_veto },
        }));
    }
}
