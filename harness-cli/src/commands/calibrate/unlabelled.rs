//! What can be said of scores where nobody knows what became of the sessions: how they are
//! distributed, how often they breach, and whether two metrics agree.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::sessions::{Session, Turn};

/// The threshold that counts here: every embedded metric's.
const THRESHOLD: f64 = 0.5;

/// The scores of one metric, turn by turn.
#[derive(Clone, Debug, Default, PartialEq)]
struct Distribution {
    /// Sorted.
    scores: Vec<f64>,
    missing: usize,
}

/// Two metrics that scored the same turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Agreement {
    turns: u32,
    both_low: u32,
    first_low: u32,
    second_low: u32,
}

/// What the scores say by themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Unlabelled {
    sessions: usize,
    alerted: usize,
    signatures: BTreeMap<String, u32>,
    metrics: BTreeMap<String, Distribution>,
    pairs: BTreeMap<(String, String), Agreement>,
}

impl Unlabelled {
    pub(super) fn of<'a>(sessions: impl Iterator<Item = &'a Session>) -> Self {
        let mut all = Self::default();
        for session in sessions {
            all.sessions += 1;
            all.alerted += usize::from(!session.signatures.is_empty());
            for signature in &session.signatures {
                *all.signatures.entry(signature.clone()).or_default() += 1;
            }
            for turn in session.turns.values() {
                all.take(turn);
            }
        }
        for distribution in all.metrics.values_mut() {
            distribution.scores.sort_by(f64::total_cmp);
        }
        all
    }

    fn take(&mut self, turn: &Turn) {
        for (metric, score) in &turn.scores {
            let distribution = self.metrics.entry(metric.clone()).or_default();
            match score {
                Some(score) => distribution.scores.push(*score),
                None => distribution.missing += 1,
            }
        }
        let low: BTreeMap<&String, bool> = turn
            .scores
            .iter()
            .filter_map(|(metric, score)| Some((metric, (*score)? < THRESHOLD)))
            .collect();
        for (first, first_low) in &low {
            for (second, second_low) in low.iter().filter(|(second, _)| *second > first) {
                let names = ((*first).clone(), (*second).clone());
                let pair = self.pairs.entry(names).or_default();
                pair.turns += 1;
                pair.both_low += u32::from(*first_low && *second_low);
                pair.first_low += u32::from(*first_low);
                pair.second_low += u32::from(*second_low);
            }
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let metrics: Vec<Value> = self
            .metrics
            .iter()
            .map(|(metric, distribution)| {
                json!({
                    "metric": metric,
                    "turns": distribution.scores.len(),
                    "missing": distribution.missing,
                    "below_threshold": distribution.low(),
                    "quartiles": distribution.quartiles(),
                })
            })
            .collect();
        let pairs: Vec<Value> = self
            .pairs
            .iter()
            .map(|((first, second), pair)| {
                json!({
                    "metrics": [first, second],
                    "turns": pair.turns,
                    "both_below": pair.both_low,
                    "agree": pair.agree(),
                    "kappa": pair.kappa(),
                })
            })
            .collect();
        json!({
            "sessions": self.sessions,
            "alerted": self.alerted,
            "signatures": self.signatures,
            "metrics": metrics,
            "agreement": pairs,
        })
    }

    pub(super) fn to_text(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{} sessions, {} alerted; no labels: nothing is said of failures",
            self.sessions, self.alerted
        )];
        for (signature, sessions) in &self.signatures {
            lines.push(format!("  {signature}: {sessions} sessions"));
        }
        for (metric, distribution) in &self.metrics {
            let quartiles: Vec<String> = distribution
                .quartiles()
                .iter()
                .map(|score| format!("{score:.2}"))
                .collect();
            lines.push(format!(
                "{metric}: {} turns, {} below {THRESHOLD}, {} missing; least to most by quarters {}",
                distribution.scores.len(),
                distribution.low(),
                distribution.missing,
                quartiles.join(" ")
            ));
        }
        for ((first, second), pair) in &self.pairs {
            let kappa = pair
                .kappa()
                .map_or_else(|| "-".to_owned(), |kappa| format!("{kappa:.2}"));
            lines.push(format!(
                "{first} and {second} agree on {:.2} of {} turns (kappa {kappa})",
                pair.agree(),
                pair.turns
            ));
        }
        lines
    }

    /// Whether there is nothing to speak of.
    pub(super) fn is_empty(&self) -> bool {
        let names: BTreeSet<&String> = self.metrics.keys().collect();
        names.is_empty() && self.sessions == 0
    }
}

impl Distribution {
    fn low(&self) -> usize {
        self.scores
            .iter()
            .filter(|score| **score < THRESHOLD)
            .count()
    }

    /// Least, three quartiles (nearest rank), most; empty without scores.
    fn quartiles(&self) -> Vec<f64> {
        let last = self.scores.len().saturating_sub(1);
        (0..=4)
            .filter_map(|quarter| self.scores.get(last * quarter / 4).copied())
            .collect()
    }
}

impl Agreement {
    /// The share of turns in which both are low or neither is.
    fn agree(self) -> f64 {
        let apart = self.first_low + self.second_low - 2 * self.both_low;
        1.0 - f64::from(apart) / f64::from(self.turns.max(1))
    }

    /// Agreement beyond chance, in [-1, 1] (Cohen 1960); none where chance alone agrees always.
    fn kappa(self) -> Option<f64> {
        let turns = f64::from(self.turns.max(1));
        let (first, second) = (
            f64::from(self.first_low) / turns,
            f64::from(self.second_low) / turns,
        );
        let chance = first * second + (1.0 - first) * (1.0 - second);
        (chance < 1.0).then(|| (self.agree() - chance) / (1.0 - chance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(first: f64, second: Option<f64>) -> Turn {
        Turn {
            scores: BTreeMap::from([("a".to_owned(), Some(first)), ("b".to_owned(), second)]),
            counts: None,
        }
    }

    #[test]
    fn scores_are_described_and_metrics_compared() {
        let mut session = Session::default();
        let turns = [
            turn(0.1, Some(0.1)),
            turn(0.2, Some(0.9)),
            turn(0.8, Some(0.9)),
            turn(0.9, Some(0.7)),
            turn(1.0, None),
        ];
        session.turns = (0..).zip(turns).collect();
        let all = Unlabelled::of(std::iter::once(&session));
        assert_eq!(all.metrics["a"].quartiles(), [0.1, 0.2, 0.8, 0.9, 1.0]);
        assert_eq!((all.metrics["a"].low(), all.metrics["b"].missing), (2, 1));
        let pair = all.pairs[&("a".to_owned(), "b".to_owned())];
        assert_eq!((pair.turns, pair.both_low, pair.agree()), (4, 1, 0.75));
        assert_eq!(pair.kappa(), Some(0.5));
        assert!(!all.is_empty());
    }

    #[test]
    fn metrics_that_never_breach_have_no_agreement_beyond_chance() {
        let always = Agreement {
            turns: 3,
            ..Agreement::default()
        };
        assert_eq!((always.agree(), always.kappa()), (1.0, None));
        assert!(Unlabelled::default().is_empty());
    }
}
