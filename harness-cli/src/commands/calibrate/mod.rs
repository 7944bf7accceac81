//! `harness calibrate`: how well alerts match what became of sessions.
//!
//! A session alerted if a notice speaks of it, posted or only journaled. With labels: precision,
//! recall, F1 and the area under the ROC curve, each with an interval, and what other thresholds
//! would have done. Without: how scores are distributed, and how far metrics agree. With `--fit`
//! an alert model of this workload's own.

mod fitted;
mod labels;
mod logistic;
mod measure;
mod sessions;
mod thresholds;
mod unlabelled;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use harness_core::SessionId;
use serde_json::{Value, json};

use self::fitted::{Fitted, Known};
use self::labels::Label;
use self::measure::{Case, Estimate, Sample};
use self::sessions::{Session, task_of};
use self::thresholds::{Alerts, Tried, recommended, sweep};
use self::unlabelled::Unlabelled;
use super::Cli;
use crate::args::Calibrate;
use crate::exit::{Exit, Problem};

/// Sessions by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ByLabel {
    failure: u64,
    success: u64,
}

impl ByLabel {
    const fn add(&mut self, label: Label) {
        match label {
            Label::Failure => self.failure += 1,
            Label::Success => self.success += 1,
        }
    }

    fn to_json(self) -> Value {
        json!({ "failures": self.failure, "successes": self.success })
    }
}

/// A labelled session that the workspace knows.
type Ended<'a> = (&'a SessionId, Label, &'a Session);

/// What was measured.
struct Calibration {
    labelled: usize,
    /// Labelled sessions that the workspace does not know.
    missing: usize,
    alerted: ByLabel,
    silent: ByLabel,
    signatures: BTreeMap<String, ByLabel>,
    precision: Estimate,
    recall: Estimate,
    f1: Estimate,
    auroc: Estimate,
    top_tenth: Estimate,
    thresholds: BTreeMap<String, Vec<Tried>>,
}

impl Calibration {
    fn of(ended: &[Ended<'_>], missing: usize) -> Self {
        let (mut alerted, mut silent) = (ByLabel::default(), ByLabel::default());
        let mut signatures: BTreeMap<String, ByLabel> = BTreeMap::new();
        for (_, label, session) in ended {
            let side = if session.signatures.is_empty() {
                &mut silent
            } else {
                &mut alerted
            };
            side.add(*label);
            for signature in &session.signatures {
                signatures.entry(signature.clone()).or_default().add(*label);
            }
        }
        let sample = Sample::of(ended.iter().map(|(id, label, session)| {
            let case = Case {
                failed: *label == Label::Failure,
                alerted: !session.signatures.is_empty(),
                risk: session.risk(),
            };
            (task_of(id), case)
        }));
        Self {
            labelled: ended.len(),
            missing,
            alerted,
            silent,
            signatures,
            precision: sample.estimate(measure::precision),
            recall: sample.estimate(measure::recall),
            f1: sample.estimate(measure::f1),
            auroc: sample.estimate(measure::auroc),
            top_tenth: sample.estimate(measure::precision_top_tenth),
            thresholds: thresholds_of(ended),
        }
    }

    fn to_json(&self) -> Value {
        let signatures: Vec<Value> = self
            .signatures
            .iter()
            .map(|(signature, by)| {
                json!({
                    "signature": signature,
                    "failures": by.failure,
                    "successes": by.success,
                })
            })
            .collect();
        let thresholds: Vec<Value> = self
            .thresholds
            .iter()
            .map(|(metric, tried)| {
                json!({
                    "metric": metric,
                    "sweep": tried.iter().map(|tried| tried.to_json()).collect::<Vec<_>>(),
                    "recommended": recommended(tried).map(|tried| tried.threshold),
                })
            })
            .collect();
        json!({
            "labelled": self.labelled,
            "missing": self.missing,
            "alerted": self.alerted.to_json(),
            "silent": self.silent.to_json(),
            "precision": self.precision.value,
            "recall": self.recall.value,
            "f1": self.f1.value,
            "auroc": self.auroc.value,
            "precision_top_tenth": self.top_tenth.value,
            "intervals": {
                "precision": self.precision.interval,
                "recall": self.recall.interval,
                "f1": self.f1.interval,
                "auroc": self.auroc.interval,
                "precision_top_tenth": self.top_tenth.interval,
            },
            "signatures": signatures,
            "thresholds": thresholds,
        })
    }

    fn to_text(&self) -> Vec<String> {
        let side =
            |name: &str, by: ByLabel| format!("{name:<10} {:>8}  {:>9}", by.failure, by.success);
        let mut lines = vec![
            format!(
                "{} labelled sessions, {} more are not in this workspace",
                self.labelled, self.missing
            ),
            "           failures  successes".to_owned(),
            side("alerted", self.alerted),
            side("silent", self.silent),
            format!("precision  {}", self.precision.to_text()),
            format!("recall     {}", self.recall.to_text()),
            format!("F1         {}", self.f1.to_text()),
            format!("AUROC      {}", self.auroc.to_text()),
            format!("precision at the top tenth {}", self.top_tenth.to_text()),
        ];
        for (signature, by) in &self.signatures {
            lines.push(format!(
                "  {signature}: {} failures, {} successes",
                by.failure, by.success
            ));
        }
        for (metric, tried) in &self.thresholds {
            if let Some(best) = recommended(tried) {
                lines.push(format!("{metric} does best below {}", best.to_text()));
            }
        }
        lines
    }
}

/// For each metric what other thresholds would have done, by the lowest score of each session.
fn thresholds_of(ended: &[Ended<'_>]) -> BTreeMap<String, Vec<Tried>> {
    let metrics: BTreeSet<&String> = ended
        .iter()
        .flat_map(|(_, _, session)| session.turns.values())
        .flat_map(|turn| turn.scores.keys())
        .collect();
    metrics
        .into_iter()
        .map(|metric| {
            let lowest: Vec<(Option<f64>, bool)> = ended
                .iter()
                .map(|(_, label, session)| (session.lowest(metric), *label == Label::Failure))
                .collect();
            (metric.clone(), sweep(&lowest, Alerts::Below))
        })
        .collect()
}

pub(super) fn run(cli: &mut Cli<'_>, args: &Calibrate) -> Result<Exit> {
    let labels = args.labels.as_deref().map(labels::read).transpose()?;
    let sessions = sessions::read(&cli.reader()?)?;
    let Some(labels) = labels else {
        return without_labels(cli, &sessions);
    };
    let ended: Vec<Ended<'_>> = labels
        .iter()
        .filter_map(|(id, label)| Some((id, *label, sessions.get(id)?)))
        .collect();
    if ended.is_empty() {
        let message =
            "the workspace knows none of these sessions: feed them in with `harness run` first";
        return Err(Problem::new(Exit::CannotTell, message).into());
    }
    let calibration = Calibration::of(&ended, labels.len() - ended.len());
    let fitted = args.fit.then(|| fit(cli, &ended)).transpose()?;
    if cli.out.is_json() {
        let mut document = calibration.to_json();
        if let (Some(fields), Some(fitted)) = (document.as_object_mut(), &fitted) {
            fields.insert("fitted".to_owned(), fitted.to_json());
        }
        cli.out.json(&document)?;
    } else {
        let fitted = fitted.iter().flat_map(Fitted::to_text);
        for line in calibration.to_text().into_iter().chain(fitted) {
            cli.out.line(line)?;
        }
    }
    Ok(Exit::Done)
}

/// Fits a model and keeps it.
fn fit(cli: &Cli<'_>, ended: &[Ended<'_>]) -> Result<Fitted> {
    let known: Vec<Known<'_>> = ended
        .iter()
        .filter_map(|(id, label, session)| {
            Some(Known {
                task: task_of(id),
                failed: *label == Label::Failure,
                signals: fitted::signals(session)?,
            })
        })
        .collect();
    let fitted = fitted::fit(&known).map_err(|message| Problem::new(Exit::CannotTell, message))?;
    let figures = fitted.clone();
    cli.desks()?
        .operator
        .keep_alert_model(&fitted.model, move |sha256| figures.event(sha256))?;
    Ok(fitted)
}

fn without_labels(cli: &mut Cli<'_>, sessions: &BTreeMap<SessionId, Session>) -> Result<Exit> {
    let all = Unlabelled::of(sessions.values());
    if all.is_empty() {
        let message = "the workspace knows no sessions: feed them in with `harness run` first";
        return Err(Problem::new(Exit::CannotTell, message).into());
    }
    if cli.out.is_json() {
        cli.out.json(&all.to_json())?;
    } else {
        for line in all.to_text() {
            cli.out.line(line)?;
        }
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_counted_by_what_became_of_them() {
        let alerted = |signatures: &[&str]| Session {
            signatures: signatures.iter().map(ToString::to_string).collect(),
            ..Session::default()
        };
        let sessions = [
            ("a", Label::Failure, alerted(&["breach:x", "stall:y"])),
            ("b", Label::Failure, alerted(&["breach:x"])),
            ("c", Label::Failure, alerted(&[])),
            ("d", Label::Success, alerted(&["breach:x"])),
            ("e", Label::Success, alerted(&[])),
        ]
        .map(|(id, label, session)| (SessionId::parse(id).unwrap(), label, session));
        let ended: Vec<Ended<'_>> = sessions
            .iter()
            .map(|(id, label, session)| (id, *label, session))
            .collect();
        let calibration = Calibration::of(&ended, 1);
        let by = |failure, success| ByLabel { failure, success };
        assert_eq!(
            (calibration.alerted, calibration.silent),
            (by(2, 1), by(1, 1))
        );
        assert_eq!(calibration.signatures["breach:x"], by(2, 1));
        assert_eq!(calibration.signatures["stall:y"], by(1, 0));
        assert_eq!(calibration.precision.value, Some(2.0 / 3.0));
        assert_eq!((calibration.labelled, calibration.missing), (5, 1));
        assert!(calibration.to_text().len() > 8);
    }
}
