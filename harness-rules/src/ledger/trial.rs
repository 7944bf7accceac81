//! One opening of one rule: who entered, with what outcome, and the evidence so far.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use harness_core::{MetricName, Principal, RuleId, RuleStatus, SessionId, Timestamp};
use harness_store::wire::event::{
    Path, TrialAssigned, TrialKind, TrialName, TrialObserved, TrialOpened,
};
use harness_store::wire::{Record, unhex};

use super::tally::Tally;
use super::{DoubtKind, Ledger, ReplayRecord, RuleRecord, Turn};
use crate::evidence::{Arm, ArmKey, ByPrincipal, EValue, Levels, MasterKey, Outcome, Pi};

/// What became of a session that entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// Not closed yet.
    Pending,
    /// It counts.
    Counted(Outcome),
    /// It had a turn inside an outage and counts in neither arm.
    Dropped,
}

/// A session's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The probability with which it was assigned.
    pub pi: Pi,
    /// The turn of entry; conditions of earlier turns do not count.
    pub turn_index: u32,
    /// What became of it.
    pub observation: Observation,
}

/// Whether an opening is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialState {
    /// It is.
    Open,
    /// It was decided, or given up for a newer opening.
    Ended,
}

/// What evidence decided of an opening.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// Where the rule stands by it.
    pub(crate) status: RuleStatus,
    /// The journal's number of the line that says so.
    pub(crate) seq: u64,
    /// The key, which that line revealed.
    pub(crate) key: ArmKey,
    /// The evidence that the rule helps.
    pub(crate) benefit: EValue,
    /// The evidence that it harms.
    pub(crate) harm: EValue,
    /// What the deciding one had to reach.
    pub(crate) threshold: f64,
}

/// An opening.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Trial or holdout, and which opening of the rule.
    pub name: TrialName,
    /// How evidence is gathered.
    pub path: Path,
    /// The metric whose conditions count; `None` for any.
    pub target: Option<MetricName>,
    /// SHA-256 of the key.
    pub commitment: [u8; 32],
    /// Name and version of the evaluator that scores.
    pub evaluator: (String, String),
    /// The journal's number of its opening.
    pub opened_seq: u64,
    /// When it opened.
    pub opened_at: Timestamp,
    /// The error rates in force.
    pub levels: Levels,
    /// The e-value it starts with: 1, or that of the undecided replay which it goes on from.
    pub capital: EValue,
    /// Its number in the workspace, from its first entry or pair that counts on, kept by a forward
    /// trial that goes on from a replay; a holdout has none.
    pub t: Option<NonZeroU32>,
    /// Sessions that may enter, from its first entry on; a holdout has no horizon.
    pub horizon: Option<u32>,
    /// Live sessions that had begun when it opened, or last met one.
    pub(crate) met_at: u64,
    /// Whether it is running.
    pub state: TrialState,
    /// What replay has shown; nothing in a forward trial.
    pub replay: ReplayRecord,
    /// What evidence decided, if it did.
    pub(crate) verdict: Option<Verdict>,
    entries: BTreeMap<SessionId, Entry>,
    pending: u32,
    /// Counts by arm, kept up to date where the key is at hand.
    tally: Option<Tally>,
}

impl Trial {
    /// The entry of a session, if it entered.
    pub fn entry(&self, session: &SessionId) -> Option<&Entry> {
        self.entries.get(session)
    }

    /// The entries, in order of session.
    pub fn entries(&self) -> impl Iterator<Item = (&SessionId, &Entry)> {
        self.entries.iter()
    }

    /// Sessions that entered.
    pub fn entered(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    /// Sessions that entered, or pairs that count.
    pub fn met(&self) -> u64 {
        match self.path {
            Path::Forward => u64::from(self.entered()),
            Path::Replay => u64::from(self.replay.pairs.counted()),
        }
    }

    /// Of the sessions that entered, the ones that have not closed.
    pub const fn pending(&self) -> u32 {
        self.pending
    }

    /// Whether more sessions may enter.
    pub fn takes_entries(&self) -> bool {
        self.state == TrialState::Open
            && self.path == Path::Forward
            && self.horizon.is_none_or(|horizon| self.entered() < horizon)
    }

    /// The π of the next entry.
    pub fn next_pi(&self) -> Pi {
        match self.name.kind {
            TrialKind::Trial => Pi::of_entry(u64::from(self.entered())),
            TrialKind::Holdout => Pi::Holdout,
        }
    }

    /// The arm of a session at `pi`; `None` where the key is not at hand.
    pub(crate) fn arm(&self, session: &SessionId, pi: Pi) -> Option<Arm> {
        Some(self.tally.as_ref()?.key().arm(session.as_str(), pi))
    }

    /// Whether its key is at hand.
    pub(crate) const fn has_key(&self) -> bool {
        self.tally.is_some()
    }

    /// The key, for the verdict that ends its use.
    pub(crate) fn key(&self) -> Option<ArmKey> {
        self.tally.as_ref().map(|tally| tally.key().clone())
    }

    /// The evidence so far that the rule helps; `None` where the key is not at hand.
    pub(crate) fn benefit(&self) -> Option<EValue> {
        let tally = self.tally.as_ref()?;
        Some(match self.path {
            Path::Replay => self.replay.pairs.benefit(),
            Path::Forward => tally.benefit(self.capital),
        })
    }

    /// The evidence so far that it harms; `None` where the key is not at hand.
    pub(crate) fn harm(&self) -> Option<EValue> {
        let tally = self.tally.as_ref()?;
        Some(match self.path {
            Path::Replay => self.replay.pairs.harm(),
            Path::Forward => tally.harm(),
        })
    }

    /// The counts as a given key assigns the arms; `principal` looks a session's principal up.
    pub(crate) fn counts_by(
        &self,
        key: &ArmKey,
        principal: impl Fn(&SessionId) -> Option<Principal>,
    ) -> ByPrincipal<Option<Principal>> {
        let mut counts = ByPrincipal::default();
        for (session, entry) in &self.entries {
            let principal = principal(session);
            if let Observation::Counted(outcome) = entry.observation {
                let arm = key.arm(session.as_str(), entry.pi);
                counts.record(principal, entry.pi, arm, outcome);
            } else {
                counts.meet(principal);
            }
        }
        counts
    }
}

/// The key of an opening, derived from the master key.
pub(crate) fn arm_key(master: &MasterKey, rule: &RuleId, name: TrialName) -> ArmKey {
    let opening = u64::from(name.opening);
    match name.kind {
        TrialKind::Trial => master.trial(rule.as_str(), opening),
        TrialKind::Holdout => master.holdout(rule.as_str(), opening),
    }
}

impl Ledger {
    pub(super) fn open_trial(
        &mut self,
        record: &Record,
        opened: &TrialOpened,
    ) -> Result<(), DoubtKind> {
        let bad = || DoubtKind::BadOpening(opened.rule.clone());
        let rule = self
            .rules
            .get_mut(&opened.rule)
            .ok_or_else(|| DoubtKind::UnknownRule(opened.rule.clone()))?;
        let next = u32::try_from(rule.trials.len()).unwrap_or(u32::MAX) + 1;
        // What is active is looked at in sessions alone.
        let is_path = opened.path == Path::Forward || opened.trial.kind == TrialKind::Trial;
        if opened.trial.opening != next || !Self::fits(opened.trial.kind, rule.status) || !is_path {
            return Err(bad());
        }
        let commitment = unhex(&opened.commitment).ok_or_else(bad)?;
        let levels = Levels::new(opened.alpha, opened.phi).map_err(|_| bad())?;
        let evaluator = (
            opened.evaluator.as_str().to_owned(),
            opened.evaluator_version.as_str().to_owned(),
        );
        // A forward trial goes on from the replay before it: with its evidence, whatever that is,
        // and under its number. Anything else starts with nothing, under a number of its own.
        let replay = rule.open_trial().filter(|last| {
            opened.path == Path::Forward
                && last.is_open_replay()
                && last.evaluator == evaluator
                && last.levels == levels
        });
        // What a case vetoes is shown to no session.
        if replay
            .is_some_and(|last| last.replay.turn == Turn::UnderWay || last.replay.pairs.is_vetoed())
        {
            return Err(bad());
        }
        let (due, t) = replay.map_or((EValue::ONE, None), |last| {
            (last.replay.pairs.benefit(), last.t)
        });
        let capital = EValue::new(opened.starting_e)
            .filter(|capital| *capital == due)
            .ok_or_else(bad)?;
        let tally = self
            .key
            .as_ref()
            .map(|master| arm_key(master, &opened.rule, opened.trial))
            .filter(|key| key.commitment() == commitment)
            .map(Tally::new);
        if let Some(earlier) = rule.open_trial_mut() {
            earlier.state = TrialState::Ended;
        }
        rule.trials.push(Trial {
            name: opened.trial,
            path: opened.path,
            target: opened.target.clone(),
            commitment,
            evaluator,
            opened_seq: record.seq,
            opened_at: record.ts,
            levels,
            capital,
            t,
            horizon: None,
            met_at: self.live_sessions,
            state: TrialState::Open,
            replay: ReplayRecord::default(),
            verdict: None,
            entries: BTreeMap::new(),
            pending: 0,
            tally,
        });
        Ok(())
    }

    /// Whether a session may enter an opening at all: it is happening, it began after the opening,
    /// and it has not ended.
    pub(crate) fn may_enter(&self, session: &SessionId, trial: &Trial) -> bool {
        self.sessions
            .get(session)
            .is_some_and(|facts| facts.live && !facts.closed && facts.opened_seq > trial.opened_seq)
    }

    /// The running trials in which a session has entered and has no outcome, in order of rule.
    pub(crate) fn awaiting(
        &self,
        session: &SessionId,
    ) -> impl Iterator<Item = (&RuleRecord, &Trial, &Entry)> {
        self.waiting
            .get(session)
            .into_iter()
            .flatten()
            .filter_map(|id| {
                let record = self
                    .rules
                    .get(id)
                    .filter(|record| record.status.is_live())?;
                let trial = record.open_trial()?;
                let entry = trial.entry(session)?;
                (entry.observation == Observation::Pending).then_some((record, trial, entry))
            })
    }

    pub(super) fn enter(&mut self, assigned: &TrialAssigned) -> Result<(), DoubtKind> {
        let bad = || DoubtKind::BadEntry(assigned.rule.clone());
        let next_t = self.next_t();
        let (promotions, live_sessions) = (self.promotions, self.live_sessions);
        let principal = self.principal(&assigned.session);
        let trial = self
            .rules
            .get(&assigned.rule)
            .and_then(|rule| rule.open_trial())
            .filter(|trial| trial.name == assigned.trial)
            .ok_or_else(bad)?;
        let pi = trial.next_pi();
        let is_first = trial.name.kind == TrialKind::Trial && trial.t.is_none();
        let numbered = is_first.then_some(next_t);
        let fits = trial.takes_entries()
            && self.may_enter(&assigned.session, trial)
            && trial.entry(&assigned.session).is_none()
            && Pi::from_probability(assigned.pi) == Some(pi)
            && assigned.t == numbered.map(|t| u64::from(t.get()));
        let trial = self
            .rules
            .get_mut(&assigned.rule)
            .and_then(|rule| rule.open_trial_mut())
            .filter(|_| fits)
            .ok_or_else(bad)?;
        if let Some(t) = numbered {
            trial.t = Some(t);
            self.last_t = t.get();
        }
        if trial.horizon.is_none() {
            trial.horizon = trial.t.map(|t| trial.levels.horizon(t, promotions));
        }
        if let Some(tally) = trial.tally.as_mut() {
            tally.meet(principal);
        }
        trial.pending += 1;
        trial.met_at = live_sessions;
        trial.entries.insert(
            assigned.session.clone(),
            Entry {
                pi,
                turn_index: assigned.turn_index,
                observation: Observation::Pending,
            },
        );
        self.waiting
            .entry(assigned.session.clone())
            .or_default()
            .insert(assigned.rule.clone());
        Ok(())
    }

    pub(super) fn observe(&mut self, observed: &TrialObserved) -> Result<(), DoubtKind> {
        let bad = || DoubtKind::BadOutcome(observed.rule.clone());
        let principal = self
            .sessions
            .get(&observed.session)
            .and_then(|facts| facts.principal.clone());
        let trial = self
            .rules
            .get_mut(&observed.rule)
            .ok_or_else(bad)?
            .trials
            .iter_mut()
            .find(|trial| trial.name == observed.trial)
            .ok_or_else(bad)?;
        let entry = trial.entries.get_mut(&observed.session).ok_or_else(bad)?;
        if entry.observation != Observation::Pending {
            return Err(bad());
        }
        entry.observation = match observed.y {
            None => Observation::Dropped,
            Some(0) => Observation::Counted(Outcome::Fine),
            Some(1) => Observation::Counted(Outcome::Failed),
            Some(_) => return Err(bad()),
        };
        trial.pending = trial.pending.saturating_sub(1);
        if let (Observation::Counted(outcome), Some(tally)) =
            (entry.observation, trial.tally.as_mut())
        {
            tally.count(&observed.session, principal, entry.pi, outcome);
        }
        Ok(())
    }
}
