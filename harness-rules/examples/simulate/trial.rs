//! One forward trial over simulated sessions, decided by the engine's own functions.

use std::num::NonZeroU32;

use harness_rules::evidence::{
    Arm, Direction, EValue, Levels, OpenTrial, Outcome, Pi, Verdict, decide_all,
};

use crate::bets::{Bets, Factors};
use crate::random::Random;

/// How a trial ended, after how many sessions.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub(crate) verdict: Verdict,
    pub(crate) sessions: u32,
}

/// Whether a trial can end for harm. Where it cannot, a figure is about the benefit process alone.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Harm {
    Stops,
    Ignored,
}

/// What a session adds: its arm and outcome, or nothing where a (wrong) rule drops it.
pub(crate) type Session = Option<(Arm, Outcome)>;

/// Runs the first trial of a workspace (threshold 1/α, horizon 400) with π = .5 from the start.
/// `session` makes the session of that index.
pub(crate) fn run(factors: &Factors, harm: Harm, mut session: impl FnMut(u32) -> Session) -> End {
    let levels = Levels::default();
    let horizon = levels.horizon(NonZeroU32::MIN, 0);
    run_to(factors, harm, horizon, &mut session)
}

/// [`run`] with another horizon.
pub(crate) fn run_to(
    factors: &Factors,
    harm: Harm,
    horizon: u32,
    session: &mut impl FnMut(u32) -> Session,
) -> End {
    let levels = Levels::default();
    let t = NonZeroU32::MIN;
    let mut bets = Bets::new(factors);
    let mut sessions = 0;
    loop {
        if let Some((arm, outcome)) = session(sessions) {
            bets.record(Pi::Trial, arm, outcome);
        }
        sessions += 1;
        let near = bets.near(Direction::Benefit, levels.promotion_threshold(t, 0))
            || (harm == Harm::Stops && bets.near(Direction::Harm, levels.harm_threshold(t)));
        if !near && sessions < horizon {
            continue;
        }
        let now = OpenTrial {
            t,
            benefit: bets.exact(Direction::Benefit),
            harm: match harm {
                Harm::Stops => bets.exact(Direction::Harm),
                Harm::Ignored => EValue::ZERO,
            },
            entered: sessions,
            pending: 0,
            horizon,
        };
        if let Some(decision) = decide_all(&levels, 0, &[now], |_| true).first() {
            return End {
                verdict: decision.verdict,
                sessions,
            };
        }
    }
}

/// The arm of a session that has not entered yet, at π = .5.
pub(crate) fn toss(random: &mut Random) -> Arm {
    if random.chance(Pi::Trial.probability()) {
        Arm::Treated
    } else {
        Arm::Control
    }
}

/// The outcome of a session that fails with this probability.
pub(crate) fn outcome(random: &mut Random, failure: f64) -> Outcome {
    if random.chance(failure) {
        Outcome::Failed
    } else {
        Outcome::Fine
    }
}
