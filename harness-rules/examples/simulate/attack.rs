//! A principal who sees the arm and acts on it, against evidence that leaves each principal out.

use harness_rules::evidence::{Arm, ByPrincipal, Direction, EValue, Levels, Outcome, Pi, Verdict};
use std::num::NonZeroU32;

use crate::bets::{Bets, Factors};
use crate::random::Random;
use crate::rate::Rate;
use crate::runs::Runs;
use crate::trial::{Harm, Session, outcome, run, toss};

/// Equal principals, of whom the first attacks.
const PRINCIPALS: usize = 10;
const ATTACKER: usize = 0;

/// Failure rate of everyone else's sessions, which the rule does not change.
const BASELINE: f64 = 0.3;

/// Promotions of a useless rule with leave-one-out, as the engine does it.
pub(crate) fn with_leave_one_out(factors: &Factors, runs: Runs) -> Rate {
    let levels = Levels::default();
    let threshold = levels.promotion_threshold(NonZeroU32::MIN, 0);
    let horizon = levels.horizon(NonZeroU32::MIN, 0);
    let promoted = runs.of("attack", |mut random| {
        let mut trial = ByPrincipal::default();
        let mut without = vec![Bets::new(factors); PRINCIPALS];
        for _ in 0..horizon {
            let (principal, arm, outcome) = session(&mut random);
            trial.record(principal, Pi::Trial, arm, outcome);
            for (left_out, bets) in without.iter_mut().enumerate() {
                if left_out != principal {
                    bets.record(Pi::Trial, arm, outcome);
                }
            }
            let near = without
                .iter()
                .all(|bets| bets.near(Direction::Benefit, threshold));
            if near && trial.benefit(EValue::ONE).at_least(threshold) {
                return true;
            }
        }
        false
    });
    Rate::of(&promoted, |promoted| *promoted)
}

/// Promotions of the same rule by all sessions together: the invalid variant.
pub(crate) fn without_leave_one_out(factors: &Factors, runs: Runs) -> Rate {
    let ends = runs.of("attack unseen", |mut random| {
        run(factors, Harm::Stops, |_| -> Session {
            let (_, arm, outcome) = session(&mut random);
            Some((arm, outcome))
        })
    });
    Rate::ended(&ends, Verdict::Promoted)
}

/// The attacker behaves where the rule is shown and fails where it is hidden.
fn session(random: &mut Random) -> (usize, Arm, Outcome) {
    let principal = random.below(PRINCIPALS);
    let arm = toss(random);
    let outcome = match (principal, arm) {
        (ATTACKER, Arm::Treated) => Outcome::Fine,
        (ATTACKER, Arm::Control) => Outcome::Failed,
        _ => outcome(random, BASELINE),
    };
    (principal, arm, outcome)
}
