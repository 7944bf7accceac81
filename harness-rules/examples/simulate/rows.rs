//! The table: what happens to a rule of every effect at every baseline, with and without drift.

use harness_rules::evidence::{Arm, Verdict};

use crate::bets::Factors;
use crate::rate::{Rate, median_sessions};
use crate::runs::Runs;
use crate::trial::{Harm, outcome, run, toss};

/// Failure rates of sessions that do not see the rule.
const BASELINES: [f64; 8] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.8, 0.9];

/// What a rule multiplies the failure rate by.
const EFFECTS: [(&str, f64); 5] = [
    (USELESS, 1.0),
    ("worse", 1.5),
    ("half", 0.5),
    ("quarter", 0.25),
    ("gone", 0.0),
];

/// The effect of a rule that changes nothing.
pub(crate) const USELESS: &str = "none";

/// No rate is higher than this.
const CAP: f64 = 0.99;

/// How far a drifting baseline rises over [`DRIFT_SESSIONS`] sessions: from .1 to .7, for one.
const DRIFT_RISE: f64 = 0.6;
const DRIFT_SESSIONS: f64 = 400.0;

/// One row of the table.
pub(crate) struct Row {
    pub(crate) baseline: f64,
    pub(crate) effect: &'static str,
    pub(crate) drift: bool,
    pub(crate) promoted: Rate,
    pub(crate) retired: Rate,
    pub(crate) median_sessions: Option<u32>,
}

/// All rows.
pub(crate) fn rows(factors: &Factors, runs: Runs) -> Vec<Row> {
    let mut rows = Vec::new();
    for drift in [false, true] {
        for baseline in BASELINES {
            for (effect, multiplier) in EFFECTS {
                rows.push(row(factors, runs, baseline, effect, multiplier, drift));
            }
        }
    }
    rows
}

fn row(
    factors: &Factors,
    runs: Runs,
    baseline: f64,
    effect: &'static str,
    multiplier: f64,
    drift: bool,
) -> Row {
    let rise = if drift { DRIFT_RISE } else { 0.0 };
    let figure = format!("row {baseline} {effect} {drift}");
    let ends = runs.of(&figure, |mut random| {
        run(factors, Harm::Stops, |session| {
            let arm = toss(&mut random);
            let base = (baseline + rise * f64::from(session) / DRIFT_SESSIONS).min(CAP);
            let failure = match arm {
                Arm::Treated => (base * multiplier).min(CAP),
                Arm::Control => base,
            };
            Some((arm, outcome(&mut random, failure)))
        })
    });
    Row {
        baseline,
        effect,
        drift,
        promoted: Rate::ended(&ends, Verdict::Promoted),
        retired: Rate::ended(&ends, Verdict::Harmful),
        median_sessions: median_sessions(&ends),
    }
}
