//! Single figures beside the table: what a changing effect, a second
//! rule, a holdout or a protected case come to.

use harness_rules::evidence::{
    Arm, Direction, Levels, Outcome, Pi, VETO_THRESHOLD, Verdict, paired_harm,
};

use crate::bets::{Bets, Factors};
use crate::rate::Rate;
use crate::runs::Runs;
use crate::trial::{Harm, outcome, run, toss};

/// One figure: a rate, and where it matters the middle of the sessions that it took.
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) rate: Rate,
    pub(crate) median_sessions: Option<u32>,
}

/// All figures.
pub(crate) fn figures(factors: &Factors, runs: Runs) -> Vec<Figure> {
    let mut figures = vec![interaction(factors, runs), same_lesson(factors, runs)];
    for (hidden, shown) in [(0.2, 0.4), (0.4, 0.6)] {
        figures.push(holdout(factors, runs, hidden, shown));
    }
    for pairs in [15, 200, 400] {
        figures.push(veto(runs, pairs));
    }
    figures
}

/// A rule that helps half of the sessions as much as it harms the other half. Base .4, ± .1.
fn interaction(factors: &Factors, runs: Runs) -> Figure {
    let ends = runs.of("interaction", |mut random| {
        run(factors, Harm::Stops, |_| {
            let arm = toss(&mut random);
            let failure = match (arm, random.chance(0.5)) {
                (Arm::Control, _) => 0.4,
                (Arm::Treated, true) => 0.3,
                (Arm::Treated, false) => 0.5,
            };
            Some((arm, outcome(&mut random, failure)))
        })
    });
    Figure {
        name: "interaction of zero mean: promoted".into(),
        rate: Rate::ended(&ends, Verdict::Promoted),
        median_sessions: None,
    }
}

/// Two rules on trial that teach the same lesson: either halves failures, both together no more.
/// Base .4; the one watched.
fn same_lesson(factors: &Factors, runs: Runs) -> Figure {
    let ends = runs.of("same lesson", |mut random| {
        run(factors, Harm::Stops, |_| {
            let (arm, other) = (toss(&mut random), toss(&mut random));
            let taught = arm == Arm::Treated || other == Arm::Treated;
            let failure = if taught { 0.2 } else { 0.4 };
            Some((arm, outcome(&mut random, failure)))
        })
    });
    Figure {
        name: "one of two rules with the same lesson: promoted".into(),
        rate: Rate::ended(&ends, Verdict::Promoted),
        median_sessions: None,
    }
}

/// An active rule that harms, with a tenth of the sessions held out, up to a bound far beyond need.
fn holdout(factors: &Factors, runs: Runs, hidden: f64, shown: f64) -> Figure {
    const SESSIONS: u32 = 20_000;
    let threshold = Levels::default().active_harm_threshold();
    let name = format!("active harm {hidden} to {shown}, holdout of a tenth: found");
    let found = runs.of(&name, |mut random| {
        let mut bets = Bets::new(factors);
        (1..=SESSIONS).find(|_| {
            let (arm, failure) = if random.chance(Pi::Holdout.probability()) {
                (Arm::Treated, shown)
            } else {
                (Arm::Control, hidden)
            };
            bets.record(Pi::Holdout, arm, outcome(&mut random, failure));
            bets.near(Direction::Harm, threshold) && bets.exact(Direction::Harm).at_least(threshold)
        })
    });
    let mut sessions: Vec<u32> = found.iter().flatten().copied().collect();
    sessions.sort_unstable();
    Figure {
        name,
        rate: Rate::of(&found, Option::is_some),
        median_sessions: sessions.get(sessions.len() / 2).copied(),
    }
}

/// A protected case that falls from .91 to .82 in replay, looked at after each pair.
fn veto(runs: Runs, pairs: u32) -> Figure {
    let name = format!("a fall from .91 to .82 in {pairs} pairs: vetoed");
    let vetoed = runs.of(&name, |mut random| {
        let (mut wins, mut losses) = (0, 0);
        (0..pairs).any(|_| {
            let without = outcome(&mut random, 1.0 - 0.91);
            let with = outcome(&mut random, 1.0 - 0.82);
            wins += u32::from((with, without) == (Outcome::Fine, Outcome::Failed));
            losses += u32::from((with, without) == (Outcome::Failed, Outcome::Fine));
            paired_harm(wins, losses).at_least(VETO_THRESHOLD)
        })
    });
    Figure {
        name,
        rate: Rate::of(&vetoed, |vetoed| *vetoed),
        median_sessions: None,
    }
}
