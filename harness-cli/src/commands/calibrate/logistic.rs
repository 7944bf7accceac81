//! Logistic regression with a ridge penalty.
//!
//! Minimises Σ log-loss + [`PENALTY`]/2 · |weights|² over standardised signals, the bias free, by
//! accelerated gradient descent with restarts (Nesterov 1983; O'Donoghue and Candès 2015). Convex,
//! so the result does not depend on where it starts.

/// Signals of a session.
pub(super) const SIGNALS: usize = 8;

/// The penalty, on the scale of sessions: with fewer of them than this the weights stay near 0.
const PENALTY: f64 = 30.0;
/// Steps at most.
const MAX_STEPS: u32 = 5000;
/// The descent ends where no derivative is larger than this a session.
const FLAT: f64 = 1e-7;

/// A session's signals, and whether it failed.
pub(super) type Row = ([f64; SIGNALS], bool);

/// A fitted model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Logistic {
    /// The log-odds where every signal is at its mean.
    pub(super) bias: f64,
    /// What a standard deviation of each signal adds.
    pub(super) weights: [f64; SIGNALS],
    /// The signals' means.
    pub(super) means: [f64; SIGNALS],
    /// Their standard deviations; 1 for one that does not vary.
    pub(super) scales: [f64; SIGNALS],
}

/// The bias, then the weights.
#[derive(Clone, Copy)]
struct Point(f64, [f64; SIGNALS]);

impl Point {
    fn zip(self, other: Self, with: impl Fn(f64, f64) -> f64) -> Self {
        let mut weights = self.1;
        for (weight, other) in weights.iter_mut().zip(other.1) {
            *weight = with(*weight, other);
        }
        Self(with(self.0, other.0), weights)
    }

    fn dot(self, signals: &[f64; SIGNALS]) -> f64 {
        let products = self
            .1
            .iter()
            .zip(signals)
            .map(|(weight, signal)| weight * signal);
        self.0 + products.sum::<f64>()
    }

    fn is_within(self, bound: f64) -> bool {
        self.1
            .iter()
            .chain([&self.0])
            .all(|part| part.abs() <= bound)
    }
}

impl Logistic {
    /// Fits a model to rows.
    pub(super) fn fit(rows: &[Row]) -> Self {
        let (means, scales) = moments(rows);
        let rows: Vec<Row> = rows
            .iter()
            .map(|(signals, failed)| (standardised(signals, &means, &scales), *failed))
            .collect();
        // A bound of the curvature: a quarter of the squared length of all rows, and the penalty.
        let length: f64 = rows
            .iter()
            .map(|(signals, _)| 1.0 + signals.iter().map(|signal| signal * signal).sum::<f64>())
            .sum();
        let step = 1.0 / (length / 4.0 + PENALTY);
        let flat = FLAT * rows.len().max(1) as f64;
        let mut at = Point(0.0, [0.0; SIGNALS]);
        let (mut ahead, mut pace) = (at, 1.0_f64);
        for _ in 0..MAX_STEPS {
            let slope = slope(&rows, ahead);
            if slope.is_within(flat) {
                break;
            }
            let next = ahead.zip(slope, |here, slope| here - step * slope);
            let moved = next.zip(at, |next, at| next - at);
            // Going up again: forget the momentum.
            if slope.0 * moved.0 + Point(0.0, slope.1).dot(&moved.1) > 0.0 {
                pace = 1.0;
                ahead = next;
            } else {
                let faster = f64::midpoint(1.0, (1.0 + 4.0 * pace * pace).sqrt());
                let momentum = (pace - 1.0) / faster;
                ahead = next.zip(moved, |next, moved| next + momentum * moved);
                pace = faster;
            }
            at = next;
        }
        Self {
            bias: ahead.0,
            weights: ahead.1,
            means,
            scales,
        }
    }

    /// The probability of failure.
    pub(super) fn probability(&self, signals: &[f64; SIGNALS]) -> f64 {
        let signals = standardised(signals, &self.means, &self.scales);
        sigmoid(Point(self.bias, self.weights).dot(&signals))
    }
}

fn slope(rows: &[Row], at: Point) -> Point {
    let mut slope = Point(0.0, at.1.map(|weight| PENALTY * weight));
    for (signals, failed) in rows {
        let error = sigmoid(at.dot(signals)) - if *failed { 1.0 } else { 0.0 };
        slope = slope.zip(Point(1.0, *signals), |slope, signal| slope + error * signal);
    }
    slope
}

fn sigmoid(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

fn standardised(
    signals: &[f64; SIGNALS],
    means: &[f64; SIGNALS],
    scales: &[f64; SIGNALS],
) -> [f64; SIGNALS] {
    let mut out = *signals;
    for ((signal, mean), scale) in out.iter_mut().zip(means).zip(scales) {
        *signal = (*signal - mean) / scale;
    }
    out
}

/// Means and standard deviations.
fn moments(rows: &[Row]) -> ([f64; SIGNALS], [f64; SIGNALS]) {
    let count = rows.len().max(1) as f64;
    let mut means = [0.0; SIGNALS];
    for (signals, _) in rows {
        for (mean, signal) in means.iter_mut().zip(signals) {
            *mean += signal / count;
        }
    }
    let mut variances = [0.0; SIGNALS];
    for (signals, _) in rows {
        for ((variance, signal), mean) in variances.iter_mut().zip(signals).zip(means) {
            *variance += (signal - mean) * (signal - mean) / count;
        }
    }
    // Below this a signal varies by rounding alone.
    let scales = variances.map(|variance: f64| {
        if variance > 1e-18 {
            variance.sqrt()
        } else {
            1.0
        }
    });
    (means, scales)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(first: f64, failed: bool) -> Row {
        let mut signals = [3.0; SIGNALS];
        signals[0] = first;
        (signals, failed)
    }

    #[test]
    fn what_tells_gets_weight_and_what_does_not_vary_gets_none() {
        let rows: Vec<Row> = (0..200).map(|n| row(f64::from(n), n >= 100)).collect();
        let model = Logistic::fit(&rows);
        assert!(model.weights[0] > 1.0, "{model:?}");
        assert!(model.weights[1..].iter().all(|weight| weight.abs() < 1e-9));
        assert!(model.probability(&rows[199].0) > 0.8);
        assert!(model.probability(&rows[0].0) < 0.2);
    }

    #[test]
    fn the_descent_ends_at_the_bottom() {
        let rows: Vec<Row> = (0..60)
            .map(|n: i32| {
                let mut signals = [0.0; SIGNALS];
                for (at, signal) in (1..).zip(&mut signals) {
                    *signal = f64::from(n * at % 13);
                }
                (signals, n * n % 7 < 3)
            })
            .collect();
        let model = Logistic::fit(&rows);
        let rows: Vec<Row> = rows
            .iter()
            .map(|(signals, failed)| (standardised(signals, &model.means, &model.scales), *failed))
            .collect();
        assert!(slope(&rows, Point(model.bias, model.weights)).is_within(1e-4));
    }

    #[test]
    fn without_a_signal_it_is_the_share_of_failures() {
        let rows: Vec<Row> = (0..40).map(|n| row(7.0, n % 4 == 0)).collect();
        let probability = Logistic::fit(&rows).probability(&rows[0].0);
        assert!((probability - 0.25).abs() < 1e-6, "{probability}");
        assert_eq!(Logistic::fit(&[]).probability(&[1.0; SIGNALS]), 0.5);
    }
}
