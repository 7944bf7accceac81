//! Verdicts are believed only if they follow: each is derived again from the lines before it.

use harness_core::{Retirement, RuleId, RuleStatus};
use harness_store::wire::event::{
    Path, Quarantine, RulePromote, RuleRetire, RuleRetireEvidence, TrialKind, TrialName,
};
use harness_store::wire::{Record, unhex};

use super::trial::Verdict;
use super::{DoubtKind, Ledger, RuleRecord, Trial, TrialState, Turn};
use crate::evidence::{ArmKey, EValue};

/// The validator of a rule that gives way to the one that supersedes it.
pub(crate) const SUPERSEDED: &str = "superseded";

impl Ledger {
    /// The active rule that supersedes this one, if one does.
    pub(crate) fn superseding(&self, id: &RuleId) -> Option<&RuleRecord> {
        self.corrections
            .get(id)?
            .iter()
            .filter_map(|correction| self.rules.get(correction))
            .find(|record| record.status == RuleStatus::Active)
    }

    /// The live rules that an active one supersedes, each with it, in order of id.
    pub(crate) fn superseded(&self) -> impl Iterator<Item = (&RuleRecord, &RuleRecord)> {
        self.corrections.keys().filter_map(|id| {
            let record = self
                .rules
                .get(id)
                .filter(|record| record.status.is_live())?;
            Some((record, self.superseding(id)?))
        })
    }

    pub(super) fn promote(
        &mut self,
        record: &Record,
        promoted: &RulePromote,
    ) -> Result<(), DoubtKind> {
        let (claimed, _) = promoted
            .rule
            .clone()
            .try_into_domain()
            .map_err(|_| DoubtKind::UnreadableRule)?;
        let id = claimed.id.clone();
        let rule = self.known(&id)?;
        let trial = decided_trial(rule, promoted.trial, TrialKind::Trial)
            .filter(|_| rule.status == RuleStatus::Candidate)
            .ok_or_else(|| DoubtKind::UnknownRule(id.clone()))?;
        if promoted.text_sha256 != rule.text_sha256 || claimed != rule.rule {
            return Err(DoubtKind::TextChanged(id));
        }
        let key = revealed(trial, &promoted.key).ok_or_else(|| DoubtKind::BadKey(id.clone()))?;
        let Evidence { benefit, harm } = self.evidence_by(trial, &key);
        let follows = trial.t.is_some_and(|t| {
            let level = trial.levels.promotion_threshold(t, self.promotions);
            let harmful = harm.at_least(trial.levels.harm_threshold(t));
            let may_promote = trial.path == Path::Forward
                || (trial.replay.is_decidable() && !trial.replay.pairs.is_vetoed());
            may_promote
                && self.has_room(&rule.rule, &[], &[])
                && promoted.t == u64::from(t.get())
                && promoted.promotions == u64::from(self.promotions)
                && promoted.threshold == level
                && promoted.e_value == benefit.as_f64()
                && !harmful
                && benefit.at_least(level)
        });
        if !follows {
            return Err(DoubtKind::Unfounded(id));
        }
        let verdict = Verdict {
            status: RuleStatus::Active,
            seq: record.seq,
            key,
            benefit,
            harm,
            threshold: promoted.threshold,
        };
        self.set_status(&id, RuleStatus::Active, record.ts);
        self.settle(&id, promoted.trial, verdict);
        if let Some(rule) = self.rules.get_mut(&id) {
            rule.quarantined = false;
        }
        self.promotions = self.promotions.saturating_add(1);
        Ok(())
    }

    pub(super) fn retire(
        &mut self,
        record: &Record,
        retired: &RuleRetire,
    ) -> Result<(), DoubtKind> {
        let rule = self.known(&retired.id)?;
        if !rule.status.is_live() {
            return Err(DoubtKind::UnknownRule(retired.id.clone()));
        }
        let verdict = match (&retired.evidence, retired.reason) {
            // An operator's word needs no proof: it only ever takes a rule away.
            (None, Retirement::Operator) => None,
            (None, Retirement::Unproven)
                if retired.validator == SUPERSEDED && self.superseding(&retired.id).is_some() =>
            {
                None
            }
            (Some(evidence), Retirement::Harmful | Retirement::Unproven) => {
                let verdict = self.check_retirement(record.seq, rule, retired.reason, evidence)?;
                Some((evidence.trial, verdict))
            }
            _ => return Err(DoubtKind::Unfounded(retired.id.clone())),
        };
        self.set_status(&retired.id, RuleStatus::Retired(retired.reason), record.ts);
        if let Some((trial, verdict)) = verdict {
            self.settle(&retired.id, trial, verdict);
        }
        Ok(())
    }

    fn settle(&mut self, id: &RuleId, name: TrialName, verdict: Verdict) {
        let trials = self.rules.get_mut(id).map(|rule| &mut rule.trials);
        let mut trials = trials.into_iter().flatten();
        if let Some(trial) = trials.find(|trial| trial.name == name) {
            trial.verdict = Some(verdict);
        }
    }

    fn check_retirement(
        &self,
        seq: u64,
        rule: &RuleRecord,
        reason: Retirement,
        evidence: &RuleRetireEvidence,
    ) -> Result<Verdict, DoubtKind> {
        let id = &rule.rule.id;
        let trial = decided_trial(rule, evidence.trial, evidence.trial.kind)
            .ok_or_else(|| DoubtKind::UnknownRule(id.clone()))?;
        let key = revealed(trial, &evidence.key).ok_or_else(|| DoubtKind::BadKey(id.clone()))?;
        let Evidence { benefit, harm } = self.evidence_by(trial, &key);
        // What the verdict rests on, and the level that is to be claimed with it.
        let (proven, level) = match (reason, trial.name.kind, trial.t) {
            (Retirement::Harmful, TrialKind::Trial, Some(t)) => {
                let level = trial.levels.harm_threshold(t);
                let may_decide = trial.path == Path::Forward || trial.replay.is_decidable();
                (may_decide && harm.at_least(level), level)
            }
            (Retirement::Harmful, TrialKind::Holdout, _) => {
                let level = trial.levels.active_harm_threshold();
                (harm.at_least(level), level)
            }
            (Retirement::Unproven, TrialKind::Trial, Some(t)) if trial.path == Path::Replay => (
                trial.replay.pairs.is_vetoed() && matches!(trial.replay.turn, Turn::Ended { .. }),
                trial.levels.promotion_threshold(t, self.promotions),
            ),
            (Retirement::Unproven, TrialKind::Trial, Some(t)) => {
                let level = trial.levels.promotion_threshold(t, self.promotions);
                // What is proven and waits for room is not unproven.
                let spent = trial.pending() == 0
                    && !benefit.at_least(level)
                    && trial
                        .horizon
                        .is_some_and(|horizon| trial.entered() >= horizon);
                (spent, level)
            }
            _ => (false, f64::NAN),
        };
        let follows = proven
            && evidence.threshold == level
            && evidence.e_value == benefit.as_f64()
            && evidence.e_harm == harm.as_f64()
            && evidence.entered == trial.met()
            && evidence.t == trial.t.map(|t| u64::from(t.get()));
        if !follows {
            return Err(DoubtKind::Unfounded(id.clone()));
        }
        Ok(Verdict {
            status: RuleStatus::Retired(reason),
            seq,
            key,
            benefit,
            harm,
            threshold: level,
        })
    }

    pub(super) fn quarantine(
        &mut self,
        record: &Record,
        quarantine: &Quarantine,
    ) -> Result<(), DoubtKind> {
        let because = &quarantine.because;
        let harmful = RuleStatus::Retired(Retirement::Harmful);
        if self.known(because)?.status != harmful {
            return Err(DoubtKind::UnknownRule(because.clone()));
        }
        for id in &quarantine.rules {
            let rule = self.known(id)?;
            if rule.status != RuleStatus::Active || !rule.rule.parents.contains(because) {
                return Err(DoubtKind::UnknownRule(id.clone()));
            }
        }
        for id in &quarantine.rules {
            self.set_status(id, RuleStatus::Candidate, record.ts);
            if let Some(rule) = self.rules.get_mut(id) {
                rule.quarantined = true;
            }
        }
        Ok(())
    }

    /// The evidence of an opening, its arms as this key assigns them.
    fn evidence_by(&self, trial: &Trial, key: &ArmKey) -> Evidence {
        if trial.path == Path::Replay {
            return Evidence {
                benefit: trial.replay.pairs.benefit(),
                harm: trial.replay.pairs.harm(),
            };
        }
        let counts = trial.counts_by(key, |session| self.principal(session));
        Evidence {
            benefit: counts.benefit(trial.capital),
            harm: counts.harm(),
        }
    }

    fn known(&self, id: &RuleId) -> Result<&RuleRecord, DoubtKind> {
        self.rules
            .get(id)
            .ok_or_else(|| DoubtKind::UnknownRule(id.clone()))
    }

    pub(crate) fn principal(
        &self,
        session: &harness_core::SessionId,
    ) -> Option<harness_core::Principal> {
        self.sessions
            .get(session)
            .and_then(|facts| facts.principal.clone())
    }
}

/// What an opening shows of its rule.
struct Evidence {
    benefit: EValue,
    harm: EValue,
}

fn decided_trial(rule: &RuleRecord, name: TrialName, kind: TrialKind) -> Option<&Trial> {
    rule.trials
        .last()
        .filter(|trial| trial.name == name && trial.name.kind == kind)
        .filter(|trial| trial.state == TrialState::Open)
}

fn revealed(trial: &Trial, hex: &str) -> Option<ArmKey> {
    let key = ArmKey::revealed(unhex(hex)?);
    (key.commitment() == trial.commitment && trial.replay.follows_coins(&key)).then_some(key)
}
