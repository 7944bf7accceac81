//! The e-values of paired replay: cases with and without the candidate, in fair-coin order.
//!
//! What the rule is proved by are the pairs of the failures that it answers, all together. What
//! stops it is any single case, a failure or a win to protect: harm in one is never averaged away
//! by help in others.

use std::collections::BTreeMap;

use super::e_value::EValue;

/// The chances of winning a pair that the e-value bets on.
const WIN_RATES: [f64; 5] = [0.6, 0.7, 0.8, 0.9, 0.99];

/// Evidence of harm at which a single case vetoes. Lower than any threshold of promotion, because
/// blocking a rule is not the error that α bounds.
pub const VETO_THRESHOLD: f64 = 3.0;

/// Evidence that the candidate wins pairs, after `wins` and `losses` (ties are dropped): the mean
/// over the win rates θ of (2θ)^wins · (2 − 2θ)^losses. Under "a win is no likelier than a loss" its
/// mean is at most one.
pub fn paired(wins: u32, losses: u32) -> EValue {
    let bets = WIN_RATES.into_iter().filter_map(|rate| {
        let win = EValue::new(2.0 * rate)?;
        let loss = EValue::new(2.0 - 2.0 * rate)?;
        Some(win.power(wins) * loss.power(losses))
    });
    EValue::mean(bets)
}

/// Evidence that the candidate loses pairs of this case; at [`VETO_THRESHOLD`] it is not promoted.
pub fn paired_harm(wins: u32, losses: u32) -> EValue {
    paired(losses, wins)
}

/// What a case is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaseRole {
    /// A failure that the rule answers: its pairs are the evidence, and its harm vetoes.
    Target,
    /// A win to protect: its harm vetoes.
    Protected,
}

/// How a pair that counts came out for the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairResult {
    /// It failed without the rule only.
    Win,
    /// It failed with the rule only.
    Loss,
    /// Both failed or neither; evidence of nothing.
    Tie,
}

/// The pairs of one case that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CasePairs {
    /// What the case is run for.
    pub role: CaseRole,
    /// Pairs won.
    pub wins: u32,
    /// Pairs lost.
    pub losses: u32,
    /// Pairs that came out alike.
    pub ties: u32,
    vetoes: bool,
}

impl CasePairs {
    /// The evidence of now that the rule harms this case.
    pub fn harm(&self) -> EValue {
        paired_harm(self.wins, self.losses)
    }

    /// Whether its evidence of harm has ever reached [`VETO_THRESHOLD`]. The level never falls, so
    /// a value that reached it once may be held against the rule for good.
    pub const fn vetoes(&self) -> bool {
        self.vetoes
    }
}

/// The pairs of one opening that count, in the order in which they were run. `C` names a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs<C: Ord> {
    of: BTreeMap<C, CasePairs>,
}

impl<C: Ord> Default for Pairs<C> {
    fn default() -> Self {
        Self {
            of: BTreeMap::new(),
        }
    }
}

impl<C: Ord> Pairs<C> {
    /// Counts one more pair of `case`, whose role is that of its first pair.
    pub fn record(&mut self, case: C, role: CaseRole, result: PairResult) {
        let pairs = self.of.entry(case).or_insert(CasePairs {
            role,
            wins: 0,
            losses: 0,
            ties: 0,
            vetoes: false,
        });
        let count = match result {
            PairResult::Win => &mut pairs.wins,
            PairResult::Loss => &mut pairs.losses,
            PairResult::Tie => &mut pairs.ties,
        };
        *count = count.saturating_add(1);
        pairs.vetoes |= pairs.harm().at_least(VETO_THRESHOLD);
    }

    /// The cases, in order of name.
    pub fn cases(&self) -> impl Iterator<Item = (&C, &CasePairs)> {
        self.of.iter()
    }

    /// Pairs that count, ties among them.
    pub fn counted(&self) -> u32 {
        self.of.values().fold(0, |sum, case| {
            sum.saturating_add(case.wins)
                .saturating_add(case.losses)
                .saturating_add(case.ties)
        })
    }

    /// Wins and losses over all targets.
    pub fn target(&self) -> (u32, u32) {
        self.of
            .values()
            .filter(|case| case.role == CaseRole::Target)
            .fold((0, 0), |(wins, losses): (u32, u32), case| {
                (
                    wins.saturating_add(case.wins),
                    losses.saturating_add(case.losses),
                )
            })
    }

    /// The evidence that the rule helps.
    pub fn benefit(&self) -> EValue {
        let (wins, losses) = self.target();
        paired(wins, losses)
    }

    /// The evidence that it harms: the mirror image of [`Pairs::benefit`].
    pub fn harm(&self) -> EValue {
        let (wins, losses) = self.target();
        paired_harm(wins, losses)
    }

    /// The greatest evidence of now against any one case; [`EValue::ONE`] without a pair.
    pub fn worst(&self) -> EValue {
        self.of
            .values()
            .map(CasePairs::harm)
            .max()
            .unwrap_or(EValue::ONE)
    }

    /// Whether any case stops the rule.
    pub fn is_vetoed(&self) -> bool {
        self.of.values().any(CasePairs::vetoes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(results: &[(&'static str, CaseRole, PairResult, u32)]) -> Pairs<&'static str> {
        let mut pairs = Pairs::default();
        for (case, role, result, times) in results {
            for _ in 0..*times {
                pairs.record(*case, *role, *result);
            }
        }
        pairs
    }

    #[test]
    fn help_in_many_cases_does_not_pay_for_harm_in_one() {
        use CaseRole::{Protected, Target};
        use PairResult::{Loss, Win};
        let helped = ("f-1", Target, Win, 30);
        let fine = pairs(&[helped, ("w-1", Protected, Loss, 2)]);
        assert!(fine.benefit().at_least(20.0) && !fine.is_vetoed());
        for role in [Target, Protected] {
            let harmed = pairs(&[helped, ("c-2", role, Loss, 3)]);
            assert!(harmed.benefit().at_least(20.0) && harmed.is_vetoed());
        }
    }

    #[test]
    fn a_veto_stands_and_protected_wins_prove_nothing() {
        use CaseRole::{Protected, Target};
        use PairResult::{Loss, Tie, Win};
        let mut pairs = pairs(&[("w-1", Protected, Loss, 3)]);
        assert!(pairs.is_vetoed());
        for _ in 0..30 {
            pairs.record("w-1", Protected, Win);
        }
        assert!(pairs.is_vetoed() && !pairs.worst().at_least(VETO_THRESHOLD));
        assert_eq!((pairs.target(), pairs.benefit()), ((0, 0), EValue::ONE));
        pairs.record("f-1", Target, Tie);
        assert_eq!((pairs.benefit(), pairs.harm()), (EValue::ONE, EValue::ONE));
        assert_eq!(pairs.counted(), 34);
    }

    #[test]
    fn six_straight_wins_decide_and_five_do_not() {
        assert!(paired(6, 0).at_least(20.0));
        assert!(!paired(5, 0).at_least(20.0));
    }

    #[test]
    fn three_seeds_of_one_case_decide_nothing() {
        let three = paired(3, 0).as_f64();
        assert!((three - 4.4).abs() < 0.05, "{three}");
        assert_eq!(paired(0, 0), EValue::ONE);
    }

    #[test]
    fn no_bet_gains_where_wins_and_losses_are_as_likely() {
        for wins in 0..12 {
            for losses in 0..12 {
                let now = paired(wins, losses);
                let won = paired(wins + 1, losses);
                let lost = paired(wins, losses + 1);
                assert!(won > now && lost < now);
                let mean = (won.as_f64() + lost.as_f64()) / 2.0;
                assert!((mean / now.as_f64() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_case_vetoes_on_three_losses_more_than_wins_not_on_one() {
        assert!(paired_harm(0, 3).at_least(VETO_THRESHOLD));
        assert!(!paired_harm(0, 1).at_least(VETO_THRESHOLD));
        assert!(!paired_harm(3, 0).at_least(VETO_THRESHOLD));
    }
}
