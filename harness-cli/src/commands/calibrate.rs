//! `harness calibrate`: how well alerts match failures that are known, as measured.
//!
//! A session alerted if a notice speaks of it, posted or only journaled. Nothing here is fitted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Result;
use harness_core::{Quoted, SessionId};
use harness_store::Reader;
use harness_store::wire::Event;
use serde_json::{Value, json};

use super::Cli;
use crate::exit::{Exit, Problem};

/// Bytes of a file of labels at most.
const MAX_FILE: u64 = 64 << 20;

/// What became of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Failure,
    Success,
}

/// Sessions by label.
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
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Calibration {
    /// Labelled sessions that the workspace knows.
    labelled: u64,
    /// Labelled sessions that it does not know.
    missing: u64,
    alerted: ByLabel,
    silent: ByLabel,
    signatures: BTreeMap<String, ByLabel>,
}

impl Calibration {
    fn of(labels: &BTreeMap<SessionId, Label>, seen: &Seen) -> Self {
        let mut calibration = Self::default();
        for (session, label) in labels {
            let Some(signatures) = seen.sessions.get(session) else {
                calibration.missing += 1;
                continue;
            };
            calibration.labelled += 1;
            let side = if signatures.is_empty() {
                &mut calibration.silent
            } else {
                &mut calibration.alerted
            };
            side.add(*label);
            for signature in signatures {
                calibration
                    .signatures
                    .entry(signature.clone())
                    .or_default()
                    .add(*label);
            }
        }
        calibration
    }

    fn precision(&self) -> Option<f64> {
        share(self.alerted.failure, self.alerted.success)
    }

    fn recall(&self) -> Option<f64> {
        share(self.alerted.failure, self.silent.failure)
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
                    "precision": share(by.failure, by.success),
                })
            })
            .collect();
        json!({
            "labelled": self.labelled,
            "missing": self.missing,
            "alerted": { "failures": self.alerted.failure, "successes": self.alerted.success },
            "silent": { "failures": self.silent.failure, "successes": self.silent.success },
            "precision": self.precision(),
            "recall": self.recall(),
            "signatures": signatures,
        })
    }
}

/// `part / (part + rest)`; nothing where there is nothing to share.
fn share(part: u64, rest: u64) -> Option<f64> {
    // Counts of sessions are far below 2⁵³, where the conversion is exact.
    (part + rest > 0).then(|| part as f64 / (part + rest) as f64)
}

/// The sessions that a workspace knows, each with the signatures of its notices.
#[derive(Default)]
struct Seen {
    sessions: BTreeMap<SessionId, BTreeSet<String>>,
}

impl Seen {
    fn read(reader: &Reader) -> Result<Self> {
        let mut seen = Self::default();
        for line in reader.records_from(0)? {
            let line = line?;
            match line.event() {
                Some((_, Event::SessionOpened(opened))) => {
                    seen.sessions.entry(opened.session.clone()).or_default();
                }
                Some((_, Event::Notice(posted))) => {
                    let Ok(notice) = posted.notice.clone().try_into_domain() else {
                        continue;
                    };
                    let signatures = notice.signatures.iter().map(ToString::to_string);
                    seen.sessions
                        .entry(notice.session)
                        .or_default()
                        .extend(signatures);
                }
                _ => {}
            }
        }
        Ok(seen)
    }
}

pub(super) fn run(cli: &mut Cli<'_>, labels: &Path) -> Result<Exit> {
    let labels = read_labels(labels)?;
    let reader = cli.reader()?;
    let calibration = Calibration::of(&labels, &Seen::read(&reader)?);
    if calibration.labelled == 0 {
        let message =
            "the workspace knows none of these sessions: feed them in with `harness run` first";
        return Err(Problem::new(Exit::CannotTell, message).into());
    }
    if cli.out.is_json() {
        cli.out.json(&calibration.to_json())?;
    } else {
        print(cli, &calibration)?;
    }
    Ok(Exit::Done)
}

fn print(cli: &mut Cli<'_>, calibration: &Calibration) -> Result<()> {
    let Calibration {
        labelled,
        missing,
        alerted,
        silent,
        ..
    } = calibration;
    let percent =
        |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"));
    let out = &mut cli.out;
    out.line(format_args!(
        "{labelled} labelled sessions, {missing} more are not in this workspace"
    ))?;
    out.line(format_args!("           failures  successes"))?;
    out.line(format_args!(
        "alerted    {:>8}  {:>9}",
        alerted.failure, alerted.success
    ))?;
    out.line(format_args!(
        "silent     {:>8}  {:>9}",
        silent.failure, silent.success
    ))?;
    out.line(format_args!(
        "precision {} ({} of {} alerts were failures)",
        percent(calibration.precision()),
        alerted.failure,
        alerted.failure + alerted.success
    ))?;
    out.line(format_args!(
        "recall    {} ({} of {} failures were alerted)",
        percent(calibration.recall()),
        alerted.failure,
        alerted.failure + silent.failure
    ))?;
    for (signature, by) in &calibration.signatures {
        out.line(format_args!(
            "  {signature}: {} failures, {} successes",
            by.failure, by.success
        ))?;
    }
    Ok(())
}

fn read_labels(path: &Path) -> Result<BTreeMap<SessionId, Label>> {
    let shown = Quoted(&path.to_string_lossy()).to_string();
    let bad = |reason: String| Problem::usage(format!("the labels in {shown}: {reason}"));
    let size = fs::metadata(path)
        .map_err(|error| bad(error.to_string()))?
        .len();
    if size > MAX_FILE {
        return Err(bad(format!("{size} bytes, at most {MAX_FILE} are read")).into());
    }
    let bytes = fs::read(path).map_err(|error| bad(error.to_string()))?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
    labels(&value).map_err(|error| bad(format!("{error:#}")).into())
}

fn labels(value: &Value) -> Result<BTreeMap<SessionId, Label>> {
    let fields = value
        .as_object()
        .ok_or_else(|| Problem::usage("an object of session ids was expected"))?;
    fields
        .iter()
        .map(|(id, label)| {
            let label = match label.as_str() {
                Some("failure") => Label::Failure,
                Some("success") => Label::Success,
                _ => {
                    let message = format!("the label of {} is `failure` or `success`", Quoted(id));
                    return Err(Problem::usage(message).into());
                }
            };
            Ok((SessionId::parse(id)?, label))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(name: &str) -> SessionId {
        SessionId::parse(name).unwrap()
    }

    #[test]
    fn precision_and_recall_are_counts() {
        let known = labels(&json!({
            "a": "failure", "b": "failure", "c": "failure", "d": "success", "e": "success", "f": "failure",
        }))
        .unwrap();
        let mut seen = Seen::default();
        for (name, signatures) in [
            ("a", &["breach:x", "stall:y"][..]),
            ("b", &["breach:x"]),
            ("c", &[]),
            ("d", &["breach:x"]),
            ("e", &[]),
            ("z", &["breach:x"]),
        ] {
            let signatures = signatures.iter().map(ToString::to_string).collect();
            seen.sessions.insert(session(name), signatures);
        }
        let calibration = Calibration::of(&known, &seen);
        assert_eq!((calibration.labelled, calibration.missing), (5, 1));
        assert_eq!(
            calibration.alerted,
            ByLabel {
                failure: 2,
                success: 1
            }
        );
        assert_eq!(
            calibration.silent,
            ByLabel {
                failure: 1,
                success: 1
            }
        );
        assert_eq!(calibration.precision(), Some(2.0 / 3.0));
        assert_eq!(calibration.recall(), Some(2.0 / 3.0));
        assert_eq!(
            calibration.signatures["breach:x"],
            ByLabel {
                failure: 2,
                success: 1
            }
        );
        assert_eq!(
            calibration.signatures["stall:y"],
            ByLabel {
                failure: 1,
                success: 0
            }
        );
    }

    #[test]
    fn nothing_alerted_has_no_precision() {
        assert_eq!(Calibration::default().precision(), None);
        assert_eq!(share(0, 3), Some(0.0));
    }

    #[test]
    fn a_label_is_one_of_two_words() {
        assert!(labels(&json!({ "a": "failure" })).is_ok());
        for bad in [
            json!([]),
            json!({ "a": "fail" }),
            json!({ "a": 1 }),
            json!({ "a/b": "failure" }),
        ] {
            assert!(labels(&bad).is_err(), "{bad}");
        }
    }
}
