//! The dice of the demo: the same seed, the same world.

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014):
/// good enough to shuffle file names, and nothing here is secret.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice of their own for each session of a seed.
    pub(crate) fn new(seed: u64, session: u32) -> Self {
        let mut dice = Self(seed ^ (u64::from(session) << 32));
        dice.next();
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A whole number below `bound`; 0 for a bound of 0. The bias of the remainder is below
    /// 2⁻⁵⁰ for the small bounds of the demo.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or(0)
    }

    /// True in `percent` of all throws.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, `None` only if there is none.
    pub(crate) fn one_of<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        let at = self.below(choices.len() as u64);
        choices.get(usize::try_from(at).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn a_seed_decides_everything_and_sessions_differ() {
        let throws = |seed, session| {
            let mut dice = Dice::new(seed, session);
            [(); 8].map(|()| dice.below(1000))
        };
        assert_eq!(throws(1, 1), throws(1, 1));
        assert_ne!(throws(1, 1), throws(1, 2));
        assert_ne!(throws(1, 1), throws(2, 1));
    }

    #[test]
    fn a_chance_is_about_what_it_says() {
        let hits = (0..10_000).filter(|n| Dice::new(7, *n).chance(40)).count();
        assert!((3_700..4_300).contains(&hits), "{hits}");
    }
}
