//! What is measured, and how sure that is.

use harness_rules::evidence::Verdict;

use crate::trial::End;

/// Two-sided 99.9 % of the normal distribution.
const Z: f64 = 3.290_527;

/// How often something happened in `n` runs.
#[derive(Clone, Copy)]
pub(crate) struct Rate {
    pub(crate) hits: usize,
    pub(crate) n: usize,
}

impl Rate {
    pub(crate) fn of<T>(runs: &[T], hit: impl Fn(&T) -> bool) -> Self {
        Self {
            hits: runs.iter().filter(|run| hit(run)).count(),
            n: runs.len(),
        }
    }

    /// How often trials ended with this verdict.
    pub(crate) fn ended(ends: &[End], verdict: Verdict) -> Self {
        Self::of(ends, |end| end.verdict == verdict)
    }

    pub(crate) fn value(self) -> f64 {
        self.hits as f64 / self.n as f64
    }

    /// The 99.9 % interval (Wilson 1927).
    pub(crate) fn interval(self) -> (f64, f64) {
        let (n, p) = (self.n as f64, self.value());
        let z2 = Z * Z;
        let middle = p + z2 / (2.0 * n);
        let half = Z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z2 / n;
        (
            ((middle - half) / scale).max(0.0),
            ((middle + half) / scale).min(1.0),
        )
    }
}

/// The middle of the sessions that the promoted took; `None` where nothing was promoted.
pub(crate) fn median_sessions(ends: &[End]) -> Option<u32> {
    let mut sessions: Vec<u32> = ends
        .iter()
        .filter(|end| end.verdict == Verdict::Promoted)
        .map(|end| end.sessions)
        .collect();
    sessions.sort_unstable();
    sessions.get(sessions.len() / 2).copied()
}
