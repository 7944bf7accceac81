//! Evidence that no single principal could have made.
//!
//! Whoever sees the arm can act on it: fail in the control arm, behave in the treated one. So when
//! the sessions of a trial belong to several principals, what counts is the least evidence that is
//! left when any one of them is taken out.

use std::collections::{BTreeMap, BTreeSet};

use super::counts::{Arm, Counts, Outcome};
use super::e_value::EValue;
use super::pi::Pi;
use super::process::{benefit, harm};

/// The counts of a trial, apart by principal. `P` is how the caller names one; with
/// `Option<name>`, sessions without a principal share one, so that leaving out the name is no way
/// round this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByPrincipal<P: Ord> {
    of: BTreeMap<P, Counts>,
    total: Counts,
}

impl<P: Ord> Default for ByPrincipal<P> {
    fn default() -> Self {
        Self {
            of: BTreeMap::new(),
            total: Counts::default(),
        }
    }
}

impl<P: Ord> ByPrincipal<P> {
    /// Takes note of a session of `principal` that entered and has no outcome yet: whoever else's
    /// sessions are all that count so far, nothing is left without them.
    pub fn meet(&mut self, principal: P) {
        self.of.entry(principal).or_default();
    }

    /// Counts one more session of `principal`.
    pub fn record(&mut self, principal: P, pi: Pi, arm: Arm, outcome: Outcome) {
        self.of
            .entry(principal)
            .or_default()
            .record(pi, arm, outcome);
        self.total.record(pi, arm, outcome);
    }

    /// All sessions together.
    pub fn total(&self) -> &Counts {
        &self.total
    }

    /// How many principals have a session here, counted or not.
    pub fn principals(&self) -> usize {
        self.of.len()
    }

    /// What promotion is decided on: `capital` (the e-value that replay ended with, or
    /// [`EValue::ONE`]) times the evidence of all sessions, or with two or more principals the least
    /// evidence without one of them.
    pub fn benefit(&self, capital: EValue) -> EValue {
        // Principals with equal counts leave equal evidence behind, and most have a session or two,
        // so there are few distinct cases however many principals there are.
        let distinct: BTreeSet<&Counts> = self.of.values().collect();
        let forward = if self.of.len() < 2 {
            None
        } else {
            distinct
                .into_iter()
                .map(|counts| benefit(&self.total.without(counts)))
                .min()
        };
        capital * forward.unwrap_or_else(|| benefit(&self.total))
    }

    /// The evidence of harm, over all sessions.
    pub fn harm(&self) -> EValue {
        harm(&self.total)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(trial: &mut ByPrincipal<&str>, who: &'static str, arm: Arm, y: Outcome, n: u32) {
        for _ in 0..n {
            trial.record(who, Pi::Trial, arm, y);
        }
    }

    /// Ordinary sessions, which the rule does not change.
    fn bystanders(trial: &mut ByPrincipal<&str>, who: &'static str, each: u32) {
        for arm in Arm::ALL {
            for y in Outcome::ALL {
                record(trial, who, arm, y, each);
            }
        }
    }

    #[test]
    fn a_principal_who_entered_is_one_before_any_outcome() {
        let mut trial = ByPrincipal::default();
        record(&mut trial, "eve", Arm::Treated, Outcome::Fine, 10);
        record(&mut trial, "eve", Arm::Control, Outcome::Failed, 10);
        let alone = trial.benefit(EValue::ONE);
        assert!(alone.at_least(20.0));
        trial.meet("eve");
        assert_eq!(trial.benefit(EValue::ONE), alone);
        trial.meet("ann");
        assert_eq!(trial.benefit(EValue::ONE), EValue::ONE);
    }

    #[test]
    fn one_principal_who_acts_on_the_arm_promotes_nothing() {
        let mut trial = ByPrincipal::default();
        bystanders(&mut trial, "ann", 10);
        bystanders(&mut trial, "bob", 10);
        record(&mut trial, "eve", Arm::Control, Outcome::Failed, 20);
        record(&mut trial, "eve", Arm::Treated, Outcome::Fine, 20);
        assert!(benefit(trial.total()).at_least(20.0));
        assert!(!trial.benefit(EValue::ONE).at_least(1.0));
    }

    #[test]
    fn what_every_principal_shows_promotes() {
        let mut trial = ByPrincipal::default();
        for who in ["ann", "bob", "eve"] {
            record(&mut trial, who, Arm::Control, Outcome::Failed, 10);
            record(&mut trial, who, Arm::Treated, Outcome::Fine, 10);
        }
        assert!(trial.benefit(EValue::ONE).at_least(20.0));
    }

    #[test]
    fn a_single_principal_is_not_left_out() {
        let mut trial = ByPrincipal::default();
        record(&mut trial, "ann", Arm::Control, Outcome::Failed, 10);
        record(&mut trial, "ann", Arm::Treated, Outcome::Fine, 10);
        assert_eq!(trial.principals(), 1);
        assert_eq!(trial.benefit(EValue::ONE), benefit(trial.total()));
    }

    #[test]
    fn replay_multiplies_what_the_trial_shows() {
        let capital = EValue::new(8.0).expect("an e-value");
        let mut trial = ByPrincipal::default();
        assert_eq!(trial.benefit(capital), capital);
        bystanders(&mut trial, "ann", 1);
        bystanders(&mut trial, "bob", 2);
        assert_eq!(trial.benefit(capital), capital * trial.benefit(EValue::ONE));
        assert_eq!(trial.harm(), harm(trial.total()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn it_is_the_least_over_all_who_are_left_out(
            sessions in prop::collection::vec((0..6_u8, 0..2_usize, 0..2_usize), 0..60),
        ) {
            let mut trial = ByPrincipal::default();
            for (who, arm, y) in &sessions {
                trial.record(*who, Pi::Trial, Arm::ALL[*arm], Outcome::ALL[*y]);
            }
            let without = |left_out: Option<u8>| {
                let mut counts = Counts::default();
                for (who, arm, y) in &sessions {
                    if Some(*who) != left_out {
                        counts.record(Pi::Trial, Arm::ALL[*arm], Outcome::ALL[*y]);
                    }
                }
                benefit(&counts)
            };
            let present: BTreeSet<u8> = sessions.iter().map(|(who, _, _)| *who).collect();
            let expected = if present.len() < 2 {
                without(None)
            } else {
                present.into_iter().map(|who| without(Some(who))).min().expect("two or more")
            };
            prop_assert_eq!(trial.benefit(EValue::ONE), expected);
        }
    }
}
