//! The workspace's own alert model: `state/alert_model.json`. It is fitted to this workload, and
//! nothing of it is a default anywhere.

use serde::{Deserialize, Serialize};

/// One signal of a session and its weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignalDoc {
    /// Its name.
    pub name: String,
    /// Its mean where the model was fitted.
    pub mean: f64,
    /// Its standard deviation there; 1 where it does not vary.
    pub scale: f64,
    /// What one standard deviation adds to the log-odds of failure.
    pub weight: f64,
}

/// A logistic model of a session's failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlertModelDoc {
    /// The log-odds of failure where every signal is at its mean.
    pub bias: f64,
    /// The signals.
    pub signals: Vec<SignalDoc>,
    /// The probability of failure from which on an alert is recommended.
    pub threshold: f64,
}

impl AlertModelDoc {
    /// Whether every number is finite, so that the model can be written and read again.
    pub fn is_finite(&self) -> bool {
        let numbers = |signal: &SignalDoc| [signal.mean, signal.scale, signal.weight];
        self.signals
            .iter()
            .flat_map(numbers)
            .chain([self.bias, self.threshold])
            .all(f64::is_finite)
    }
}
