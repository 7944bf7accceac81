//! What all active rules together are worth, by the sessions that were shown none.

use harness_core::Timestamp;

use crate::evidence::{Difference, Outcome, Unit, difference};
use crate::ledger::Ledger;

/// The interval misses the truth, at any time, with this probability at most.
const ALPHA: f64 = 0.05;

/// What is known of the worth of all rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// When the first session read rules while one was active.
    pub since: Option<Timestamp>,
    /// Sessions that read rules and have not ended.
    pub pending: usize,
    /// Sessions that count in neither arm, as they had a turn in an outage.
    pub dropped: usize,
    /// Sessions that count, by arm; `None` without the key that says which is which.
    pub arms: Option<WorthArms>,
}

/// Sessions by arm: failed, and not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorthArms {
    /// Those that were shown active rules.
    pub shown: (u64, u64),
    /// Those that were shown none.
    pub null: (u64, u64),
    /// The failure rate with rules less the rate without.
    pub difference: Difference,
}

pub(crate) fn of(ledger: &Ledger) -> Worth {
    let (pending, dropped) = ledger.other_units();
    Worth {
        since: ledger.units_since(),
        pending,
        dropped,
        arms: ledger.key().map(|key| {
            let units: Vec<Unit> = ledger
                .counted_units()
                .map(|(session, outcome)| Unit {
                    is_null: key.in_null_arm(session.as_str()),
                    outcome,
                })
                .collect();
            let count = |is_null: bool| {
                let of = |wanted: Outcome| {
                    units
                        .iter()
                        .filter(|unit| unit.is_null == is_null && unit.outcome == wanted)
                        .count() as u64
                };
                (of(Outcome::Failed), of(Outcome::Fine))
            };
            WorthArms {
                shown: count(false),
                null: count(true),
                difference: difference(&units, ALPHA),
            }
        }),
    }
}
