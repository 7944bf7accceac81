//! What other thresholds would have done.

use serde_json::{Value, json};

use super::measure::{Case, f1, precision, recall};

/// Thresholds that are tried: .05 to .95 in steps of .05.
const STEPS: std::ops::RangeInclusive<u32> = 1..=19;
const STEP: f64 = 20.0;

/// One threshold, tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tried {
    pub(super) threshold: f64,
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
}

/// Which side of a threshold alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alerts {
    /// A score strictly below it.
    Below,
    /// A probability of failure of at least it.
    From,
}

/// Every threshold, tried on the sessions' numbers; a session without one is silent.
pub(super) fn sweep(sessions: &[(Option<f64>, bool)], alerts: Alerts) -> Vec<Tried> {
    STEPS
        .map(|step| {
            let threshold = f64::from(step) / STEP;
            let cases: Vec<Case> = sessions
                .iter()
                .map(|(number, failed)| Case {
                    failed: *failed,
                    alerted: number.is_some_and(|number| match alerts {
                        Alerts::Below => number < threshold,
                        Alerts::From => number >= threshold,
                    }),
                    risk: 0.0,
                })
                .collect();
            Tried {
                threshold,
                precision: precision(&cases),
                recall: recall(&cases),
                f1: f1(&cases),
            }
        })
        .collect()
}

/// The threshold with the highest F1, of equal ones the lowest; none where nothing right would
/// have alerted at any.
pub(super) fn recommended(tried: &[Tried]) -> Option<Tried> {
    let mut best: Option<Tried> = None;
    for one in tried.iter().filter(|one| one.f1 > Some(0.0)) {
        if best.is_none_or(|best| one.f1 > best.f1) {
            best = Some(*one);
        }
    }
    best
}

impl Tried {
    pub(super) fn to_json(self) -> Value {
        json!({
            "threshold": self.threshold,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        })
    }

    /// `0.50: precision 0.700, recall 0.146, F1 0.241`.
    pub(super) fn to_text(self) -> String {
        let number = |number: Option<f64>| {
            number.map_or_else(|| "-".to_owned(), |number| format!("{number:.3}"))
        };
        format!(
            "{:.2}: precision {}, recall {}, F1 {}",
            self.threshold,
            number(self.precision),
            number(self.recall),
            number(self.f1)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_threshold_is_the_lowest_of_the_best() {
        let sessions = [
            (Some(0.2), true),
            (Some(0.4), true),
            (Some(0.4), false),
            (Some(0.9), false),
            (None, false),
        ];
        let tried = sweep(&sessions, Alerts::Below);
        assert_eq!(tried.len(), 19);
        // At .2 nothing is strictly below; from .25 on one of two failures, from .45 on all three.
        assert_eq!(tried[3].precision, None);
        assert_eq!(tried[4].precision, Some(1.0));
        let best = recommended(&tried).unwrap();
        assert_eq!((best.threshold, best.f1), (0.45, Some(0.8)));
    }

    #[test]
    fn a_probability_alerts_from_its_threshold_on() {
        let sessions = [(Some(0.5), true), (Some(0.4), false)];
        let best = recommended(&sweep(&sessions, Alerts::From)).unwrap();
        assert_eq!((best.threshold, best.precision), (0.45, Some(1.0)));
    }

    #[test]
    fn where_nothing_right_alerts_nothing_is_recommended() {
        let tried = sweep(&[(Some(0.1), false), (None, true)], Alerts::Below);
        assert_eq!(recommended(&tried), None);
    }
}
