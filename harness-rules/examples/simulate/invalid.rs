//! Rules of promotion that look natural and are not valid: each promotes a useless rule far more
//! often than α. They are kept so that nobody adopts one of them.

use std::num::NonZeroU32;

use harness_rules::evidence::{Arm, Direction, Levels, Outcome, Pi, Verdict, paired};

use crate::attack::without_leave_one_out;
use crate::bets::{Bets, Factors};
use crate::random::Random;
use crate::rate::Rate;
use crate::runs::Runs;
use crate::trial::{Harm, outcome, run, run_to, toss};

/// One variant and how often it promotes a useless rule.
pub(crate) struct Invalid {
    pub(crate) variant: &'static str,
    pub(crate) promoted: Rate,
}

/// All variants.
pub(crate) fn variants(factors: &Factors, runs: Runs) -> Vec<Invalid> {
    vec![
        Invalid {
            variant: "one hash per session for all rules, beside a real rule",
            promoted: one_hash(factors, runs),
        },
        Invalid {
            variant: "every turn multiplies",
            promoted: every_turn(factors, runs),
        },
        Invalid {
            variant: "provisional 0, replaced by 1",
            promoted: provisional(factors, runs),
        },
        Invalid {
            variant: "treated counts only if it read the rule",
            promoted: only_readers(factors, runs),
        },
        Invalid {
            variant: "treated counts only if it read the rule, paired",
            promoted: only_readers_paired(runs),
        },
        Invalid {
            variant: "unscored sessions dropped, the rule hides 30 % of its failures",
            promoted: unscored_dropped(factors, runs),
        },
        Invalid {
            variant: "an attacker with 10 % of the sessions who sees the arm, no leave-one-out",
            promoted: without_leave_one_out(factors, runs),
        },
    ]
}

/// The useless rule has the arms of a rule that halves failures, so it looks as good.
fn one_hash(factors: &Factors, runs: Runs) -> Rate {
    const BASELINE: f64 = 0.4;
    const REAL_EFFECT: f64 = 0.5;
    let ends = runs.of("one hash", |mut random| {
        run(factors, Harm::Ignored, |_| {
            let arm = toss(&mut random);
            let failure = match arm {
                Arm::Treated => BASELINE * REAL_EFFECT,
                Arm::Control => BASELINE,
            };
            Some((arm, outcome(&mut random, failure)))
        })
    });
    Rate::ended(&ends, Verdict::Promoted)
}

/// Eight turns a session, each multiplied as if it were a session; but sessions go well or badly as
/// a whole, so one session's arm is bet on eight times. Base .3 of all turns.
fn every_turn(factors: &Factors, runs: Runs) -> Rate {
    const TURNS: u32 = 8;
    const BAD: f64 = 0.75;
    const GOOD: f64 = 0.05;
    const BAD_SHARE: f64 = (0.3 - GOOD) / (BAD - GOOD);
    let horizon = Levels::default().horizon(NonZeroU32::MIN, 0) * TURNS;
    let ends = runs.of("every turn", |mut random| {
        let (mut arm, mut failure) = (Arm::Control, GOOD);
        run_to(factors, Harm::Ignored, horizon, &mut |turn| {
            if turn % TURNS == 0 {
                arm = toss(&mut random);
                failure = if random.chance(BAD_SHARE) { BAD } else { GOOD };
            }
            Some((arm, outcome(&mut random, failure)))
        })
    });
    Rate::ended(&ends, Verdict::Promoted)
}

/// Each session counts as fine from its entry on and is corrected when it closes, 20 sessions later:
/// while many are open, the evidence is not a supermartingale. Base .7.
fn provisional(factors: &Factors, runs: Runs) -> Rate {
    const BASELINE: f64 = 0.7;
    const OPEN: usize = 20;
    let levels = Levels::default();
    let threshold = levels.promotion_threshold(NonZeroU32::MIN, 0);
    let horizon = levels.horizon(NonZeroU32::MIN, 0) as usize;
    let promoted = runs.of("provisional", |mut random| {
        let sessions: Vec<(Arm, Outcome)> = (0..horizon)
            .map(|_| (toss(&mut random), outcome(&mut random, BASELINE)))
            .collect();
        let mut closed = Bets::new(factors);
        (1..=horizon).any(|entered| {
            let first_open = entered.saturating_sub(OPEN);
            if let Some(just_closed) = first_open.checked_sub(1) {
                let (arm, outcome) = sessions[just_closed];
                closed.record(Pi::Trial, arm, outcome);
            }
            let mut now = closed.clone();
            for (arm, _) in &sessions[first_open..entered] {
                now.record(Pi::Trial, *arm, Outcome::Fine);
            }
            now.near(Direction::Benefit, threshold)
                && now.exact(Direction::Benefit).at_least(threshold)
        })
    });
    Rate::of(&promoted, |promoted| *promoted)
}

/// Half of all sessions are careful: they fail half as often, whatever they are shown, and they
/// alone read what they are shown.
const CARELESS: f64 = 0.4;
const CAREFUL: f64 = 0.2;

fn careful(random: &mut Random) -> (bool, Outcome) {
    let careful = random.chance(0.5);
    let failure = if careful { CAREFUL } else { CARELESS };
    (careful, outcome(random, failure))
}

/// Treated sessions that did not read the rule are left out.
fn only_readers(factors: &Factors, runs: Runs) -> Rate {
    let ends = runs.of("only readers", |mut random| {
        run(factors, Harm::Ignored, |_| {
            let arm = toss(&mut random);
            let (careful, outcome) = careful(&mut random);
            (careful || arm == Arm::Control).then_some((arm, outcome))
        })
    });
    Rate::ended(&ends, Verdict::Promoted)
}

/// The same in replay, over 40 rounds of 5 seeds: pairs whose treated run did not read are left out.
fn only_readers_paired(runs: Runs) -> Rate {
    const PAIRS: u32 = 40 * 5;
    let threshold = Levels::default().promotion_threshold(NonZeroU32::MIN, 0);
    let promoted = runs.of("only readers, paired", |mut random| {
        let (mut wins, mut losses) = (0, 0);
        (0..PAIRS).any(|_| {
            let (read, treated) = careful(&mut random);
            let (_, control) = careful(&mut random);
            if read {
                wins += u32::from((treated, control) == (Outcome::Fine, Outcome::Failed));
                losses += u32::from((treated, control) == (Outcome::Failed, Outcome::Fine));
            }
            paired(wins, losses).at_least(threshold)
        })
    });
    Rate::of(&promoted, |promoted| *promoted)
}

/// A treated session that fails loses its score in .3 of the cases, and is dropped. Base .3.
fn unscored_dropped(factors: &Factors, runs: Runs) -> Rate {
    const BASELINE: f64 = 0.3;
    const HIDDEN: f64 = 0.3;
    let ends = runs.of("unscored dropped", |mut random| {
        run(factors, Harm::Stops, |_| {
            let arm = toss(&mut random);
            let outcome = outcome(&mut random, BASELINE);
            let hides = arm == Arm::Treated && outcome == Outcome::Failed;
            (!hides || !random.chance(HIDDEN)).then_some((arm, outcome))
        })
    });
    Rate::ended(&ends, Verdict::Promoted)
}
