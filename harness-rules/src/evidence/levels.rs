//! How much evidence a verdict takes.

use std::num::NonZeroU32;

/// Σ t^−1.5 over all t, to the digits of the rule: what makes the shares [`gamma`] add up to one.
const GAMMA_NORMALISER: f64 = 2.612;

/// Sessions that a trial may enter when one e-value of [`HORIZON_UNIT_THRESHOLD`] decides it.
const HORIZON_UNIT_SESSIONS: f64 = 400.0;
const HORIZON_UNIT_THRESHOLD: f64 = 20.0;

/// The strictest error rate that can be asked for; it keeps every threshold and horizon a number.
const LEAST_LEVEL: f64 = 1e-9;

/// The two error rates that a workspace keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    // INVARIANT: both in [LEAST_LEVEL, 1).
    alpha: f64,
    phi: f64,
}

/// An error rate that no workspace can keep. The operator's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("an error rate must be at least {LEAST_LEVEL} and below 1, and `{0}` is not")]
pub struct LevelOutOfRange(pub f64);

impl Default for Levels {
    /// α = .05 for each rule, φ = .2 for the workspace.
    fn default() -> Self {
        Self {
            alpha: 0.05,
            phi: 0.2,
        }
    }
}

impl Levels {
    /// `alpha`: the probability that a useless rule is promoted, at most. `phi`: the share of useless
    /// rules among all promoted ones, on average, at most. Both from 10⁻⁹ to below 1.
    pub fn new(alpha: f64, phi: f64) -> Result<Self, LevelOutOfRange> {
        for level in [alpha, phi] {
            if !(LEAST_LEVEL..1.0).contains(&level) {
                return Err(LevelOutOfRange(level));
            }
        }
        Ok(Self { alpha, phi })
    }

    /// α.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// φ.
    pub fn phi(&self) -> f64 {
        self.phi
    }

    /// The evidence that promotes the `t`-th trial after `promotions` promotions by verdict in this
    /// journal: 1/α for the rule, and e-LOND's 1 / (φ · γ_t · (R + 1)) for the workspace, whichever
    /// is more.
    pub fn promotion_threshold(&self, t: NonZeroU32, promotions: u32) -> f64 {
        let share = gamma(t) * (f64::from(promotions) + 1.0);
        self.active_harm_threshold().max(1.0 / (self.phi * share))
    }

    /// The evidence of harm that ends the `t`-th trial. Promotions never lower it.
    pub fn harm_threshold(&self, t: NonZeroU32) -> f64 {
        self.promotion_threshold(t, 0)
    }

    /// The evidence of harm that retires an active rule: 1/α.
    pub fn active_harm_threshold(&self) -> f64 {
        1.0 / self.alpha
    }

    /// How many sessions the `t`-th trial may enter, fixed at its first entry: 400 · ln(threshold) /
    /// ln 20, as weaker levels need longer trials. To the *nearest* whole session: the ratio of two
    /// logarithms may be off in its last bit, which rounding down would turn into a session less at
    /// the commonest threshold of all, 20.
    pub fn horizon(&self, t: NonZeroU32, promotions_at_first_entry: u32) -> u32 {
        let threshold = self.promotion_threshold(t, promotions_at_first_entry);
        // In range: `threshold` is above one and finite.
        (HORIZON_UNIT_SESSIONS * (threshold.ln() / HORIZON_UNIT_THRESHOLD.ln())).round() as u32
    }
}

/// The share of the workspace's false discovery rate that the `t`-th trial may spend:
/// t^−1.5 / 2.612, by operations that are rounded exactly.
fn gamma(t: NonZeroU32) -> f64 {
    let t = f64::from(t.get());
    1.0 / (t * t.sqrt() * GAMMA_NORMALISER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(number: u32) -> NonZeroU32 {
        NonZeroU32::new(number).expect("trials are numbered from one")
    }

    fn near(found: f64, expected: f64) -> bool {
        (found / expected - 1.0).abs() < 1e-12
    }

    #[test]
    fn the_first_trial_needs_what_the_rule_alone_does() {
        // 1 / (.2 · 1/2.612) = 13.06 is less than 1/.05.
        let levels = Levels::default();
        assert_eq!(levels.promotion_threshold(t(1), 0), 20.0);
        assert_eq!(levels.harm_threshold(t(1)), 20.0);
        assert_eq!(levels.active_harm_threshold(), 20.0);
    }

    #[test]
    fn later_trials_need_more_and_promotions_lower_it_again() {
        let levels = Levels::default();
        assert!(near(levels.promotion_threshold(t(4), 0), 8.0 * 2.612 / 0.2));
        assert!(near(levels.promotion_threshold(t(4), 1), 4.0 * 2.612 / 0.2));
        assert_eq!(levels.promotion_threshold(t(4), 100), 20.0);
        assert!(near(
            levels.promotion_threshold(t(100), 3),
            250.0 * 2.612 / 0.2
        ));
        assert!(near(levels.harm_threshold(t(100)), 1000.0 * 2.612 / 0.2));
    }

    #[test]
    fn the_extremes_stay_numbers() {
        let levels = Levels::new(LEAST_LEVEL, LEAST_LEVEL).expect("in range");
        assert!(near(
            levels.promotion_threshold(NonZeroU32::MAX, 0),
            f64::from(u32::MAX).powf(1.5) * 2.612 / LEAST_LEVEL
        ));
        assert_eq!(levels.horizon(NonZeroU32::MAX, 0), 7338);
        assert_eq!(Levels::default().promotion_threshold(t(1), u32::MAX), 20.0);
    }

    #[test]
    fn a_level_that_is_no_probability_is_refused() {
        for level in [
            0.0,
            1.0,
            LEAST_LEVEL.next_down(),
            -0.1,
            1.5,
            f64::NAN,
            f64::INFINITY,
        ] {
            assert!(Levels::new(level, 0.2).is_err(), "{level}");
            assert!(Levels::new(0.05, level).is_err(), "{level}");
        }
        assert_eq!(Levels::new(0.05, 0.2), Ok(Levels::default()));
    }

    #[test]
    fn the_horizon_grows_with_the_threshold() {
        let levels = Levels::default();
        assert_eq!(levels.horizon(t(1), 0), 400);
        // 400 · ln(104.48) / ln 20 = 620.8.
        assert_eq!(levels.horizon(t(4), 0), 621);
        assert_eq!(levels.horizon(t(4), 100), 400);
    }

    #[test]
    fn no_horizon_hangs_on_the_last_bits_of_a_logarithm() {
        let levels = Levels::default();
        for number in 1..2000 {
            for promotions in 0..50 {
                let ratio = levels.promotion_threshold(t(number), promotions).ln() / 20_f64.ln();
                let from_half = ((400.0 * ratio).fract() - 0.5).abs();
                assert!(from_half > 1e-9, "{number} {promotions}");
            }
        }
    }

    #[test]
    fn the_shares_of_all_trials_add_up_to_one() {
        let sum: f64 = (1..=4_000_000).map(|number| gamma(t(number))).sum();
        // What is left after the n-th is 2 / (2.612 · sqrt(n)).
        let rest = 2.0 / (GAMMA_NORMALISER * 2000.0);
        assert!((sum + rest - 1.0).abs() < 0.000_2, "{sum}");
    }
}
