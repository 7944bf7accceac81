//! Units of what all rules together are worth: sessions that read rules while one was active.

use harness_core::{SessionId, Timestamp};
use harness_store::wire::Record;
use harness_store::wire::event::{WorthAssigned, WorthObserved};

use super::{DoubtKind, Ledger, Observation};
use crate::evidence::Outcome;

/// A unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorthUnit {
    /// The turn of entry; conditions of earlier turns do not count.
    pub(crate) turn_index: u32,
    /// What became of it.
    pub(crate) observation: Observation,
}

impl Ledger {
    /// Whether a session becomes a unit by reading rules now: it is happening, it is none yet, and
    /// there is a rule to be shown or not.
    pub(crate) fn becomes_unit(&self, session: &SessionId) -> bool {
        self.sessions
            .get(session)
            .is_some_and(|facts| facts.live && !facts.closed)
            && !self.units.contains_key(session)
            && self.shelves.active() > 0
    }

    /// The unit that a session is.
    pub(crate) fn unit(&self, session: &SessionId) -> Option<&WorthUnit> {
        self.units.get(session)
    }

    /// Units that count, in the order in which they ended.
    pub(crate) fn counted_units(&self) -> impl Iterator<Item = (&SessionId, Outcome)> {
        self.ended_units
            .iter()
            .filter_map(|session| match self.units.get(session)?.observation {
                Observation::Counted(outcome) => Some((session, outcome)),
                Observation::Pending | Observation::Dropped => None,
            })
    }

    /// Units that have not ended, and those that count in neither arm.
    pub(crate) fn other_units(&self) -> (usize, usize) {
        let of = |wanted: Observation| {
            self.units
                .values()
                .filter(|unit| unit.observation == wanted)
                .count()
        };
        (of(Observation::Pending), of(Observation::Dropped))
    }

    /// Since when there are units.
    pub(crate) const fn units_since(&self) -> Option<Timestamp> {
        self.units_since
    }

    pub(super) fn enter_unit(
        &mut self,
        record: &Record,
        assigned: &WorthAssigned,
    ) -> Result<(), DoubtKind> {
        if !self.becomes_unit(&assigned.session) {
            return Err(DoubtKind::BadUnit(assigned.session.clone()));
        }
        self.units_since.get_or_insert(record.ts);
        self.units.insert(
            assigned.session.clone(),
            WorthUnit {
                turn_index: assigned.turn_index,
                observation: Observation::Pending,
            },
        );
        Ok(())
    }

    pub(super) fn observe_unit(&mut self, observed: &WorthObserved) -> Result<(), DoubtKind> {
        let bad = || DoubtKind::BadUnit(observed.session.clone());
        let unit = self
            .units
            .get_mut(&observed.session)
            .filter(|unit| unit.observation == Observation::Pending)
            .ok_or_else(bad)?;
        unit.observation = match observed.y {
            None => Observation::Dropped,
            Some(0) => Observation::Counted(Outcome::Fine),
            Some(1) => Observation::Counted(Outcome::Failed),
            Some(_) => return Err(bad()),
        };
        self.ended_units.push(observed.session.clone());
        Ok(())
    }
}
