//! The probability of being treated: three values, no others.

/// Entries of a trial, in journal order, during which few sessions see an unproven rule.
const RAMP_ENTRIES: u64 = 20;

/// The probability with which a session was treated. It is recorded at entry and used for that
/// session for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pi {
    /// .1: the first entries of a trial.
    Ramp,
    /// .5: the rest of a trial.
    Trial,
    /// .9: an active rule, of which a tenth of the sessions is held out.
    Holdout,
}

impl Pi {
    /// Every value, in the order in which counts are multiplied.
    pub const ALL: [Self; 3] = [Self::Ramp, Self::Trial, Self::Holdout];

    /// The value for the entry of a *trial* that `earlier` entries precede in journal order.
    pub fn of_entry(earlier: u64) -> Self {
        if earlier < RAMP_ENTRIES {
            Self::Ramp
        } else {
            Self::Trial
        }
    }

    /// The probability, as a number.
    pub fn probability(self) -> f64 {
        match self {
            Self::Ramp => 0.1,
            Self::Trial => 0.5,
            Self::Holdout => 0.9,
        }
    }

    /// The probability as it is written, so that `parse(pi.as_str()) == Some(pi)`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ramp => "0.1",
            Self::Trial => "0.5",
            Self::Holdout => "0.9",
        }
    }

    /// Reads exactly what [`Pi::as_str`] writes, and nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pi| pi.as_str() == text)
    }

    /// Reads the number that [`Pi::probability`] gives, as a JSON parser returns it; nothing near it.
    pub fn from_probability(number: f64) -> Option<Self> {
        Self::ALL.into_iter().find(|pi| pi.probability() == number)
    }

    /// The least 64-bit fraction that is *not* below π: ⌈π · 2⁶⁴⌉, so that `fraction / 2⁶⁴ < π`
    /// is `fraction < bound`, exactly.
    pub(super) fn bound(self) -> u64 {
        match self {
            Self::Ramp => 1_844_674_407_370_955_162,
            Self::Trial => 9_223_372_036_854_775_808,
            Self::Holdout => 16_602_069_666_338_596_455,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_the_exact_ceilings() {
        // π = tenths / 10, so ⌈π · 2⁶⁴⌉ = ⌈tenths · 2⁶⁴ / 10⌉, in integers.
        for (pi, tenths) in [(Pi::Ramp, 1_u128), (Pi::Trial, 5), (Pi::Holdout, 9)] {
            let exact = (tenths << 64).div_ceil(10);
            assert_eq!(u128::from(pi.bound()), exact, "{pi:?}");
        }
    }

    #[test]
    fn printing_then_parsing_is_the_identity() {
        for pi in Pi::ALL {
            assert_eq!(Pi::parse(pi.as_str()), Some(pi));
            assert_eq!(Pi::from_probability(pi.probability()), Some(pi));
            assert_eq!(pi.as_str().parse(), Ok(pi.probability()));
        }
    }

    #[test]
    fn nothing_else_parses() {
        for text in ["", ".1", "0.10", "0.2", "1", " 0.5", "NaN"] {
            assert_eq!(Pi::parse(text), None, "{text}");
        }
        for number in [0.0, 0.100_000_000_000_000_02, 0.2, 1.0, f64::NAN] {
            assert_eq!(Pi::from_probability(number), None, "{number}");
        }
    }

    #[test]
    fn the_ramp_ends_after_twenty_entries() {
        assert_eq!(Pi::of_entry(0), Pi::Ramp);
        assert_eq!(Pi::of_entry(19), Pi::Ramp);
        assert_eq!(Pi::of_entry(20), Pi::Trial);
        assert_eq!(Pi::of_entry(u64::MAX), Pi::Trial);
    }
}
