//! The grid of alternatives that the e-process bets on.

/// How often control sessions fail, over the grid.
const CONTROL_RATES: [f64; 12] = [
    0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97,
];

/// What the rule leaves of the control rate, over the grid: from "nearly cured" to "a quarter less".
const REMAINING: [f64; 5] = [0.02, 0.1, 0.25, 0.5, 0.75];

/// How many alternatives the grid has.
pub const ALTERNATIVES: usize = CONTROL_RATES.len() * REMAINING.len();

/// One alternative to "the rule does not help": the two failure rates that it claims.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alternative {
    /// Failure rate of sessions that do not see the rule, in (0, 1).
    pub control: f64,
    /// Failure rate of sessions that see it, in (0, `control`).
    pub treated: f64,
}

impl Alternative {
    /// The mirror image: the rule makes worse what this alternative says it makes better.
    pub(super) fn mirrored(self) -> Self {
        Self {
            control: self.treated,
            treated: self.control,
        }
    }
}

/// All [`ALTERNATIVES`] in the one order in which they are ever summed.
pub fn alternatives() -> impl Iterator<Item = Alternative> {
    CONTROL_RATES.into_iter().flat_map(|control| {
        REMAINING.into_iter().map(move |remaining| Alternative {
            control,
            treated: control * remaining,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alternative_claims_that_the_rule_helps() {
        assert_eq!(alternatives().count(), ALTERNATIVES);
        for alternative in alternatives() {
            assert!(0.0 < alternative.treated, "{alternative:?}");
            assert!(alternative.treated < alternative.control, "{alternative:?}");
            assert!(alternative.control < 1.0, "{alternative:?}");
        }
    }
}
