//! The loop that decides all open trials together.
//!
//! e-LOND (Xu and Ramdas 2024, "Online multiple testing with e-values"): the t-th hypothesis is
//! rejected when its e-value reaches 1 / (φ · γ_t · (R + 1)), R the rejections so far, and the false
//! discovery rate stays below φ under any dependence between the e-values. A promotion lowers the
//! level of every open trial, so all are looked at again. What is compared is always the evidence of
//! now with the level of now: a maximum of the past was never evidence at a level that fell later,
//! and no function here can be given one.

use std::num::NonZeroU32;

use super::e_value::EValue;
use super::levels::Levels;

/// A trial that has met a session and has no verdict yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenTrial {
    /// Its number among the workspace's trials, by first entry.
    pub t: NonZeroU32,
    /// The evidence of now that the rule helps (by [`ByPrincipal::benefit`](super::ByPrincipal::benefit)).
    pub benefit: EValue,
    /// The evidence of now that it harms.
    pub harm: EValue,
    /// Sessions that have entered.
    pub entered: u32,
    /// Of those, the ones that have not closed.
    pub pending: u32,
    /// Sessions that may enter, by [`Levels::horizon`] at the first entry.
    pub horizon: u32,
}

/// How a trial ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The rule helps.
    Promoted,
    /// The rule makes things worse.
    Harmful,
    /// The horizon passed and neither was shown.
    Unproven,
}

/// A verdict with everything it follows from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Which trial.
    pub t: NonZeroU32,
    /// Its verdict.
    pub verdict: Verdict,
    /// The evidence that was compared: of harm for [`Verdict::Harmful`], else of benefit.
    pub evidence: EValue,
    /// The level that it was compared with.
    pub threshold: f64,
    /// Promotions by verdict before this one, R.
    pub promotions: u32,
}

/// Decides what can be decided now, in the order in which the verdicts are to be journaled; a trial
/// without a decision stays open. To be called after each outcome, with all open trials in any order
/// and the promotions by verdict in the journal so far.
///
/// `takes_room` is asked of a trial, by its number, that has the evidence to be promoted, and takes
/// the room for its rule if there is any. Where there is none the trial stays open, whatever its
/// horizon, and is compared anew at the next look: its evidence of then with the level of then.
///
/// First promotions, in order of t and from the first trial again after each of them, until nothing
/// more follows; then, in order of t, harm and spent horizons. A trial that shows harm is never
/// promoted, whatever else it shows.
pub fn decide_all(
    levels: &Levels,
    promotions: u32,
    trials: &[OpenTrial],
    mut takes_room: impl FnMut(NonZeroU32) -> bool,
) -> Vec<Decision> {
    let mut open: Vec<&OpenTrial> = trials.iter().collect();
    open.sort_by_key(|trial| trial.t);
    let mut promotions = promotions;
    let mut decisions = Vec::new();
    while let Some(at) = open.iter().position(|trial| {
        !is_harmful(levels, trial)
            && trial
                .benefit
                .at_least(levels.promotion_threshold(trial.t, promotions))
            && takes_room(trial.t)
    }) {
        let trial = open.remove(at);
        decisions.push(Decision {
            t: trial.t,
            verdict: Verdict::Promoted,
            evidence: trial.benefit,
            threshold: levels.promotion_threshold(trial.t, promotions),
            promotions,
        });
        promotions = promotions.saturating_add(1);
    }
    decisions.extend(open.into_iter().filter_map(|trial| {
        let level = levels.promotion_threshold(trial.t, promotions);
        let is_spent = trial.entered >= trial.horizon && trial.pending == 0;
        let (verdict, evidence, threshold) = if is_harmful(levels, trial) {
            (Verdict::Harmful, trial.harm, levels.harm_threshold(trial.t))
        } else if is_spent && !trial.benefit.at_least(level) {
            (Verdict::Unproven, trial.benefit, level)
        } else {
            return None;
        };
        Some(Decision {
            t: trial.t,
            verdict,
            evidence,
            threshold,
            promotions,
        })
    }));
    decisions
}

fn is_harmful(levels: &Levels, trial: &OpenTrial) -> bool {
    trial.harm.at_least(levels.harm_threshold(trial.t))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HORIZON: u32 = 400;

    fn trial(t: u32, benefit: f64, harm: f64) -> OpenTrial {
        OpenTrial {
            t: NonZeroU32::new(t).expect("trials are numbered from one"),
            benefit: EValue::new(benefit).expect("an e-value"),
            harm: EValue::new(harm).expect("an e-value"),
            entered: 100,
            pending: 3,
            horizon: HORIZON,
        }
    }

    fn verdicts(promotions: u32, trials: &[OpenTrial]) -> Vec<(u32, Verdict)> {
        decide_all(&Levels::default(), promotions, trials, |_| true)
            .into_iter()
            .map(|decision| (decision.t.get(), decision.verdict))
            .collect()
    }

    #[test]
    fn enough_evidence_promotes_and_a_little_less_does_not() {
        assert_eq!(
            verdicts(0, &[trial(1, 20.0, 0.1)]),
            [(1, Verdict::Promoted)]
        );
        assert_eq!(verdicts(0, &[trial(1, 20_f64.next_down(), 0.1)]), []);
    }

    #[test]
    fn a_promotion_lowers_the_level_of_trials_before_and_after_it() {
        // Levels without a promotion: t = 2 needs 36.9, t = 3 67.9, t = 5 146; with one, half.
        let trials = [
            trial(5, 80.0, 0.1),
            trial(2, 25.0, 0.1),
            trial(3, 70.0, 0.1),
        ];
        let decisions = decide_all(&Levels::default(), 0, &trials, |_| true);
        let found: Vec<_> = decisions
            .iter()
            .map(|decision| (decision.t.get(), decision.promotions))
            .collect();
        assert_eq!(found, [(3, 0), (2, 1), (5, 2)]);
        for decision in decisions {
            assert!(decision.evidence.at_least(decision.threshold));
        }
        // Without the one that started it, nothing follows.
        assert_eq!(verdicts(0, &trials[..2]), []);
        assert_eq!(
            verdicts(1, &trials[..2]),
            [(2, Verdict::Promoted), (5, Verdict::Promoted)]
        );
    }

    #[test]
    fn a_past_maximum_is_never_compared_with_a_level_that_fell_later() {
        // The second trial stood at 30 while its level was 36.9, and has fallen to 10 since. Now the
        // first is promoted and the level of the second falls to 20, which 30 would have passed.
        let before = [trial(1, 19.0, 0.1), trial(2, 30.0, 0.1)];
        assert_eq!(verdicts(0, &before), []);
        let now = [trial(1, 21.0, 0.1), trial(2, 10.0, 0.1)];
        assert_eq!(verdicts(0, &now), [(1, Verdict::Promoted)]);
        // The twin that still stands there passes.
        let still = [trial(1, 21.0, 0.1), trial(2, 30.0, 0.1)];
        assert_eq!(
            verdicts(0, &still),
            [(1, Verdict::Promoted), (2, Verdict::Promoted)]
        );
    }

    #[test]
    fn harm_has_the_level_of_no_promotions() {
        assert_eq!(verdicts(0, &[trial(2, 0.1, 36.0)]), []);
        assert_eq!(verdicts(9, &[trial(2, 0.1, 36.0)]), []);
        assert_eq!(verdicts(9, &[trial(2, 0.1, 37.0)]), [(2, Verdict::Harmful)]);
    }

    #[test]
    fn what_shows_harm_is_not_promoted() {
        assert_eq!(
            verdicts(0, &[trial(1, 1000.0, 20.0)]),
            [(1, Verdict::Harmful)]
        );
    }

    #[test]
    fn a_spent_horizon_waits_for_the_last_session() {
        let mut spent = trial(1, 3.0, 0.1);
        spent.entered = HORIZON;
        assert_eq!(verdicts(0, &[spent]), []);
        spent.pending = 0;
        assert_eq!(verdicts(0, &[spent]), [(1, Verdict::Unproven)]);
        spent.entered = HORIZON - 1;
        assert_eq!(verdicts(0, &[spent]), []);
    }

    #[test]
    fn the_last_outcome_of_a_spent_trial_may_still_promote_it() {
        let mut spent = trial(2, 25.0, 0.1);
        (spent.entered, spent.pending) = (HORIZON, 0);
        assert_eq!(verdicts(0, &[spent]), [(2, Verdict::Unproven)]);
        assert_eq!(
            verdicts(0, &[spent, trial(3, 70.0, 0.1)]),
            [(3, Verdict::Promoted), (2, Verdict::Promoted)],
        );
    }

    #[test]
    fn what_finds_no_room_waits_and_lowers_no_level() {
        let mut proven = trial(2, 40.0, 0.1);
        (proven.entered, proven.pending) = (HORIZON, 0);
        // With the second promoted the third would be at 67.9 / 2 = 34; without, it is not.
        let trials = [proven, trial(3, 40.0, 0.1)];
        let found = |room: fn(NonZeroU32) -> bool| {
            decide_all(&Levels::default(), 0, &trials, room)
                .into_iter()
                .map(|decision| (decision.t.get(), decision.verdict))
                .collect::<Vec<_>>()
        };
        let both = [(2, Verdict::Promoted), (3, Verdict::Promoted)];
        assert_eq!(found(|_| true), both);
        assert_eq!(found(|t| t.get() != 2), []);
        // Harm ends it as ever.
        proven.harm = EValue::new(37.0).expect("an e-value");
        let harmful = decide_all(&Levels::default(), 0, &[proven], |_| false);
        assert_eq!(harmful.first().map(|d| d.verdict), Some(Verdict::Harmful));
    }

    #[test]
    fn room_is_taken_by_what_is_promoted_alone() {
        let trials = [
            trial(1, 19.0, 0.1),
            trial(2, 50.0, 0.1),
            trial(3, 80.0, 0.1),
        ];
        let mut left = 1;
        let decisions = decide_all(&Levels::default(), 0, &trials, |_| {
            let has = left > 0;
            left -= i32::from(has);
            has
        });
        let promoted: Vec<u32> = decisions.iter().map(|d| d.t.get()).collect();
        assert_eq!(promoted, [2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Whatever the order of the input, deciding is complete: nothing that is left open could be
        /// decided, every trial has one verdict at most, and every promotion meets its own level.
        #[test]
        fn deciding_twice_decides_nothing_more(
            evidence in prop::collection::vec((0.0..300.0_f64, 0.0..60.0_f64, 398..402_u32, 0..2_u32), 0..12),
            promotions in 0..4_u32,
            rotation in 0..12_usize,
        ) {
            let levels = Levels::default();
            let trials: Vec<OpenTrial> = (1..)
                .zip(&evidence)
                .map(|(t, (benefit, harm, entered, pending))| OpenTrial {
                    entered: *entered,
                    pending: *pending,
                    ..trial(t, *benefit, *harm)
                })
                .collect();
            let decisions = decide_all(&levels, promotions, &trials, |_| true);
            let mut other = trials.clone();
            other.rotate_left(rotation % trials.len().max(1));
            prop_assert_eq!(&decisions, &decide_all(&levels, promotions, &other, |_| true));

            let promoted = decisions.iter().filter(|d| d.verdict == Verdict::Promoted);
            for (before, decision) in (promotions..).zip(promoted.clone()) {
                prop_assert_eq!(decision.promotions, before);
                prop_assert_eq!(decision.threshold, levels.promotion_threshold(decision.t, before));
                prop_assert!(decision.evidence.at_least(decision.threshold));
            }
            let left: Vec<OpenTrial> = trials
                .iter()
                .filter(|trial| decisions.iter().all(|d| d.t != trial.t))
                .copied()
                .collect();
            prop_assert_eq!(left.len() + decisions.len(), trials.len());
            let after = promotions + promoted.count() as u32;
            prop_assert_eq!(decide_all(&levels, after, &left, |_| true), []);
        }
    }
}
