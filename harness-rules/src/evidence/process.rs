//! The two e-processes of a forward trial.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::alternatives::{ALTERNATIVES, Alternative, alternatives};
use super::counts::{Arm, Counts, Outcome};
use super::e_value::{EValue, Powers};
use super::pi::Pi;

/// What is being proved of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Those who see it fail less. The null: the treated are not better.
    Benefit,
    /// Those who see it fail more. The null: the treated are not worse.
    Harm,
}

impl Direction {
    const ALL: [Self; 2] = [Self::Benefit, Self::Harm];
}

/// Evidence that the rule helps: the mean over the alternatives of the product of [`factor`] over
/// all sessions.
pub fn benefit(counts: &Counts) -> EValue {
    evidence(Direction::Benefit, counts)
}

/// Evidence that the rule harms: [`benefit`] with the two rates of each alternative swapped.
pub fn harm(counts: &Counts) -> EValue {
    evidence(Direction::Harm, counts)
}

/// What one session multiplies the bet on `alternative` by: how probable its arm is given its
/// outcome, over how probable its arm was,
///
/// f(a, y) = p_a(y) / (π · p_t(y) + (1 − π) · p_c(y)), with p(1) = p and p(0) = 1 − p.
///
/// Given any outcome, and arms that do not matter, its mean over the arms is exactly one, whatever
/// the failure rate of that session is: this is why drift of the workload costs no validity.
pub fn factor(
    direction: Direction,
    alternative: Alternative,
    pi: Pi,
    arm: Arm,
    outcome: Outcome,
) -> f64 {
    let Alternative { control, treated } = match direction {
        Direction::Benefit => alternative,
        Direction::Harm => alternative.mirrored(),
    };
    let of = |rate: f64| match outcome {
        Outcome::Failed => rate,
        Outcome::Fine => 1.0 - rate,
    };
    let (treated, control) = (of(treated), of(control));
    let pi = pi.probability();
    let own = match arm {
        Arm::Treated => treated,
        Arm::Control => control,
    };
    own / (pi * treated + (1.0 - pi) * control)
}

fn evidence(direction: Direction, counts: &Counts) -> EValue {
    let mut bets = [EValue::ONE; ALTERNATIVES];
    for (pi, arm, outcome, n) in counts.cells() {
        let powers = POWERS.get(&(direction, pi, arm, outcome));
        for (at, bet) in bets.iter_mut().enumerate() {
            // Each cell has its powers; were there none, the bet would be lost.
            let power = powers.and_then(|powers| Some(powers.get(at)?.power(n)));
            *bet = *bet * power.unwrap_or(EValue::ZERO);
        }
    }
    EValue::mean(bets)
}

/// One place of the table of powers.
type Cell = (Direction, Pi, Arm, Outcome);

/// The powers of [`factor`] for each cell of counts, by alternative. Counts change one by one and
/// are asked for their evidence after each, so nothing of this is to be computed each time.
static POWERS: LazyLock<BTreeMap<Cell, Vec<Powers>>> = LazyLock::new(|| {
    let cells = Direction::ALL.into_iter().flat_map(|direction| {
        let cells = Counts::all_cells();
        cells.map(move |(pi, arm, outcome)| (direction, pi, arm, outcome))
    });
    cells
        .map(|cell| {
            let (direction, pi, arm, outcome) = cell;
            let powers = alternatives().map(|alternative| {
                let factor = factor(direction, alternative, pi, arm, outcome);
                // A ratio of positive numbers, so `new` takes it.
                Powers::of(EValue::new(factor).unwrap_or(EValue::ZERO))
            });
            (cell, powers.collect())
        })
        .collect()
});

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The mean of the next factor when the arms fail at these rates.
    fn mean_factor(
        direction: Direction,
        alternative: Alternative,
        pi: Pi,
        treated: f64,
        control: f64,
    ) -> f64 {
        let mut mean = 0.0;
        for (arm, share, rate) in [
            (Arm::Treated, pi.probability(), treated),
            (Arm::Control, 1.0 - pi.probability(), control),
        ] {
            for (outcome, chance) in [(Outcome::Failed, rate), (Outcome::Fine, 1.0 - rate)] {
                mean += share * chance * factor(direction, alternative, pi, arm, outcome);
            }
        }
        mean
    }

    fn counts(cells: &[(Pi, Arm, Outcome, u32)]) -> Counts {
        let mut counts = Counts::default();
        for (pi, arm, outcome, n) in cells {
            for _ in 0..*n {
                counts.record(*pi, *arm, *outcome);
            }
        }
        counts
    }

    #[test]
    fn no_bet_gains_where_the_arms_do_not_matter() {
        for direction in [Direction::Benefit, Direction::Harm] {
            for alternative in alternatives() {
                for pi in Pi::ALL {
                    for percent in 0..=100 {
                        let rate = f64::from(percent) / 100.0;
                        let mean = mean_factor(direction, alternative, pi, rate, rate);
                        assert!((mean - 1.0).abs() < 1e-12, "{alternative:?} {pi:?} {mean}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_bet_gains_under_its_null_and_one_gains_outside_it() {
        for pi in Pi::ALL {
            for low in 0..20 {
                for high in low + 1..=20 {
                    let (low, high) = (f64::from(low) / 20.0, f64::from(high) / 20.0);
                    let mut gained = [false; 2];
                    for alternative in alternatives() {
                        let mean = |direction, treated, control| {
                            mean_factor(direction, alternative, pi, treated, control)
                        };
                        // The treated are worse: no evidence of benefit; and the mirror image.
                        assert!(mean(Direction::Benefit, high, low) < 1.0 + 1e-12);
                        assert!(mean(Direction::Harm, low, high) < 1.0 + 1e-12);
                        gained[0] |= mean(Direction::Benefit, low, high) > 1.0;
                        gained[1] |= mean(Direction::Harm, high, low) > 1.0;
                    }
                    assert_eq!(gained, [true; 2], "{pi:?} {low} {high}");
                }
            }
        }
    }

    #[test]
    fn a_treated_failure_and_a_control_success_speak_against_the_rule() {
        let start = counts(&[
            (Pi::Ramp, Arm::Control, Outcome::Failed, 6),
            (Pi::Trial, Arm::Control, Outcome::Failed, 20),
            (Pi::Trial, Arm::Control, Outcome::Fine, 30),
            (Pi::Trial, Arm::Treated, Outcome::Failed, 10),
            (Pi::Trial, Arm::Treated, Outcome::Fine, 40),
        ]);
        for pi in Pi::ALL {
            let after = |arm, outcome| start.plus(&counts(&[(pi, arm, outcome, 1)]));
            for (arm, outcome, helps) in [
                (Arm::Treated, Outcome::Failed, false),
                (Arm::Control, Outcome::Fine, false),
                (Arm::Treated, Outcome::Fine, true),
                (Arm::Control, Outcome::Failed, true),
            ] {
                let after = after(arm, outcome);
                assert_eq!(benefit(&after) > benefit(&start), helps, "{pi:?} {arm:?}");
                assert_eq!(harm(&after) < harm(&start), helps, "{pi:?} {arm:?}");
            }
        }
    }

    #[test]
    fn an_empty_trial_has_its_stake() {
        assert_eq!(benefit(&Counts::default()), EValue::ONE);
        assert_eq!(harm(&Counts::default()), EValue::ONE);
    }

    #[test]
    fn counts_without_end_are_decided_without_overflow() {
        let strong = counts(&[
            (Pi::Trial, Arm::Control, Outcome::Failed, 100_000),
            (Pi::Trial, Arm::Treated, Outcome::Fine, 100_000),
        ]);
        assert!(benefit(&strong).at_least(f64::MAX));
        assert!(harm(&strong) > EValue::ZERO);
        assert!(!harm(&strong).at_least(f64::MIN_POSITIVE));
    }

    fn any_session() -> impl Strategy<Value = (Pi, Arm, Outcome)> {
        (
            prop::sample::select(Pi::ALL.to_vec()),
            prop::sample::select(Arm::ALL.to_vec()),
            prop::sample::select(Outcome::ALL.to_vec()),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The bits do not depend on the order, and the value is the one that the definition gives
        /// session by session.
        #[test]
        fn evidence_is_the_mean_of_products_in_any_order(
            sessions in prop::collection::vec(any_session(), 0..300),
            rotation in 0..300_usize,
        ) {
            let record = |sessions: &[(Pi, Arm, Outcome)]| {
                let mut counts = Counts::default();
                for (pi, arm, outcome) in sessions {
                    counts.record(*pi, *arm, *outcome);
                }
                counts
            };
            let mut other = sessions.clone();
            other.rotate_left(rotation % sessions.len().max(1));
            other.reverse();
            for (direction, evidence) in
                [(Direction::Benefit, benefit as fn(&Counts) -> EValue), (Direction::Harm, harm)]
            {
                let found = evidence(&record(&sessions));
                prop_assert_eq!(found, evidence(&record(&other)));
                let logs: Vec<f64> = alternatives()
                    .map(|alternative| {
                        sessions
                            .iter()
                            .map(|(pi, arm, y)| factor(direction, alternative, *pi, *arm, *y).ln())
                            .sum()
                    })
                    .collect();
                let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
                let expected = most + sum.ln() - (ALTERNATIVES as f64).ln();
                prop_assert!((found.ln() - expected).abs() < 1e-9, "{} {}", found.ln(), expected);
            }
        }
    }
}
