//! Outcomes: what a turn's conditions, and the end of a session, say about the trials it entered.
//!
//! y = 1 at the first target condition from the turn of entry on, y = 0 when the session closes
//! without one. A score asked for and missing at closure counts y = 1 in both arms, as a rule that
//! hides failures must not win. A turn inside a journaled outage drops the session in both arms. A
//! turn that another evaluator judged than the trial is by has none of the scores that the trial
//! asks for: they are missing, whatever the other one says. Dropping the session instead would let a
//! rule win that moves failing sessions to another host.

use harness_core::{Condition, MetricName, SessionId};
use harness_store::WatchEvent;
use harness_store::wire::event::{TrialObserved, TrialObservedCause, WorthObserved};

use crate::ledger::{Ledger, Observation, RuleRecord, Trial};
use crate::settings::Settings;

/// Whether every score that was asked for in a session came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scores {
    /// All came.
    Complete,
    /// At least one is missing.
    Missing,
}

pub(crate) fn of_turn(
    ledger: &Ledger,
    settings: &Settings,
    session: &SessionId,
    turn_index: u32,
    conditions: &[(Condition, MetricName)],
) -> Vec<WatchEvent> {
    if ledger.session(session).is_none_or(|facts| facts.closed) {
        return Vec::new();
    }
    let unit = waiting_unit(ledger, session).and_then(|entered| {
        if ledger.in_outage() {
            Some((None, TrialObservedCause::Outage))
        } else if entered <= turn_index && !conditions.is_empty() {
            Some((Some(1), TrialObservedCause::Condition))
        } else {
            None
        }
    });
    let trials = ledger
        .awaiting(session)
        .filter_map(|(record, trial, entry)| {
            let (y, cause) = if ledger.in_outage() {
                (None, TrialObservedCause::Outage)
            } else if entry.turn_index <= turn_index && !settings.judges(trial) {
                (Some(1), TrialObservedCause::Missing)
            } else if entry.turn_index <= turn_index
                && conditions
                    .iter()
                    .any(|(_, metric)| trial.target.as_ref().is_none_or(|target| target == metric))
            {
                (Some(1), TrialObservedCause::Condition)
            } else {
                return None;
            };
            Some(observed(record, trial, session, y, cause, Some(turn_index)))
        })
        .map(WatchEvent::from);
    trials
        .chain(unit.map(|unit| of_unit(session, unit)))
        .collect()
}

pub(crate) fn at_close(ledger: &Ledger, session: &SessionId, scores: Scores) -> Vec<WatchEvent> {
    let (y, cause) = match scores {
        Scores::Complete => (0, TrialObservedCause::Closed),
        Scores::Missing => (1, TrialObservedCause::Missing),
    };
    let unit = waiting_unit(ledger, session).map(|_| of_unit(session, (Some(y), cause)));
    ledger
        .awaiting(session)
        .map(|(record, trial, _)| observed(record, trial, session, Some(y), cause, None))
        .map(WatchEvent::from)
        .chain(unit)
        .collect()
}

/// The turn in which the session became a unit of what the rules are worth, if it waits for its
/// outcome.
fn waiting_unit(ledger: &Ledger, session: &SessionId) -> Option<u32> {
    ledger
        .unit(session)
        .filter(|unit| unit.observation == Observation::Pending)
        .map(|unit| unit.turn_index)
}

fn of_unit(session: &SessionId, (y, cause): (Option<u8>, TrialObservedCause)) -> WatchEvent {
    WatchEvent::from(WorthObserved {
        session: session.clone(),
        y,
        cause,
    })
}

fn observed(
    record: &RuleRecord,
    trial: &Trial,
    session: &SessionId,
    y: Option<u8>,
    cause: TrialObservedCause,
    turn_index: Option<u32>,
) -> TrialObserved {
    TrialObserved {
        rule: record.rule.id.clone(),
        trial: trial.name,
        session: session.clone(),
        y,
        cause,
        turn_index,
    }
}
