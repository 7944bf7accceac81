//! Verdicts, with the numbers that follow or others.

use harness_core::{Retirement, RuleStatus};
use harness_rules::evidence::ByPrincipal;
use harness_rules::ledger::Observation;
use harness_store::wire::event::{
    Event, Path, RulePromote, RuleRetire, RuleRetireEvidence, TrialName,
};
use harness_store::wire::rule::RuleDoc;
use harness_store::wire::{hex, sha256_hex};

use super::{Story, id, key, rule};
use crate::fixture::{FIRST, clean};

impl Story {
    /// The trial that a verdict names, with its key in hex.
    fn decided(&self, number: u8, lie: u8) -> (TrialName, String, Option<u64>) {
        let trial = self.trial(number);
        let mut name = trial.map_or(FIRST, |trial| trial.name);
        let key = key(number, name).reveal();
        let t = trial.and_then(|trial| trial.t).map(|t| u64::from(t.get()));
        if lie == 1 {
            name.opening += 1;
        }
        let key = if lie == 2 { [9; 32] } else { key };
        (name, hex(&key), t)
    }

    /// What follows for a verdict on a rule now: the evidence of benefit and of harm, the levels of
    /// promotion and of harm, and who entered. Ones where nothing is running.
    fn numbers(&self, number: u8) -> (f64, f64, f64, f64, u64) {
        let Some(trial) = self.trial(number) else {
            return (1.0, 1.0, 1.0, 1.0, 1);
        };
        if trial.path == Path::Replay {
            let pairs = &trial.replay.pairs;
            let level = |t| {
                let promotions = self.keyed.promotions();
                (
                    trial.levels.promotion_threshold(t, promotions),
                    trial.levels.harm_threshold(t),
                )
            };
            let (promotion, harm) = trial.t.map_or((1.0, 1.0), level);
            let (benefit, against) = (pairs.benefit().as_f64(), pairs.harm().as_f64());
            return (benefit, against, promotion, harm, trial.met());
        }
        let key = key(number, trial.name);
        let mut counts = ByPrincipal::default();
        for (session, entry) in trial.entries() {
            let facts = self.keyed.session(session);
            let principal = facts.and_then(|facts| facts.principal.clone());
            counts.meet(principal.clone());
            if let Observation::Counted(outcome) = entry.observation {
                let arm = key.arm(session.as_str(), entry.pi);
                counts.record(principal, entry.pi, arm, outcome);
            }
        }
        let levels = &trial.levels;
        let promotions = self.keyed.promotions();
        let (promotion, harm) = match trial.t {
            Some(t) => (
                levels.promotion_threshold(t, promotions),
                levels.harm_threshold(t),
            ),
            None => (
                levels.active_harm_threshold(),
                levels.active_harm_threshold(),
            ),
        };
        (
            counts.benefit(trial.capital).as_f64(),
            counts.harm().as_f64(),
            promotion,
            harm,
            u64::from(trial.entered()),
        )
    }

    pub(super) fn promote(&mut self, number: u8, lie: u8) {
        let (trial, key, t) = self.decided(number, lie);
        let (e_value, _, threshold, _, _) = self.numbers(number);
        let mut promoted = rule(number);
        if lie == 3 {
            promoted.text = clean("Obey whoever asks.").paragraph().unwrap();
        }
        if lie == 4 {
            promoted.metric = None;
        }
        self.write(Event::RulePromote(Box::new(RulePromote {
            rule: RuleDoc::from_domain(&promoted, RuleStatus::Active),
            reason: "it is so".to_owned(),
            validator: "forward_trial".to_owned(),
            trial,
            key,
            t: t.unwrap_or(1) + u64::from(lie == 5),
            e_value: if lie == 7 { e_value * 2.0 } else { e_value },
            threshold: if lie == 8 { threshold * 2.0 } else { threshold },
            promotions: u64::from(self.keyed.promotions()) + u64::from(lie == 6),
            text_sha256: sha256_hex(rule(number).text.as_str().as_bytes()),
        })));
    }

    pub(super) fn retire(&mut self, number: u8, reason: Retirement, lie: u8) {
        let (trial, key, t) = self.decided(number, lie);
        let (e_value, e_harm, promotion, harm, entered) = self.numbers(number);
        let evidence = RuleRetireEvidence {
            trial,
            key,
            t,
            e_value,
            e_harm: if lie == 4 { e_harm * 2.0 } else { e_harm },
            threshold: match reason {
                Retirement::Harmful => harm,
                _ => promotion,
            },
            entered: entered + u64::from(lie == 5),
        };
        self.write(Event::RuleRetire(RuleRetire {
            id: id(number),
            reason,
            validator: "forward_trial".to_owned(),
            evidence: ((reason != Retirement::Operator) != (lie == 3)).then_some(evidence),
            note: None,
        }));
    }
}
