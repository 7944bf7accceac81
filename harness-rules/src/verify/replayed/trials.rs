//! Openings, and who entered with what outcome.

use std::collections::BTreeMap;

use harness_core::RuleId;
use harness_store::wire::event::{
    Path, TrialAssigned, TrialKind, TrialName, TrialObserved, TrialOpened, ValidationReplayCase,
};
use harness_store::wire::unhex;

use super::{Checked, Entry, Opening, Replayed};
use crate::verify::betting;
use crate::verify::paired::Paired;

/// Entries of a trial with π = .1.
const RAMP: usize = 20;

/// The strictest error rate of an opening.
const LEAST_LEVEL: f64 = 1e-9;

impl Replayed {
    pub(super) fn open(&mut self, seq: u64, opened: &TrialOpened) -> Checked {
        let story = self
            .rules
            .get_mut(&opened.rule)
            .ok_or("the rule is unknown")?;
        let wanted = match opened.trial.kind {
            TrialKind::Trial => "candidate",
            TrialKind::Holdout => "active",
        };
        if story.status != wanted || opened.trial.opening as usize != story.openings.len() + 1 {
            return Err("the opening is out of order or does not fit the rule's status");
        }
        if opened.path == Path::Replay && opened.trial.kind != TrialKind::Trial {
            return Err("what is active is not replayed");
        }
        let is_level = |level| (LEAST_LEVEL..1.0).contains(&level);
        if !is_level(opened.alpha) || !is_level(opened.phi) || unhex(&opened.commitment).is_none() {
            return Err("the opening names no error rates or no key");
        }
        let evaluator = (
            opened.evaluator.as_str().to_owned(),
            opened.evaluator_version.as_str().to_owned(),
        );
        let replay = story.openings.last().filter(|last| {
            last.running
                && !last.forward
                && last.name.kind == TrialKind::Trial
                && opened.path == Path::Forward
                && last.evaluator == evaluator
                && (last.alpha, last.phi) == (opened.alpha, opened.phi)
        });
        if replay.is_some_and(|last| last.pairs.is_running() || last.pairs.is_stopped()) {
            return Err("the replay before the opening was not over, or a case stopped it");
        }
        let (log_capital, t) =
            replay.map_or((0.0, None), |last| (last.pairs.sums().log_benefit, last.t));
        if !betting::same(opened.starting_e, log_capital.exp()) {
            return Err("the opening starts with evidence that is not there");
        }
        if let Some(last) = story.openings.last_mut() {
            last.running = false;
        }
        story.openings.push(Opening {
            name: opened.trial,
            seq,
            evaluator,
            log_capital,
            pairs: Paired::default(),
            commitment: opened.commitment.clone(),
            alpha: opened.alpha,
            phi: opened.phi,
            forward: opened.path == Path::Forward,
            t,
            horizon: None,
            running: true,
            entries: BTreeMap::new(),
        });
        Ok(())
    }

    pub(super) fn enter(&mut self, assigned: &TrialAssigned) -> Checked {
        let session = self
            .sessions
            .get(assigned.session.as_str())
            .ok_or("the session that enters is unknown")?;
        let opening = self
            .rules
            .get_mut(&assigned.rule)
            .and_then(|story| story.openings.last_mut())
            .filter(|opening| opening.running && opening.name == assigned.trial)
            .ok_or("no such trial is running")?;
        if !opening.forward || !session.live || session.closed || session.seq <= opening.seq {
            return Err("the session may not enter this trial");
        }
        if opening.entries.contains_key(assigned.session.as_str()) {
            return Err("the session entered before");
        }
        let is_trial = opening.name.kind == TrialKind::Trial;
        let pi_tenths = match (is_trial, opening.entries.len() < RAMP) {
            (true, true) => 1,
            (true, false) => 5,
            (false, _) => 9,
        };
        if assigned.pi != f64::from(pi_tenths) / 10.0 {
            return Err("the entry's probability is not the one due");
        }
        let is_first = is_trial && opening.t.is_none();
        if assigned.t != is_first.then_some(self.numbered + 1) {
            return Err("the trial's number is not the next");
        }
        let has_passed = opening
            .horizon
            .is_some_and(|most| opening.entries.len() as u64 >= most);
        if is_trial && has_passed {
            return Err("the trial's horizon had passed");
        }
        if is_first {
            self.numbered += 1;
            opening.t = Some(self.numbered);
        }
        if opening.horizon.is_none() {
            let level =
                |t| betting::promotion_level(opening.alpha, opening.phi, t, self.promotions);
            opening.horizon = opening.t.map(|t| betting::horizon(level(t)));
        }
        opening.entries.insert(
            assigned.session.as_str().to_owned(),
            Entry {
                pi_tenths,
                outcome: None,
            },
        );
        Ok(())
    }

    pub(super) fn observe(&mut self, observed: &TrialObserved) -> Checked {
        let entry = self
            .rules
            .get_mut(&observed.rule)
            .and_then(|story| {
                story
                    .openings
                    .iter_mut()
                    .find(|opening| opening.name == observed.trial)
            })
            .and_then(|opening| opening.entries.get_mut(observed.session.as_str()))
            .ok_or("the outcome is of a session that did not enter")?;
        if entry.outcome.is_some() {
            return Err("the session had an outcome already");
        }
        entry.outcome = Some(match observed.y {
            None => None,
            Some(0) => Some(false),
            Some(1) => Some(true),
            Some(_) => return Err("an outcome is 0, 1 or null"),
        });
        Ok(())
    }

    /// The running replay of a rule.
    pub(super) fn replay(
        &mut self,
        rule: &RuleId,
        name: TrialName,
    ) -> Result<&mut Opening, &'static str> {
        self.rules
            .get_mut(rule)
            .and_then(|story| story.openings.last_mut())
            .filter(|opening| opening.running && !opening.forward && opening.name == name)
            .ok_or("no such replay is running")
    }

    pub(super) fn pair(&mut self, pair: &ValidationReplayCase) -> Checked {
        let next = self.numbered + 1;
        let is_session = |name: &str| self.sessions.contains_key(name);
        let opening = self
            .rules
            .get_mut(&pair.rule)
            .and_then(|story| story.openings.last_mut())
            .filter(|opening| opening.running && !opening.forward && opening.name == pair.trial)
            .ok_or("no such replay is running")?;
        let is_first = pair.void.is_none() && opening.t.is_none();
        if pair.t != is_first.then_some(next) {
            return Err("the trial's number is not the next");
        }
        opening.pairs.pair(pair, is_session)?;
        if is_first {
            opening.t = Some(next);
            self.numbered = next;
        }
        Ok(())
    }
}
