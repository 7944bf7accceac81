//! What `rules.jsonl` says of the opening of a rule that evidence decided last: the counts of both
//! arms, the evidence, and where in the journal it is. Of an opening that runs, nothing: that would
//! tell the arms of its sessions, and change with each of them.

use harness_core::{RuleStatus, SessionId};
use harness_store::wire::event::Path;
use harness_store::wire::hex;
use harness_store::wire::rule::TrialDoc;
use serde_json::{Value, json};

use crate::evidence::{Arm, EValue, Outcome};
use crate::ledger::{Observation, RuleRecord, Trial, Verdict};

/// A decided opening.
pub(crate) struct Decided<'a> {
    record: &'a RuleRecord,
    trial: &'a Trial,
    verdict: &'a Verdict,
}

/// The opening that was decided last, if one was.
pub(crate) fn last(record: &RuleRecord) -> Option<Decided<'_>> {
    record.trials.iter().rev().find_map(|trial| {
        Some(Decided {
            record,
            trial,
            verdict: trial.verdict.as_ref()?,
        })
    })
}

impl Decided<'_> {
    /// What 0.9 keeps of a trial. It looks at no session before the rule: there are none.
    pub(crate) fn as_09(&self) -> TrialDoc {
        let treated = || self.counted().filter(|(_, arm, _)| *arm == Arm::Treated);
        let failed = || treated().filter(|(_, _, outcome)| *outcome == Outcome::Failed);
        TrialDoc {
            trial_started_at: Some(self.trial.opened_at),
            observed_sessions: first(treated()),
            breached_sessions: first(failed()),
            observed_breaches: failed().count() as u64,
            replay_attempts: u64::from(self.trial.replay.attempts),
            verdict: self.word().to_owned(),
            ..TrialDoc::default()
        }
    }

    /// `x_trial`: `arms` holds how many sessions of each counted and failed, in a replay `pairs` how
    /// many the rule won and lost.
    pub(crate) fn trial(&self) -> Value {
        let Self { trial, verdict, .. } = self;
        let mut doc = json!({
            "name": trial.name.to_string(),
            "path": trial.path,
            "state": self.word(),
            "t": trial.t,
            "horizon": trial.horizon,
            "entered": trial.met(),
            "log_e": { "benefit": log(verdict.benefit), "harm": log(verdict.harm) },
            "threshold": verdict.threshold,
        });
        let (key, counts) = match trial.path {
            Path::Forward => ("arms", self.arms()),
            Path::Replay => {
                let (won, lost) = trial.replay.pairs.target();
                ("pairs", json!({ "won": won, "lost": lost }))
            }
        };
        if let Some(fields) = doc.as_object_mut() {
            fields.insert(key.to_owned(), counts);
        }
        doc
    }

    /// `x_evidence`: the hashes that tie the rule and its trial to the journal, and the lines there.
    pub(crate) fn evidence(&self) -> Value {
        json!({
            "text_sha256": self.record.text_sha256,
            "commitment": hex(&self.trial.commitment),
            "opened_seq": self.trial.opened_seq,
            "decided_seq": self.verdict.seq,
        })
    }

    fn arms(&self) -> Value {
        let count = |wanted: Arm| {
            let of = || self.counted().filter(move |(_, arm, _)| *arm == wanted);
            let failed = of().filter(|(_, _, outcome)| *outcome == Outcome::Failed);
            json!({ "counted": of().count(), "failed": failed.count() })
        };
        json!({ "treated": count(Arm::Treated), "control": count(Arm::Control) })
    }

    /// The sessions that count, in order of their ids.
    fn counted(&self) -> impl Iterator<Item = (&SessionId, Arm, Outcome)> {
        self.trial
            .entries()
            .filter_map(|(session, entry)| match entry.observation {
                Observation::Counted(outcome) => {
                    let arm = self.verdict.key.arm(session.as_str(), entry.pi);
                    Some((session, arm, outcome))
                }
                Observation::Pending | Observation::Dropped => None,
            })
    }

    const fn word(&self) -> &'static str {
        match self.verdict.status {
            RuleStatus::Retired(reason) => reason.as_str(),
            RuleStatus::Active | RuleStatus::Candidate => "promoted",
        }
    }
}

fn first<'a>(sessions: impl Iterator<Item = (&'a SessionId, Arm, Outcome)>) -> Vec<SessionId> {
    let sessions = sessions.take(TrialDoc::MAX_SESSIONS);
    sessions.map(|(session, _, _)| session.clone()).collect()
}

/// The natural logarithm in millionths: its last bits differ between machines.
fn log(e: EValue) -> f64 {
    (e.ln() * 1e6).round() / 1e6
}
