//! What replay has shown in one opening, pair by pair.

use std::collections::{BTreeMap, BTreeSet};

use harness_core::{CaseId, CaseKind, RuleId, SessionId};
use harness_store::wire::event::{
    Path, PendingReason, ReplayArm, ReplayRun, RunEnd, TrialKind, TrialName,
    ValidationCandidateStarted, ValidationReplayCase, ValidationVerdict,
};

use super::{DoubtKind, Ledger, RuleRecord, Trial, TrialState};
use crate::evidence::{Arm, ArmKey, CaseRole, PairResult, Pairs, Pi};

/// Whether a candidate's turn is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// None has begun.
    Waiting,
    /// One has begun and not ended.
    UnderWay,
    /// The last one ended, with all its pairs or not.
    Ended {
        /// Whether every pair of it was run.
        complete: bool,
    },
}

/// What replay has shown in one opening.
#[derive(Clone, Debug)]
pub struct ReplayRecord {
    /// The pairs that count.
    pub pairs: Pairs<CaseId>,
    /// Pairs that count for nothing.
    pub void: u32,
    /// Turns that began.
    pub attempts: u32,
    /// Where the last turn stands.
    pub turn: Turn,
    /// What each case was first run for, and pairs run of it, void ones among them.
    run: BTreeMap<CaseId, (CaseRole, u64)>,
    /// What the last turn still has to run of each case.
    left: BTreeMap<CaseId, (CaseRole, u32)>,
    /// Whether all pairs of the last turn were void.
    all_void: bool,
    /// Sessions that runs were made as; none counts twice.
    sessions: BTreeSet<SessionId>,
    /// Which run came first in each pair, for whoever has the key.
    orders: Vec<(CaseId, u64, ReplayArm)>,
}

impl Default for ReplayRecord {
    fn default() -> Self {
        Self {
            pairs: Pairs::default(),
            void: 0,
            attempts: 0,
            turn: Turn::Waiting,
            run: BTreeMap::new(),
            left: BTreeMap::new(),
            all_void: true,
            sessions: BTreeSet::new(),
            orders: Vec::new(),
        }
    }
}

impl ReplayRecord {
    /// The number of the next pair of a case, which is its seed.
    pub fn next_seed(&self, case: &CaseId) -> u64 {
        self.run.get(case).map_or(1, |(_, last)| last + 1)
    }

    /// Whether a session was named by an earlier run.
    pub fn knows(&self, session: &SessionId) -> bool {
        self.sessions.contains(session)
    }

    /// Whether a verdict may rest on it: a turn has ended with all its pairs, wins to protect among
    /// them, so that none is passed over because its turn was cut short.
    pub const fn is_decidable(&self) -> bool {
        matches!(self.turn, Turn::Ended { complete: true })
    }

    /// Why the turn that is under way ends, if all its pairs were run.
    pub(crate) fn reason_of_end(&self) -> Option<PendingReason> {
        let is_complete = self.left.values().all(|(_, left)| *left == 0);
        is_complete.then_some(if self.all_void {
            PendingReason::AllVoid
        } else {
            PendingReason::Undecided
        })
    }

    /// Whether the coins of all pairs are those that this key throws.
    pub(crate) fn follows_coins(&self, key: &ArmKey) -> bool {
        self.orders
            .iter()
            .all(|(case, seed, first)| *first == coin(key, case, *seed))
    }
}

/// Which run of a pair comes first: a fair coin that the opening's key throws, as it does for
/// sessions. No session id has a zero byte in it.
pub(crate) fn coin(key: &ArmKey, case: &CaseId, seed: u64) -> ReplayArm {
    match key.arm(&format!("{case}\0{seed}"), Pi::Trial) {
        Arm::Treated => ReplayArm::With,
        Arm::Control => ReplayArm::Without,
    }
}

/// How a pair came out: by the outcome, where both runs have one and they differ, else by the
/// target. A run without a score has failed.
pub(crate) fn result(with: &ReplayRun, without: &ReplayRun) -> PairResult {
    let outcome = with.outcome_failed.zip(without.outcome_failed);
    let target = (failed(with), failed(without));
    match outcome.filter(|(with, without)| with != without) {
        Some((true, _)) => PairResult::Loss,
        Some((false, _)) => PairResult::Win,
        None if target.0 == target.1 => PairResult::Tie,
        None if target.0 => PairResult::Loss,
        None => PairResult::Win,
    }
}

fn failed(run: &ReplayRun) -> bool {
    run.end != RunEnd::Scored || run.target_failed != Some(false)
}

/// Whether a pair may count, by what its runs say of themselves. A run that broke off may have no
/// session to its name; one that has a score was a session, and another than its twin.
pub(crate) fn may_count(with: &ReplayRun, without: &ReplayRun) -> bool {
    [with, without]
        .iter()
        .all(|run| run.surfaced && run.end != RunEnd::NotStarted && has_its_session(run))
        && are_two(with, without)
}

/// Whether a run names its session, if it has to.
pub(crate) fn has_its_session(run: &ReplayRun) -> bool {
    run.session.is_some() || run.end != RunEnd::Scored
}

/// Whether two runs do not claim to be one session.
pub(crate) fn are_two(with: &ReplayRun, without: &ReplayRun) -> bool {
    with.session.is_none() || with.session != without.session
}

const fn role(kind: CaseKind) -> CaseRole {
    match kind {
        CaseKind::Failure => CaseRole::Target,
        CaseKind::Win => CaseRole::Protected,
    }
}

impl Ledger {
    /// The open replay of a rule.
    fn replayed(&self, rule: &RuleId, name: TrialName) -> Option<&Trial> {
        self.rules
            .get(rule)
            .and_then(RuleRecord::open_trial)
            .filter(|trial| trial.name == name && trial.path == Path::Replay)
    }

    fn replayed_mut(&mut self, rule: &RuleId, name: TrialName) -> Option<&mut Trial> {
        self.rules
            .get_mut(rule)
            .and_then(RuleRecord::open_trial_mut)
            .filter(|trial| trial.name == name && trial.path == Path::Replay)
    }

    pub(super) fn start_turn(
        &mut self,
        started: &ValidationCandidateStarted,
    ) -> Result<(), DoubtKind> {
        let bad = || DoubtKind::BadReplay(started.rule.clone());
        let trial = self
            .replayed_mut(&started.rule, started.trial)
            .ok_or_else(bad)?;
        let record = &mut trial.replay;
        let failures = started.failures.iter().map(|case| (case, CaseRole::Target));
        let wins = started.wins.iter().map(|case| (case, CaseRole::Protected));
        let cases: Vec<(&CaseId, CaseRole)> = failures.chain(wins).collect();
        let is_steady = cases.iter().all(|(case, role)| {
            record
                .run
                .get(case)
                .is_none_or(|(before, _)| before == role)
        });
        let is_next = started.attempt == record.attempts + 1;
        if !is_next || started.attempt > started.attempts || !is_steady {
            return Err(bad());
        }
        record.left = cases
            .into_iter()
            .map(|(case, role)| (case.clone(), (role, started.seeds)))
            .collect();
        record.attempts = started.attempt;
        record.turn = Turn::UnderWay;
        record.all_void = true;
        Ok(())
    }

    pub(super) fn pair(&mut self, pair: &ValidationReplayCase) -> Result<(), DoubtKind> {
        let bad = || DoubtKind::BadReplay(pair.rule.clone());
        let (next_t, live_sessions) = (self.next_t(), self.live_sessions);
        let named = [&pair.with.session, &pair.without.session];
        let is_session = named
            .into_iter()
            .flatten()
            .any(|id| self.sessions.contains_key(id));
        let trial = self.replayed(&pair.rule, pair.trial).ok_or_else(bad)?;
        let record = &trial.replay;
        let counts = pair.void.is_none();
        let numbered = (counts && trial.t.is_none()).then_some(next_t);
        let is_planned = record.turn == Turn::UnderWay
            && record
                .left
                .get(&pair.case)
                .is_some_and(|(planned, left)| *planned == role(pair.kind) && *left > 0)
            && pair.seed == record.next_seed(&pair.case)
            && pair.t == numbered.map(|t| u64::from(t.get()));
        let is_fresh = !is_session && !named.into_iter().flatten().any(|id| record.knows(id));
        let holds = !counts || (may_count(&pair.with, &pair.without) && is_fresh);
        if !is_planned || !holds {
            return Err(bad());
        }
        if let Some(t) = numbered {
            self.last_t = t.get();
        }
        let trial = self.replayed_mut(&pair.rule, pair.trial).ok_or_else(bad)?;
        trial.t = trial.t.or(numbered);
        trial.met_at = live_sessions;
        let record = &mut trial.replay;
        record
            .run
            .insert(pair.case.clone(), (role(pair.kind), pair.seed));
        record
            .orders
            .push((pair.case.clone(), pair.seed, pair.first));
        for session in named.into_iter().flatten() {
            record.sessions.insert(session.clone());
        }
        if let Some((_, left)) = record.left.get_mut(&pair.case) {
            *left = left.saturating_sub(1);
        }
        if counts {
            record.all_void = false;
            let result = result(&pair.with, &pair.without);
            record
                .pairs
                .record(pair.case.clone(), role(pair.kind), result);
        } else {
            record.void = record.void.saturating_add(1);
        }
        Ok(())
    }

    pub(super) fn end_turn(&mut self, ended: &ValidationVerdict) -> Result<(), DoubtKind> {
        let bad = || DoubtKind::BadReplay(ended.rule.clone());
        let trial = self
            .replayed_mut(&ended.rule, ended.trial)
            .ok_or_else(bad)?;
        let record = &mut trial.replay;
        let (wins, losses) = record.pairs.target();
        let complete = record.reason_of_end();
        let says_complete = matches!(
            ended.pending,
            PendingReason::Undecided | PendingReason::AllVoid
        );
        let follows = record.turn == Turn::UnderWay
            && ended.attempt == record.attempts
            && (ended.wins, ended.losses) == (u64::from(wins), u64::from(losses))
            && ended.e_value == record.pairs.benefit().as_f64()
            && ended.e_veto == record.pairs.worst().as_f64()
            && (!says_complete || complete == Some(ended.pending));
        if !follows {
            return Err(bad());
        }
        record.turn = Turn::Ended {
            complete: says_complete,
        };
        Ok(())
    }
}

impl Trial {
    /// Whether this opening is a replay that may still be decided or go on as a forward trial.
    pub(crate) fn is_open_replay(&self) -> bool {
        self.state == TrialState::Open
            && self.path == Path::Replay
            && self.name.kind == TrialKind::Trial
    }
}
