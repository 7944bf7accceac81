//! The demo's clock: one session every twenty minutes, though a session takes milliseconds.
//!
//! Failures in quick succession would trip the breaker, which counts in turn time. The demo shows
//! days of an agent's life, so its turns say so.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use harness_core::Timestamp;
use harness_store::Clock;

/// Seconds from one session to the next.
const STEP: i64 = 20 * 60;

/// A clock that is moved by hand.
#[derive(Clone, Debug)]
pub(crate) struct DemoClock(Arc<AtomicI64>);

impl DemoClock {
    /// A clock that reaches `end` after `sessions` sessions.
    pub(crate) fn ending_at(end: Timestamp, sessions: u32) -> Self {
        let start = end.plus_seconds(-STEP * i64::from(sessions));
        Self(Arc::new(AtomicI64::new(start.as_micros())))
    }

    /// Moves on to the next session.
    pub(crate) fn next_session(&self) {
        self.0.fetch_add(STEP * 1_000_000, Ordering::AcqRel);
    }

    /// The time.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::Acquire))
    }

    /// The clock, as the engine takes it.
    pub(crate) fn as_clock(&self) -> Clock {
        let clock = self.clone();
        Arc::new(move || clock.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_twenty_minutes_apart() {
        let end = Timestamp::parse("2026-11-30T12:00:00Z").unwrap();
        let clock = DemoClock::ending_at(end, 3);
        let engine = clock.as_clock();
        clock.next_session();
        assert_eq!(engine(), end.plus_seconds(-2 * STEP));
        clock.next_session();
        clock.next_session();
        assert_eq!(engine(), end);
    }
}
