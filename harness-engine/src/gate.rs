//! From scores to conditions: what a metric's course says, turn by turn.
//!
//! - *breach*: strictly below the threshold; outcome and diagnosis only.
//! - *stall*: no gain for a window of turns while the peak is below the target; progress only.
//! - *regression*: well below the running peak; progress only.
//!
//! A gain is a rise by `gate_gain` over the peak, and any gain starts the window anew, so a healthy
//! climb never alerts, however slow: smaller rises leave the peak where it was and add up. A missing
//! score moves nothing and alerts nothing.

use harness_core::{Condition, MetricSpec, Score, Tier};
use harness_store::wire::score::GateState;

/// When a course is bad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateRules {
    /// A rise over the peak that counts.
    pub gain: f64,
    /// Turns without one after which a metric has stalled.
    pub window: u32,
    /// A peak from which on nothing stalls.
    pub target: f64,
    /// A fall below the peak that is a regression.
    pub drop: f64,
}

impl Default for GateRules {
    fn default() -> Self {
        Self {
            gain: 0.02,
            window: 5,
            target: 0.5,
            drop: 0.15,
        }
    }
}

/// Slack for decimal fractions that doubles cannot hold: .65 is .15 below .8.
const SLACK: f64 = 1e-9;

impl GateRules {
    /// Takes a new score up and says what it means.
    pub fn advance(
        &self,
        state: &mut GateState,
        spec: &MetricSpec,
        score: Option<Score>,
    ) -> Vec<Condition> {
        let Some(score) = score else {
            return Vec::new();
        };
        match spec.tier {
            Tier::Outcome | Tier::Diagnosis => {
                if score < spec.threshold {
                    vec![Condition::Breach]
                } else {
                    Vec::new()
                }
            }
            Tier::Progress => self.advance_progress(state, score),
            Tier::Explanation => Vec::new(),
        }
    }

    fn advance_progress(&self, state: &mut GateState, score: Score) -> Vec<Condition> {
        let Some(peak) = state.peak else {
            *state = GateState {
                peak: Some(score),
                turns_since_gain: 0,
            };
            return Vec::new();
        };
        if score.get() >= peak.get() + self.gain - SLACK {
            *state = GateState {
                peak: Some(score),
                turns_since_gain: 0,
            };
            return Vec::new();
        }
        let mut conditions = Vec::new();
        state.turns_since_gain = state.turns_since_gain.saturating_add(1);
        if state.turns_since_gain >= self.window && peak.get() < self.target {
            conditions.push(Condition::Stall);
            state.turns_since_gain = 0;
        }
        if score.get() <= peak.get() - self.drop + SLACK {
            conditions.push(Condition::Regression);
        }
        conditions
    }
}

#[cfg(test)]
mod tests {
    use harness_core::MetricName;

    use super::*;

    fn spec(tier: Tier) -> MetricSpec {
        MetricSpec {
            name: MetricName::parse("m").unwrap(),
            tier,
            threshold: Score::new(0.5).unwrap(),
        }
    }

    fn course(tier: Tier, scores: &[f64]) -> Vec<Vec<Condition>> {
        let (rules, spec) = (GateRules::default(), spec(tier));
        let mut state = GateState::default();
        scores
            .iter()
            .map(|score| rules.advance(&mut state, &spec, Score::new(*score)))
            .collect()
    }

    fn fired(tier: Tier, scores: &[f64]) -> Vec<(usize, Condition)> {
        course(tier, scores)
            .into_iter()
            .enumerate()
            .flat_map(|(at, conditions)| conditions.into_iter().map(move |c| (at, c)))
            .collect()
    }

    #[test]
    fn a_breach_is_strictly_below_the_threshold() {
        assert_eq!(
            fired(Tier::Diagnosis, &[0.5, 0.49]),
            [(1, Condition::Breach)]
        );
        assert_eq!(fired(Tier::Outcome, &[0.0]), [(0, Condition::Breach)]);
        assert_eq!(fired(Tier::Progress, &[0.4]), []);
        assert_eq!(fired(Tier::Explanation, &[0.0]), []);
    }

    #[test]
    fn five_turns_without_a_gain_stall_and_the_window_restarts() {
        let flat = [0.3; 12];
        assert_eq!(
            fired(Tier::Progress, &flat),
            [(5, Condition::Stall), (10, Condition::Stall)]
        );
        assert_eq!(fired(Tier::Progress, &[0.5; 12]), []);
    }

    #[test]
    fn a_slow_climb_never_alerts() {
        let climb: Vec<f64> = (0..30).map(|n| 0.1 + 0.01 * f64::from(n)).collect();
        assert_eq!(fired(Tier::Progress, &climb), []);
    }

    #[test]
    fn a_fall_below_the_peak_is_a_regression() {
        assert_eq!(
            fired(Tier::Progress, &[0.8, 0.66, 0.65]),
            [(2, Condition::Regression)]
        );
    }

    #[test]
    fn a_missing_score_moves_nothing() {
        let (rules, spec) = (GateRules::default(), spec(Tier::Progress));
        let mut state = GateState {
            peak: Score::new(0.3),
            turns_since_gain: 4,
        };
        let before = state;
        assert_eq!(rules.advance(&mut state, &spec, None), []);
        assert_eq!(state, before);
    }
}
