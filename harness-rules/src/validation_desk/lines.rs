//! The lines of openings and verdicts.

use std::num::NonZeroU32;

use harness_core::{CleanText, Retirement, RuleStatus};
use harness_store::wire::event::{
    Path, RulePromote, RuleRetire, RuleRetireEvidence, TrialKind, TrialName, TrialOpened,
};
use harness_store::wire::hex;
use harness_store::wire::rule::RuleDoc;

use super::{Decided, Event};
use crate::evidence::{Decision, EValue};
use crate::judge::EvaluatorIdentity;
use crate::ledger::{Ledger, RuleRecord, Trial, arm_key};
use crate::settings::Settings;

/// How an opening begins.
#[derive(Clone, Copy)]
pub(super) struct Start {
    pub(super) kind: TrialKind,
    pub(super) path: Path,
    pub(super) capital: EValue,
}

impl Start {
    pub(super) const fn afresh(kind: TrialKind, path: Path) -> Self {
        Self {
            kind,
            path,
            capital: EValue::ONE,
        }
    }
}

pub(super) fn open(
    ledger: &Ledger,
    record: &RuleRecord,
    start: Start,
    evaluator: &EvaluatorIdentity,
    settings: &Settings,
    events: &mut Vec<Event>,
    decided: &mut Decided,
) {
    let Some(master) = ledger.key() else {
        return;
    };
    let name = TrialName {
        kind: start.kind,
        opening: u32::try_from(record.trials.len()).unwrap_or(u32::MAX - 1) + 1,
    };
    let id = &record.rule.id;
    decided.opened.push((id.clone(), name));
    events.push(Event::from(TrialOpened {
        rule: id.clone(),
        trial: name,
        path: start.path,
        target: record.rule.metric.clone(),
        commitment: hex(&arm_key(master, id, name).commitment()),
        evaluator: evaluator.name.clone(),
        evaluator_version: evaluator.version.clone(),
        starting_e: start.capital.as_f64(),
        alpha: settings.levels.alpha(),
        phi: settings.levels.phi(),
    }));
}

pub(super) fn promotion(record: &RuleRecord, trial: &Trial, decision: &Decision) -> Option<Event> {
    let key = trial.key()?;
    Some(Event::from(RulePromote {
        rule: RuleDoc::from_domain(&record.rule, RuleStatus::Active),
        reason: format!(
            "trial {} met {} {}, judged by {} {}; e-value {:.1} reached {:.1}",
            decision.t,
            trial.met(),
            match trial.path {
                Path::Forward => "sessions",
                Path::Replay => "pairs",
            },
            trial.evaluator.0,
            trial.evaluator.1,
            decision.evidence.as_f64(),
            decision.threshold
        ),
        validator: validator_of(trial).to_owned(),
        trial: trial.name,
        key: hex(&key.reveal()),
        t: u64::from(decision.t.get()),
        e_value: decision.evidence.as_f64(),
        threshold: decision.threshold,
        promotions: u64::from(decision.promotions),
        text_sha256: record.text_sha256.clone(),
    }))
}

pub(super) fn retirement(
    record: &RuleRecord,
    trial: &Trial,
    reason: Retirement,
    threshold: f64,
) -> Option<Event> {
    let (benefit, harm) = (trial.benefit()?, trial.harm()?);
    let key = trial.key()?;
    Some(Event::from(RuleRetire {
        id: record.rule.id.clone(),
        reason,
        validator: validator_of(trial).to_owned(),
        evidence: Some(RuleRetireEvidence {
            trial: trial.name,
            key: hex(&key.reveal()),
            t: trial.t.map(NonZeroU32::get).map(u64::from),
            e_value: benefit.as_f64(),
            e_harm: harm.as_f64(),
            threshold,
            entered: trial.met(),
        }),
        note: CleanText::new(format!(
            "judged by {} {}",
            trial.evaluator.0, trial.evaluator.1
        ))
        .ok(),
    }))
}

const fn validator_of(trial: &Trial) -> &'static str {
    match (trial.name.kind, trial.path) {
        (TrialKind::Holdout, _) => "holdout",
        (TrialKind::Trial, Path::Forward) => "forward_trial",
        (TrialKind::Trial, Path::Replay) => "replay",
    }
}
