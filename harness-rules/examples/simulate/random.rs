//! Randomness that a seed repeats exactly, on any machine and any number of threads.

/// SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").
pub(crate) struct Random(u64);

impl Random {
    /// The stream of one run: apart for every seed, figure and run.
    pub(crate) fn of(seed: u64, figure: &str, run: usize) -> Self {
        let mut random = Self(seed);
        for byte in figure.bytes() {
            random.0 = random.next() ^ u64::from(byte);
        }
        random.0 = random.next() ^ run as u64;
        random.0 = random.next();
        random
    }

    /// True with probability `p`.
    pub(crate) fn chance(&mut self, p: f64) -> bool {
        // The top 53 bits are a fraction of 2^53.
        const FRACTION: f64 = 1.0 / 9_007_199_254_740_992.0;
        (self.next() >> 11) as f64 * FRACTION < p
    }

    /// One of the numbers below `n`, evenly.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        // The bias of the remainder is below n / 2^64.
        (self.next() % n as u64) as usize
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
