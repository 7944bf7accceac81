//! Rounds of replay, as the validation desk keeps them: every candidate that waits gets its turn,
//! the one with the fewest turns first, so that no budget starves any of them.

use std::collections::BTreeSet;

use harness_core::{RuleId, RuleStatus, SessionId};
use harness_store::wire::event::{
    PendingReason, RunEnd, ValidationCandidateStarted, ValidationReplayCase,
    ValidationRoundFinished, ValidationRoundStarted, ValidationVerdict, VoidReason,
};
use harness_store::{ReplayFlight, ValidationEvent};

use super::cases::Cases;
use super::plan::{ReplayPlan, ReplayResult};
use crate::desk::{COMMIT_DEADLINE, DeskError};
use crate::ledger::{Ledger, RuleRecord, Trial, Turn, are_two, has_its_session, may_count};
use crate::settings::Settings;
use crate::validation_desk::ValidationDesk;

/// A round that is going on; one in a workspace.
#[must_use = "a round that began has to be ended"]
pub struct ReplayRound {
    _flight: ReplayFlight,
    number: u64,
    served: BTreeSet<RuleId>,
    pairs: u64,
    void: u64,
}

/// How a turn came to its end, as whoever ran it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// Its pairs were run.
    AllRun,
    /// The round's budget was used up.
    BudgetSpent,
    /// The environment was not ready in time.
    EnvironmentNotReady,
}

/// What became of a pair that was handed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayTaken {
    /// It counts.
    Counted,
    /// It counts for nothing, and the journal says why.
    Void(VoidReason),
    /// Its opening has ended, or somebody else has run this pair: nothing was written.
    Stale,
}

impl ValidationDesk {
    /// Begins a round, unless one is going on anywhere, no candidate waits or nobody can replay.
    /// Turns of processes that are gone are ended first, whoever can.
    ///
    /// # Errors
    /// The workspace cannot be read or written.
    pub fn begin_round(&self) -> Result<Option<ReplayRound>, DeskError> {
        let Some(flight) = self.log.take_off()? else {
            return Ok(None);
        };
        let book = self.book.clone();
        self.log.commit(COMMIT_DEADLINE, move |tx| {
            let view = book.ledger()?;
            let mut events: Vec<ValidationEvent> = interrupted(&view)
                .map(|(rule, trial)| ended(rule, trial, PendingReason::Interrupted).into())
                .collect();
            let candidates: Vec<RuleId> = waiting(&view, book.settings(), true)
                .into_iter()
                .map(|(record, _)| record.rule.id.clone())
                .collect();
            let number = view.rounds() + 1;
            drop(view);
            let round = (!candidates.is_empty()).then(|| ReplayRound {
                _flight: flight,
                number,
                served: BTreeSet::new(),
                pairs: 0,
                void: 0,
            });
            if round.is_some() {
                events.push(
                    ValidationRoundStarted {
                        round: number,
                        candidates,
                    }
                    .into(),
                );
            }
            if !events.is_empty() {
                tx.commit(events)?;
            }
            Ok(round)
        })?
    }

    /// Begins the next candidate's turn; `None` once each has had its turn in this round.
    ///
    /// # Errors
    /// The workspace cannot be read or written.
    pub fn next_turn(&self, round: &mut ReplayRound) -> Result<Option<ReplayPlan>, DeskError> {
        let Some(bounds) = self.book.settings().replay else {
            return Ok(None);
        };
        let (book, reader, served) = (self.book.clone(), self.reader.clone(), round.served.clone());
        let plan = self.log.commit(COMMIT_DEADLINE, move |tx| {
            let view = book.ledger()?;
            let next = waiting(&view, book.settings(), false)
                .into_iter()
                .find(|(record, _)| !served.contains(&record.rule.id));
            let Some((record, trial)) = next else {
                return Ok(None);
            };
            let Some(key) = trial.key() else {
                return Ok(None);
            };
            let (failures, wins) = Cases::new(&reader).of_attempt(&record.rule, bounds);
            let ids = |cases: &[harness_core::EvalCase]| {
                cases.iter().map(|case| case.id.clone()).collect()
            };
            let started = ValidationCandidateStarted {
                rule: record.rule.id.clone(),
                trial: trial.name,
                attempt: trial.replay.attempts + 1,
                attempts: bounds.attempts,
                seeds: bounds.seeds,
                failures: ids(&failures),
                wins: ids(&wins),
            };
            let active: BTreeSet<RuleId> = view
                .live_rules()
                .filter(|other| other.status == RuleStatus::Active)
                .map(|other| other.rule.id.clone())
                .collect();
            let plan = ReplayPlan::new(
                &book,
                (&record.rule.id, trial, started.attempt),
                &key,
                (failures, wins),
                bounds.seeds,
                &active,
            );
            drop(view);
            tx.commit(vec![started.into()])?;
            Ok::<_, DeskError>(Some(plan))
        })??;
        if let Some(plan) = &plan {
            round.served.insert(plan.rule().clone());
        }
        Ok(plan)
    }

    /// Takes what a pair came to. Whether it counts is decided here, from what its runs say.
    ///
    /// # Errors
    /// The workspace cannot be read or written; then the pair was not run, as far as anyone knows.
    pub fn take(
        &self,
        round: &mut ReplayRound,
        result: ReplayResult,
    ) -> Result<ReplayTaken, DeskError> {
        let book = self.book.clone();
        let taken = self.log.commit(COMMIT_DEADLINE, move |tx| {
            let view = book.ledger()?;
            let Some(pair) = pair(&view, result) else {
                return Ok(ReplayTaken::Stale);
            };
            drop(view);
            let taken = pair.void.map_or(ReplayTaken::Counted, ReplayTaken::Void);
            tx.commit(vec![pair.into()])?;
            Ok::<_, DeskError>(taken)
        })??;
        if taken != ReplayTaken::Stale {
            round.pairs += 1;
            round.void += u64::from(taken != ReplayTaken::Counted);
        }
        Ok(taken)
    }

    /// Ends a turn. What follows from its evidence is for [`ValidationDesk::decide`] to say.
    ///
    /// # Errors
    /// The workspace cannot be read or written; the next round ends the turn as interrupted.
    pub fn end_turn(&self, plan: &ReplayPlan, end: TurnEnd) -> Result<(), DeskError> {
        let (book, rule, name, attempt) = (
            self.book.clone(),
            plan.rule.clone(),
            plan.trial,
            plan.attempt,
        );
        let has_cases = plan.has_cases;
        self.log.commit(COMMIT_DEADLINE, move |tx| {
            let view = book.ledger()?;
            let running = view
                .rule(&rule)
                .and_then(RuleRecord::open_trial)
                .filter(|trial| trial.name == name)
                .filter(|trial| trial.replay.attempts == attempt)
                .filter(|trial| trial.replay.turn == Turn::UnderWay);
            let Some(trial) = running else {
                return Ok(());
            };
            let reason = match (end, trial.replay.reason_of_end()) {
                _ if !has_cases => PendingReason::NoCase,
                (TurnEnd::AllRun, Some(reason)) => reason,
                // Pairs that went stale were run by nobody.
                (TurnEnd::AllRun, None) => PendingReason::Interrupted,
                (TurnEnd::BudgetSpent, _) => PendingReason::BudgetSpent,
                (TurnEnd::EnvironmentNotReady, _) => PendingReason::EnvironmentNotReady,
            };
            let ended = ended(&rule, trial, reason);
            drop(view);
            tx.commit(vec![ended.into()])?;
            Ok(())
        })?
    }

    /// Ends a round.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn end_round(&self, round: ReplayRound) -> Result<(), DeskError> {
        let finished = ValidationRoundFinished {
            round: round.number,
            served: round.served.len() as u64,
            pairs: round.pairs,
            void: round.void,
        };
        self.log.append(COMMIT_DEADLINE, vec![finished.into()])?;
        Ok(())
    }
}

/// Candidates that may have a turn here: fewest turns first, then the oldest. Ones whose turn is
/// under way are only asked for by whoever is about to end it.
fn waiting<'a>(
    ledger: &'a Ledger,
    settings: &Settings,
    with_interrupted: bool,
) -> Vec<(&'a RuleRecord, &'a Trial)> {
    let attempts = settings.replay.map_or(0, |bounds| bounds.attempts);
    let mut waiting: Vec<(&RuleRecord, &Trial)> = ledger
        .live_rules()
        .filter_map(|record| Some((record, record.open_trial()?)))
        .filter(|(_, trial)| trial.is_open_replay() && trial.replay.attempts < attempts)
        .filter(|(_, trial)| settings.judges(trial))
        .filter(|(_, trial)| with_interrupted || trial.replay.turn != Turn::UnderWay)
        .collect();
    waiting.sort_by_key(|(record, trial)| (trial.replay.attempts, record.added_seq));
    waiting
}

/// Turns that are under way, while nobody runs a round.
fn interrupted(ledger: &Ledger) -> impl Iterator<Item = (&RuleId, &Trial)> {
    ledger
        .live_rules()
        .filter_map(|record| Some((&record.rule.id, record.open_trial()?)))
        .filter(|(_, trial)| trial.is_open_replay() && trial.replay.turn == Turn::UnderWay)
}

fn ended(rule: &RuleId, trial: &Trial, pending: PendingReason) -> ValidationVerdict {
    let (wins, losses) = trial.replay.pairs.target();
    ValidationVerdict {
        rule: rule.clone(),
        trial: trial.name,
        attempt: trial.replay.attempts,
        pending,
        wins: u64::from(wins),
        losses: u64::from(losses),
        e_value: trial.replay.pairs.benefit().as_f64(),
        e_veto: trial.replay.pairs.worst().as_f64(),
    }
}

/// The line of a pair; `None` if it is not the one that its opening waits for.
fn pair(ledger: &Ledger, result: ReplayResult) -> Option<ValidationReplayCase> {
    let trial = ledger
        .rule(&result.rule)
        .and_then(RuleRecord::open_trial)
        .filter(|trial| trial.is_open_replay() && trial.name == result.trial)
        .filter(|trial| trial.replay.turn == Turn::UnderWay)
        .filter(|trial| trial.replay.next_seed(&result.case) == result.seed)?;
    let named = [&result.with.session, &result.without.session];
    let is_fresh = |id: &SessionId| ledger.session(id).is_none() && !trial.replay.knows(id);
    let is_bad_session = !named.into_iter().flatten().all(is_fresh)
        || !are_two(&result.with, &result.without)
        || !has_its_session(&result.with)
        || !has_its_session(&result.without);
    let void = result.void.or_else(|| {
        let runs = [&result.with, &result.without];
        if runs.iter().any(|run| run.end == RunEnd::NotStarted) {
            Some(VoidReason::NotStarted)
        } else if is_bad_session {
            Some(VoidReason::Session)
        } else {
            (!may_count(&result.with, &result.without)).then_some(VoidReason::NotSurfaced)
        }
    });
    let is_first = void.is_none() && trial.t.is_none();
    Some(ValidationReplayCase {
        rule: result.rule,
        trial: result.trial,
        case: result.case,
        kind: result.kind,
        seed: result.seed,
        first: result.first,
        t: is_first.then(|| u64::from(ledger.next_t().get())),
        with: result.with,
        without: result.without,
        void,
    })
}
