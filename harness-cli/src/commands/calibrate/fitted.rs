//! An alert model of this workload's own, and how well it does on tasks that it has not seen.
//!
//! Signals of a session are aggregates of what the workspace keeps of each turn: two scores, and
//! counts of what was done. Cross-validated by task: whole tasks are left out, their sessions are
//! judged by the model that the others gave, and only those judgements are counted. Weights do not
//! transfer between workloads, so none is a default anywhere.

use std::collections::{BTreeMap, BTreeSet};

use harness_store::wire::alert_model::{AlertModelDoc, SignalDoc};
use harness_store::wire::event::AlertModelFitted;
use harness_store::wire::score::TurnCounts;
use serde_json::{Value, json};

use super::logistic::{Logistic, Row, SIGNALS};
use super::measure::{Case, Estimate, Sample, auroc, precision_top_tenth};
use super::sessions::Session;
use super::thresholds::{Alerts, Tried, recommended, sweep};

/// Parts of the cross-validation at most.
const MAX_FOLDS: usize = 10;
/// Failures, and successes, below which nothing is fitted.
const MIN_OF_EACH: usize = 10;
/// Tasks below which nothing is fitted.
const MIN_TASKS: usize = 5;

const NAMES: [&str; SIGNALS] = [
    "calls_a_turn_log",
    "reply_words_a_turn_log",
    "most_reply_words_log",
    "result_words_a_turn_log",
    "most_result_words_log",
    "turns_without_a_call",
    "task_completion_loss",
    "coherence_loss",
];

/// A session whose end is known, as the model sees it.
#[derive(Clone, Debug)]
pub(super) struct Known<'a> {
    pub(super) task: &'a str,
    pub(super) failed: bool,
    pub(super) signals: [f64; SIGNALS],
}

/// The signals of a session; none where a turn was not counted or there is no turn.
pub(super) fn signals(session: &Session) -> Option<[f64; SIGNALS]> {
    let counts: Vec<TurnCounts> = session
        .turns
        .values()
        .map(|turn| turn.counts)
        .collect::<Option<_>>()?;
    if counts.is_empty() {
        return None;
    }
    let turns = counts.len() as f64;
    let mean = |of: fn(&TurnCounts) -> u32| {
        let sum: f64 = counts.iter().map(|counts| f64::from(of(counts))).sum();
        (sum / turns).ln_1p()
    };
    let most =
        |of: fn(&TurnCounts) -> u32| f64::from(counts.iter().map(of).max().unwrap_or(0)).ln_1p();
    let idle = counts.iter().filter(|counts| counts.calls == 0).count() as f64 / turns;
    let loss = |metric: &str| session.scores(metric).map(|score| 1.0 - score).sum();
    Some([
        mean(|counts| counts.calls),
        mean(|counts| counts.reply_words),
        most(|counts| counts.reply_words),
        mean(|counts| counts.result_words),
        most(|counts| counts.result_words),
        idle,
        loss("task_completion"),
        loss("coherence"),
    ])
}

/// A fitted model and what it reached.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    /// The model, fitted to all of the sessions.
    pub(super) model: AlertModelDoc,
    sessions: usize,
    failures: usize,
    tasks: usize,
    folds: usize,
    /// Cross-validated, like all that follows.
    pub(super) auroc: Estimate,
    pub(super) top_tenth: Estimate,
    threshold: Tried,
}

/// Fits a model.
///
/// # Errors
/// What there is too little of, in words.
pub(super) fn fit(known: &[Known<'_>]) -> Result<Fitted, String> {
    let tasks: BTreeSet<&str> = known.iter().map(|known| known.task).collect();
    let failures = known.iter().filter(|known| known.failed).count();
    let successes = known.len() - failures;
    if failures.min(successes) < MIN_OF_EACH || tasks.len() < MIN_TASKS {
        return Err(format!(
            "{failures} failures and {successes} successes of {} tasks are too few to fit to: \
             {MIN_OF_EACH} of each and {MIN_TASKS} tasks are needed, in turns that this version \
             evaluated",
            tasks.len()
        ));
    }
    let folds = tasks.len().min(MAX_FOLDS);
    let risks = cross_validated(known, &tasks, folds);
    let sample = Sample::of(known.iter().zip(&risks).map(|(known, risk)| {
        let case = Case {
            failed: known.failed,
            alerted: false,
            risk: *risk,
        };
        (known.task, case)
    }));
    let judged: Vec<(Option<f64>, bool)> = known
        .iter()
        .zip(&risks)
        .map(|(known, risk)| (Some(*risk), known.failed))
        .collect();
    let threshold = recommended(&sweep(&judged, Alerts::From))
        .ok_or("no threshold would have alerted at a failure")?;
    Ok(Fitted {
        model: document(&Logistic::fit(&rows(known.iter())), threshold.threshold),
        sessions: known.len(),
        failures,
        tasks: tasks.len(),
        folds,
        auroc: sample.estimate(auroc),
        top_tenth: sample.estimate(precision_top_tenth),
        threshold,
    })
}

/// The probability of failure of each session, by the model that the other parts gave.
fn cross_validated(known: &[Known<'_>], tasks: &BTreeSet<&str>, folds: usize) -> Vec<f64> {
    let part: BTreeMap<&str, usize> = tasks
        .iter()
        .enumerate()
        .map(|(at, task)| (*task, at % folds))
        .collect();
    let part_of = |known: &Known<'_>| part.get(known.task).copied().unwrap_or(0);
    let models: Vec<Logistic> = (0..folds)
        .map(|fold| Logistic::fit(&rows(known.iter().filter(|known| part_of(known) != fold))))
        .collect();
    known
        .iter()
        .map(|known| {
            models
                .get(part_of(known))
                .map_or(0.5, |model| model.probability(&known.signals))
        })
        .collect()
}

fn rows<'a>(known: impl Iterator<Item = &'a Known<'a>>) -> Vec<Row> {
    known.map(|known| (known.signals, known.failed)).collect()
}

fn document(model: &Logistic, threshold: f64) -> AlertModelDoc {
    let signals = NAMES
        .iter()
        .zip(model.means)
        .zip(model.scales)
        .zip(model.weights)
        .map(|(((name, mean), scale), weight)| SignalDoc {
            name: (*name).to_owned(),
            mean,
            scale,
            weight,
        })
        .collect();
    AlertModelDoc {
        bias: model.bias,
        signals,
        threshold,
    }
}

impl Fitted {
    /// What the journal keeps of it, with the hash of the model's file.
    pub(super) fn event(&self, sha256: String) -> AlertModelFitted {
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let (low, high) = self.auroc.interval.unwrap_or((0.0, 1.0));
        AlertModelFitted {
            sha256,
            sessions: count(self.sessions),
            failures: count(self.failures),
            tasks: count(self.tasks),
            folds: count(self.folds),
            auroc: self.auroc.value.unwrap_or(0.5),
            auroc_low: low,
            auroc_high: high,
            precision_top_tenth: self.top_tenth.value.unwrap_or(0.0),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let weights: serde_json::Map<String, Value> = self
            .model
            .signals
            .iter()
            .map(|signal| (signal.name.clone(), signal.weight.into()))
            .collect();
        json!({
            "sessions": self.sessions,
            "failures": self.failures,
            "tasks": self.tasks,
            "folds": self.folds,
            "auroc": self.auroc.value,
            "precision_top_tenth": self.top_tenth.value,
            "intervals": {
                "auroc": self.auroc.interval,
                "precision_top_tenth": self.top_tenth.interval,
            },
            "recommended": self.threshold.to_json(),
            "weights": weights,
        })
    }

    pub(super) fn to_text(&self) -> Vec<String> {
        vec![
            format!(
                "fitted to {} sessions of {} tasks, cross-validated by task in {} parts; saved",
                self.sessions, self.tasks, self.folds
            ),
            format!("  AUROC {}", self.auroc.to_text()),
            format!("  precision at the top tenth {}", self.top_tenth.to_text()),
            format!("  recommended: alert from {}", self.threshold.to_text()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::sessions::Turn;
    use super::*;

    fn known(tasks: &[String], tells: bool) -> Vec<Known<'_>> {
        tasks
            .iter()
            .enumerate()
            .map(|(at, task)| {
                let failed = at % 2 == 0;
                let noise = (at * 7 % 11) as f64;
                let mut signals = [noise; SIGNALS];
                if tells && failed {
                    signals[0] += 20.0;
                }
                Known {
                    task,
                    failed,
                    signals,
                }
            })
            .collect()
    }

    fn tasks(sessions: usize, of: usize) -> Vec<String> {
        (0..sessions)
            .map(|session| format!("t{}", session % of))
            .collect()
    }

    #[test]
    fn a_signal_that_tells_is_found_and_noise_is_not() {
        let tasks = tasks(99, 33);
        let good = fit(&known(&tasks, true)).unwrap();
        assert!(good.auroc.value > Some(0.95), "{good:?}");
        let none = fit(&known(&tasks, false)).unwrap();
        assert!(none.auroc.value < Some(0.65), "{none:?}");
        assert!(good.model.is_finite() && none.model.is_finite());
        assert_eq!(good.event("x".to_owned()).folds, 10);
    }

    #[test]
    fn too_little_is_not_fitted_to() {
        let few = tasks(12, 6);
        assert!(fit(&known(&few, true)).unwrap_err().contains("too few"));
        assert!(fit(&known(&tasks(100, 4), true)).is_err());
        assert!(fit(&known(&tasks(100, 5), true)).is_ok());
    }

    #[test]
    fn a_session_that_was_not_counted_has_no_signals() {
        let turn = |counts| Turn {
            scores: BTreeMap::from([("task_completion".to_owned(), Some(0.25))]),
            counts,
        };
        let mut session = Session::default();
        assert_eq!(signals(&session), None);
        let counts = TurnCounts {
            calls: 0,
            reply_words: 4,
            result_words: 0,
        };
        session.turns.insert(0, turn(Some(counts)));
        let [calls, replies, most, .., idle, loss, _] = signals(&session).unwrap();
        assert_eq!((calls, idle, loss), (0.0, 1.0, 0.75));
        assert_eq!((replies, most), (4.0_f64.ln_1p(), 4.0_f64.ln_1p()));
        session.turns.insert(1, turn(None));
        assert_eq!(signals(&session), None);
    }
}
