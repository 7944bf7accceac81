//! What every simulation must show, however short: otherwise the mathematics is wrong.

use harness_rules::evidence::{Arm, Direction, Levels, Outcome, Pi};

use crate::bets::{Bets, Factors};
use crate::random::Random;
use crate::report::Report;
use crate::rows::USELESS;
use crate::runs::Runs;

/// What did not hold, in words.
pub(crate) fn broken(report: &Report) -> Vec<String> {
    let mut broken = Vec::new();
    for row in report.rows.iter().filter(|row| row.effect == USELESS) {
        let (low, _) = row.promoted.interval();
        if low > report.alpha {
            broken.push(format!(
                "a useless rule at baseline {} (drift {}) is promoted at {:.4}, more than alpha",
                row.baseline,
                row.drift,
                row.promoted.value()
            ));
        }
    }
    if report.principals.interval().0 > report.alpha {
        broken.push(format!(
            "an attacker promotes a useless rule at {:.4}, more than alpha",
            report.principals.value()
        ));
    }
    if let Some(engine) = report.overlaps.first()
        && engine.fdr > Levels::default().phi()
    {
        broken.push(format!(
            "the false discovery rate is {:.3}, more than phi",
            engine.fdr
        ));
    }
    for invalid in &report.invalid {
        // One variant is barely over: it is shown by its rate, all others by their interval too.
        if invalid.promoted.value() <= report.alpha {
            broken.push(format!(
                "the invalid variant `{}` promotes at {:.4} only: it no longer shows as invalid",
                invalid.variant,
                invalid.promoted.value()
            ));
        }
    }
    broken
}

/// Whether the products that screen are the evidence that decides, over random sessions.
pub(crate) fn products_are_the_evidence(factors: &Factors, runs: Runs) -> bool {
    const RUNS: usize = 50;
    const SESSIONS: usize = 400;
    const RELATIVE: f64 = 1e-10;
    let runs = Runs {
        trials: RUNS,
        ..runs
    };
    let agreed = runs.of("products", |mut random| {
        let mut bets = Bets::new(factors);
        (0..SESSIONS).all(|session| {
            let pi = Pi::of_entry(session as u64);
            bets.record(
                pi,
                any(&mut random, Arm::ALL),
                any(&mut random, Outcome::ALL),
            );
            [Direction::Benefit, Direction::Harm]
                .into_iter()
                .all(|direction| {
                    let exact = bets.exact(direction).as_f64();
                    (bets.estimate(direction) - exact).abs() <= RELATIVE * exact
                })
        })
    });
    agreed.into_iter().all(|agreed| agreed)
}

fn any<T: Copy, const N: usize>(random: &mut Random, of: [T; N]) -> T {
    of[random.below(N)]
}
