//! The exact test of a difference in pairs.
//!
//! McNemar's test (1947) in its exact form, which is the sign test on the pairs that disagree: where
//! nothing differs between two legs, each such pair falls to either side like a fair coin. No
//! approximation, so it holds for any number of pairs.

/// How the pairs of two legs came out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pairs {
    /// Failed in the first leg and not in the second.
    pub(crate) mended: u32,
    /// Failed in the second leg and not in the first.
    pub(crate) broken: u32,
}

impl Pairs {
    /// Compares two legs, pair by pair: whether each session failed.
    pub(crate) fn of(first: &[bool], second: &[bool]) -> Self {
        let count = |wanted: (bool, bool)| {
            let pairs = first.iter().zip(second);
            let found = pairs.filter(|(first, second)| (**first, **second) == wanted);
            u32::try_from(found.count()).unwrap_or(u32::MAX)
        };
        Self {
            mended: count((true, false)),
            broken: count((false, true)),
        }
    }

    /// The probability, if the legs do not differ, that the pairs that disagree fall at least as
    /// unevenly as these: twice the tail of a binomial with ½, two-sided. Exact up to the rounding
    /// of doubles for a thousand pairs, below which 2⁻ⁿ is still a normal double.
    pub(crate) fn p_value(self) -> f64 {
        let n = self.mended.saturating_add(self.broken);
        // C(n, k) / 2ⁿ, from one k to the next.
        let mut term = 0.5_f64.powf(f64::from(n));
        let mut tail = 0.0;
        for k in 0..=self.mended.min(self.broken) {
            tail += term;
            term *= f64::from(n - k) / f64::from(k + 1);
        }
        (2.0 * tail).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Pairs;

    fn p(mended: u32, broken: u32) -> f64 {
        Pairs { mended, broken }.p_value()
    }

    fn near(found: f64, expected: f64) -> bool {
        (found / expected - 1.0).abs() < 1e-12
    }

    #[test]
    fn small_cases_are_those_of_counting() {
        // 2 · (1 + 10 + 45) / 1024, and 2 / 64.
        assert!(near(p(8, 2), 112.0 / 1024.0));
        assert!(near(p(0, 6), 2.0 / 64.0));
        assert_eq!(p(5, 5), 1.0);
        assert_eq!(p(0, 0), 1.0);
    }

    #[test]
    fn it_has_two_sides_and_the_extremes_stay_numbers() {
        assert_eq!(p(17, 4), p(4, 17));
        assert!(p(1000, 0) > 0.0 && p(1000, 0) < 1e-300);
        assert!((0.99..=1.0).contains(&p(500, 500)));
    }

    #[test]
    fn only_pairs_that_disagree_count() {
        let first = [true, true, false, false, true];
        let second = [false, true, true, false, false];
        let (mended, broken) = (2, 1);
        assert_eq!(Pairs::of(&first, &second), Pairs { mended, broken });
    }

    #[test]
    fn fair_coins_are_called_uneven_no_more_often_than_promised() {
        // Over all outcomes of twelve coins, weighted: the test at any level keeps it.
        let weight = |k: u32| {
            let choose: f64 = (0..k)
                .map(|i| f64::from(12 - i) / f64::from(i + 1))
                .product();
            choose / 4096.0
        };
        for level in [0.001, 0.01, 0.05, 0.2] {
            let called: f64 = (0..=12)
                .filter(|k| p(*k, 12 - k) <= level)
                .map(weight)
                .sum();
            assert!(called <= level, "{level} {called}");
        }
    }
}
