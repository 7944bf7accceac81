//! How well a verdict matches what became of sessions, with intervals.
//!
//! Runs of one task are alike, so an interval is a bootstrap over *tasks*, not sessions (the
//! cluster bootstrap: Davison and Hinkley 1997, §3.8): percentiles 2.5 and 97.5 of [`DRAWS`] draws
//! with replacement, from a fixed seed, so that the same sessions give the same interval.

use std::collections::BTreeMap;

/// Draws of a bootstrap.
const DRAWS: usize = 1000;
/// Where its random numbers begin.
const SEED: u64 = 0x6361_6c69_6272_6174;

/// A session whose end is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Case {
    /// Whether it failed.
    pub(super) failed: bool,
    /// Whether it alerted.
    pub(super) alerted: bool,
    /// How likely it is to have failed, on any scale; higher is likelier.
    pub(super) risk: f64,
}

/// A number, and where there is one its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub(super) value: Option<f64>,
    pub(super) interval: Option<(f64, f64)>,
}

impl Estimate {
    /// `0.765 (0.500 to 0.938)`, or `-`.
    pub(super) fn to_text(self) -> String {
        match (self.value, self.interval) {
            (Some(value), Some((low, high))) => format!("{value:.3} ({low:.3} to {high:.3})"),
            (Some(value), None) => format!("{value:.3}"),
            (None, _) => "-".to_owned(),
        }
    }
}

/// Sessions whose end is known, by task.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    tasks: Vec<Vec<Case>>,
}

impl Sample {
    pub(super) fn of<'a>(cases: impl IntoIterator<Item = (&'a str, Case)>) -> Self {
        let mut tasks: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
        for (task, case) in cases {
            tasks.entry(task).or_default().push(case);
        }
        Self {
            tasks: tasks.into_values().collect(),
        }
    }

    /// A statistic of all cases, and its interval where at least half of the draws have one.
    pub(super) fn estimate(&self, statistic: fn(&[Case]) -> Option<f64>) -> Estimate {
        let mut random = SplitMix(SEED);
        let mut drawn: Vec<f64> = Vec::with_capacity(DRAWS);
        for _ in 0..DRAWS {
            let cases: Vec<Case> = (0..self.tasks.len())
                .filter_map(|_| self.tasks.get(random.below(self.tasks.len())))
                .flatten()
                .copied()
                .collect();
            drawn.extend(statistic(&cases));
        }
        drawn.sort_by(f64::total_cmp);
        let at = |thousandths: usize| drawn.get(drawn.len() * thousandths / 1000).copied();
        let interval = (drawn.len() >= DRAWS / 2)
            .then(|| at(25).zip(at(975)))
            .flatten();
        Estimate {
            value: statistic(&self.tasks.concat()),
            interval,
        }
    }
}

/// Failures among what alerted.
pub(super) fn precision(cases: &[Case]) -> Option<f64> {
    let alerted = cases.iter().filter(|case| case.alerted);
    share(
        alerted.clone().filter(|case| case.failed).count(),
        alerted.count(),
    )
}

/// What alerted among failures.
pub(super) fn recall(cases: &[Case]) -> Option<f64> {
    let failed = cases.iter().filter(|case| case.failed);
    share(
        failed.clone().filter(|case| case.alerted).count(),
        failed.count(),
    )
}

/// The harmonic mean of precision and recall; 0 where nothing right alerted.
pub(super) fn f1(cases: &[Case]) -> Option<f64> {
    let count = |test: fn(&&Case) -> bool| cases.iter().filter(test).count();
    let right = count(|case| case.failed && case.alerted);
    share(
        2 * right,
        count(|case| case.failed) + count(|case| case.alerted),
    )
}

/// The area under the ROC curve: how often a failure has a higher risk than a success, ties
/// counted half (Mann and Whitney 1947).
pub(super) fn auroc(cases: &[Case]) -> Option<f64> {
    let mut sorted = cases.to_vec();
    sorted.sort_by(|a, b| a.risk.total_cmp(&b.risk));
    let (mut above, mut failures, mut successes) = (0.0, 0_usize, 0_usize);
    for tied in sorted.chunk_by(|a, b| a.risk == b.risk) {
        let failed = tied.iter().filter(|case| case.failed).count();
        let fine = tied.len() - failed;
        above += failed as f64 * (successes as f64 + fine as f64 / 2.0);
        failures += failed;
        successes += fine;
    }
    (failures > 0 && successes > 0).then(|| above / (failures as f64 * successes as f64))
}

/// Failures among the tenth of the cases with the highest risk, rounded up. Of cases that are tied
/// at its edge a share counts, as if they were drawn by lot.
pub(super) fn precision_top_tenth(cases: &[Case]) -> Option<f64> {
    let tenth = cases.len().div_ceil(10);
    let mut sorted = cases.to_vec();
    sorted.sort_by(|a, b| b.risk.total_cmp(&a.risk));
    let (mut left, mut failed) = (tenth, 0.0);
    for tied in sorted.chunk_by(|a, b| a.risk == b.risk) {
        let taken = left.min(tied.len());
        let failures = tied.iter().filter(|case| case.failed).count();
        failed += failures as f64 * taken as f64 / tied.len() as f64;
        left -= taken;
    }
    (tenth > 0).then(|| failed / tenth as f64)
}

/// A part of a whole; nothing where there is no whole.
fn share(part: usize, whole: usize) -> Option<f64> {
    // Counts of sessions are far below 2⁵³, where the conversion is exact.
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Random numbers from a seed (Steele, Lea and Flood 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`, which is far below 2³², so that none is noticeably likelier.
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(of: &[(bool, bool, f64)]) -> Vec<Case> {
        of.iter()
            .map(|(failed, alerted, risk)| Case {
                failed: *failed,
                alerted: *alerted,
                risk: *risk,
            })
            .collect()
    }

    #[test]
    fn shares_are_counts() {
        let some = cases(&[
            (true, true, 0.0),
            (true, true, 0.0),
            (true, false, 0.0),
            (false, true, 0.0),
            (false, false, 0.0),
        ]);
        assert_eq!(precision(&some), Some(2.0 / 3.0));
        assert_eq!(recall(&some), Some(2.0 / 3.0));
        assert_eq!(f1(&some), Some(4.0 / 6.0));
        assert_eq!(precision(&cases(&[(true, false, 0.0)])), None);
        assert_eq!(recall(&cases(&[(false, true, 0.0)])), None);
    }

    #[test]
    fn the_area_counts_pairs_and_halves_of_ties() {
        let some = cases(&[
            (true, false, 0.9),
            (false, false, 0.5),
            (true, false, 0.5),
            (false, false, 0.1),
        ]);
        assert_eq!(auroc(&some), Some(3.5 / 4.0));
        assert_eq!(auroc(&cases(&[(true, false, 0.9)])), None);
    }

    #[test]
    fn ties_at_the_edge_of_the_tenth_count_in_part() {
        let mut some = cases(&[(true, false, 1.0), (false, false, 1.0)]);
        some.extend(cases(&[(false, false, 0.0); 8]));
        assert_eq!(precision_top_tenth(&some), Some(0.5));
        some.extend(cases(&[(true, false, 2.0)]));
        assert_eq!(precision_top_tenth(&some), Some(0.75));
        assert_eq!(precision_top_tenth(&[]), None);
    }

    #[test]
    fn an_interval_holds_its_estimate_and_is_the_same_each_time() {
        let named: Vec<String> = (0..30).map(|task| format!("task {task}")).collect();
        let sample = Sample::of(named.iter().enumerate().map(|(at, task)| {
            let case = Case {
                failed: at % 3 == 0,
                alerted: at % 2 == 0,
                risk: (at % 5) as f64 + if at % 3 == 0 { 1.0 } else { 0.0 },
            };
            (task.as_str(), case)
        }));
        for statistic in [precision, recall, f1, auroc, precision_top_tenth] {
            let estimate = sample.estimate(statistic);
            let (low, high) = estimate.interval.unwrap();
            let value = estimate.value.unwrap();
            assert!((low..=high).contains(&value), "{estimate:?}");
            assert_eq!(estimate, sample.estimate(statistic));
        }
        let one = Sample::of([("a", cases(&[(true, true, 1.0)])[0])]);
        assert_eq!(one.estimate(auroc).interval, None);
    }
}
