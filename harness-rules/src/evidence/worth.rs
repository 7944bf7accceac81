//! What all rules together change: the failure rate with them less the rate without them, from a
//! permanent arm that is shown none.
//!
//! Each unit is one draw of y/(1 − p) where rules were shown and of −y/p where none was, p the share
//! of the null arm: its mean is the difference of the two rates, whatever the workload does (Horvitz
//! and Thompson 1952). The interval is the hedged betting confidence sequence of Waudby-Smith and
//! Ramdas 2023 ("Estimating means of bounded random variables by betting"), with their predictable
//! plug-in bets: it holds at every time at once, so it may be looked at whenever somebody likes.

use super::counts::Outcome;

/// The share of sessions that are shown no rule.
const NULL_SHARE: f64 = 0.05;
/// How far below 0 and above it one draw can be.
const LEAST: f64 = -1.0 / NULL_SHARE;
const MOST: f64 = 1.0 / (1.0 - NULL_SHARE);
/// A bet risks at most this share of the capital.
const CAUTION: f64 = 0.5;
/// Differences that the interval is cut out of, from −1 to 1.
const STEPS: u32 = 400;

/// One unit: whether it was shown no rule, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Whether it belongs to the null arm.
    pub is_null: bool,
    /// How it ended.
    pub outcome: Outcome,
}

/// A difference of rates with its interval, all within [−1, 1]; below 0 the rules help.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The estimate.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The difference that `units` show, in the order in which they ended, with an interval that misses
/// the truth at any time with probability `alpha` at most. No number here decides anything.
pub fn difference(units: &[Unit], alpha: f64) -> Difference {
    let mut candidates: Vec<Candidate> = (0..=STEPS).map(Candidate::new).collect();
    let (mut sum, mut squares, mut count) = (0.0_f64, 0.0_f64, 0.0_f64);
    let limit = -alpha.ln();
    for unit in units {
        let failed = f64::from(u8::from(unit.outcome == Outcome::Failed));
        let draw = if unit.is_null {
            failed * LEAST
        } else {
            failed * MOST
        };
        let draw = (draw - LEAST) / (MOST - LEAST);
        // What the bet is made by was known before the draw.
        let mean = (0.5 + sum) / (count + 1.0);
        let variance = (0.25 + squares) / (count + 1.0);
        let time = count + 1.0;
        let bet = (2.0 * (2.0 / alpha).ln() / (variance * time * (time + 1.0).ln())).sqrt();
        for candidate in &mut candidates {
            candidate.bet(bet, draw, limit);
        }
        sum += draw;
        count += 1.0;
        squares += (draw - mean) * (draw - mean);
    }
    let kept = || candidates.iter().filter(|candidate| !candidate.is_out);
    let estimate = if count > 0.0 {
        (sum / count) * (MOST - LEAST) + LEAST
    } else {
        0.0
    };
    // A step to each side, as the truth may lie between two candidates.
    let step = 2.0 / f64::from(STEPS);
    Difference {
        estimate: estimate.clamp(-1.0, 1.0),
        low: kept()
            .map(|candidate| candidate.difference - step)
            .fold(1.0, f64::min)
            .clamp(-1.0, 1.0),
        high: kept()
            .map(|candidate| candidate.difference + step)
            .fold(-1.0, f64::max)
            .clamp(-1.0, 1.0),
    }
}

/// A difference that may be the true one, and what bettors against it have made.
struct Candidate {
    difference: f64,
    /// The same, of a draw scaled to [0, 1].
    mean: f64,
    log_up: f64,
    log_down: f64,
    is_out: bool,
}

impl Candidate {
    fn new(step: u32) -> Self {
        let difference = f64::from(step) * 2.0 / f64::from(STEPS) - 1.0;
        Self {
            difference,
            mean: (difference - LEAST) / (MOST - LEAST),
            log_up: 0.0,
            log_down: 0.0,
            is_out: false,
        }
    }

    /// One bettor bets that the mean is higher and one that it is lower, half the capital each. A
    /// candidate that was ever ruled out stays out.
    fn bet(&mut self, bet: f64, draw: f64, limit: f64) {
        let up = bet.min(CAUTION / self.mean);
        let down = bet.min(CAUTION / (1.0 - self.mean));
        self.log_up += (up * (draw - self.mean)).ln_1p();
        self.log_down += (-down * (draw - self.mean)).ln_1p();
        let most = self.log_up.max(self.log_down);
        self.is_out |= most - 2.0_f64.ln() >= limit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units in a fixed order: of every twenty one is null; each arm fails at its rate, spread
    /// evenly.
    fn units(count: usize, shown: f64, null: f64) -> Vec<Unit> {
        let (mut owed, mut owed_null) = (0.0, 0.0);
        (0..count)
            .map(|at| {
                let is_null = at % 20 == 7;
                let (owed, rate) = match is_null {
                    true => (&mut owed_null, null),
                    false => (&mut owed, shown),
                };
                *owed += rate;
                let failed = *owed >= 1.0;
                if failed {
                    *owed -= 1.0;
                }
                Unit {
                    is_null,
                    outcome: if failed {
                        Outcome::Failed
                    } else {
                        Outcome::Fine
                    },
                }
            })
            .collect()
    }

    #[test]
    fn nothing_is_known_without_units() {
        let all = Difference {
            estimate: 0.0,
            low: -1.0,
            high: 1.0,
        };
        assert_eq!(difference(&[], 0.05), all);
    }

    #[test]
    fn rules_that_help_show_and_the_truth_is_inside() {
        let found = difference(&units(20_000, 0.1, 0.6), 0.05);
        assert!((found.estimate + 0.5).abs() < 0.02, "{found:?}");
        assert!(found.low < -0.5 && -0.5 < found.high, "{found:?}");
        assert!(found.high < -0.2, "{found:?}");
    }

    #[test]
    fn rules_that_change_nothing_leave_zero_inside_at_every_time() {
        let all = units(4_000, 0.3, 0.3);
        for count in (0..=4_000).step_by(400) {
            let found = difference(all.get(..count).unwrap_or_default(), 0.05);
            assert!(found.low <= 0.0 && 0.0 <= found.high, "{count} {found:?}");
        }
    }

    #[test]
    fn more_units_never_widen_it() {
        let all = units(6_000, 0.2, 0.5);
        let some = difference(all.get(..2_000).unwrap_or_default(), 0.05);
        let more = difference(&all, 0.05);
        assert!(more.low >= some.low && more.high <= some.high);
        assert!(more.high - more.low < 2.0);
    }
}
