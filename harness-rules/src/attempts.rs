//! How often each episode was tried, and when last: what its back-off follows from.

use std::collections::HashMap;

use harness_core::{EpisodeId, Timestamp};
use harness_store::Fold;
use harness_store::wire::{Event, Line};

/// Seconds to wait after a first attempt that resolved nothing; doubled for each further one.
const FIRST_BACK_OFF: i64 = 60;
/// Seconds to wait at most.
const LONGEST_BACK_OFF: i64 = 86_400;

/// The attempts at one episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tries {
    pub(crate) count: u32,
    last_at: Option<Timestamp>,
}

impl Tries {
    /// Whether another attempt may begin.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        let doublings = self.count.saturating_sub(1).min(20);
        let wait = (FIRST_BACK_OFF << doublings).min(LONGEST_BACK_OFF);
        self.last_at
            .is_none_or(|last| now >= last.plus_seconds(wait))
    }
}

/// The attempts at all episodes.
#[derive(Debug, Default)]
pub(crate) struct AttemptLog {
    of: HashMap<EpisodeId, Tries>,
    day: i64,
    on_day: u32,
}

impl AttemptLog {
    pub(crate) fn of(&self, episode: &EpisodeId) -> Tries {
        self.of.get(episode).copied().unwrap_or_default()
    }

    /// How many attempts began on the day of `now`, in UTC.
    pub(crate) fn on_day_of(&self, now: Timestamp) -> u32 {
        if self.day == now.day() {
            self.on_day
        } else {
            0
        }
    }
}

impl Fold for AttemptLog {
    fn apply(&mut self, line: &Line) {
        let Some((record, Event::RepairStarted(started))) = line.event() else {
            return;
        };
        let tries = self.of.entry(started.context.episode.clone()).or_default();
        tries.count = tries.count.max(started.context.attempt);
        tries.last_at = Some(record.ts);
        if self.day != record.ts.day() {
            self.day = record.ts.day();
            self.on_day = 0;
        }
        self.on_day += 1;
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attempt_doubles_the_wait_up_to_a_day() {
        let at = Timestamp::EPOCH.plus_seconds(1_000_000);
        for (count, wait) in [
            (1, 60),
            (2, 120),
            (3, 240),
            (12, 86_400),
            (4_000_000, 86_400),
        ] {
            let tries = Tries {
                count,
                last_at: Some(at),
            };
            assert!(!tries.is_due(at.plus_seconds(wait - 1)), "{count}");
            assert!(tries.is_due(at.plus_seconds(wait)), "{count}");
        }
        assert!(Tries::default().is_due(Timestamp::EPOCH));
    }
}
