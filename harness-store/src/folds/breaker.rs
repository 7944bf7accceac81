//! The breaker: too many notices of one principal in too little turn time pause repair.

use std::collections::{BTreeMap, BTreeSet};

use harness_core::{Principal, Severity, Timestamp};

use crate::follow::Fold;
use crate::snapshot::Snapshot;
use crate::wire::as_text::Spelt;
use crate::wire::event::{self, BreakerState};
use crate::wire::notice::NoticeDoc;
use crate::wire::saved::SavedBreaker;
use crate::wire::{Event, Line};

/// Notices within [`WINDOW_SECONDS`] that are still well.
const MAX_NOTICES: usize = 5;
/// Seconds of turn time in which notices are counted.
const WINDOW_SECONDS: i64 = 600;
/// Paused principals at which repair is paused for all.
const MAX_PAUSED: usize = 5;
/// Principals whose notices are counted at a time; of more, the one longest silent is forgotten.
const MAX_PRINCIPALS: usize = 4096;
/// Notice times kept for a principal; enough to see [`MAX_NOTICES`] exceeded in any order.
const MAX_TIMES: usize = 32;

/// Whose repair the breaker has paused. Turns without a principal share one, `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Breaker {
    times: BTreeMap<Option<Principal>, Vec<Timestamp>>,
    paused: BTreeSet<Option<Principal>>,
    everyone: bool,
    suppressed: u64,
}

/// What one more notice does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing.
    Post,
    /// It is held back: repair is paused.
    Suppress,
    /// It is posted, and pauses repair for its principal.
    Trip,
    /// It is posted, and pauses repair for its principal and for all.
    TripEveryone,
}

impl Breaker {
    /// Whether repair is paused for this principal.
    pub fn is_paused(&self, principal: Option<&Principal>) -> bool {
        self.everyone || self.paused.contains(&principal.cloned())
    }

    /// Whether repair is paused for all.
    pub const fn is_paused_for_all(&self) -> bool {
        self.everyone
    }

    /// The principals whose repair is paused by their own notices.
    pub fn paused(&self) -> impl Iterator<Item = Option<&Principal>> {
        self.paused.iter().map(Option::as_ref)
    }

    /// Notices held back since the last resumption.
    pub const fn suppressed(&self) -> u64 {
        self.suppressed
    }

    /// What a notice of `principal` does whose turn ended at `turn_time`. A notice without a turn
    /// time does not count.
    pub(crate) fn judge(
        &self,
        principal: Option<&Principal>,
        turn_time: Option<Timestamp>,
    ) -> Verdict {
        if self.is_paused(principal) {
            return Verdict::Suppress;
        }
        let Some(time) = turn_time else {
            return Verdict::Post;
        };
        let mut times = self
            .times
            .get(&principal.cloned())
            .cloned()
            .unwrap_or_default();
        times.push(time);
        if !is_crowded(&mut times) {
            Verdict::Post
        } else if self.paused.len() + 1 >= MAX_PAUSED {
            Verdict::TripEveryone
        } else {
            Verdict::Trip
        }
    }

    pub(super) fn saved(&self) -> SavedBreaker {
        let spelt = |principal: &Option<Principal>| principal.clone().map(Spelt);
        SavedBreaker {
            times: self
                .times
                .iter()
                .map(|(principal, times)| {
                    (spelt(principal), times.iter().copied().map(Spelt).collect())
                })
                .collect(),
            paused: self.paused.iter().map(spelt).collect(),
            everyone: self.everyone,
            suppressed: self.suppressed,
        }
    }

    pub(crate) fn restored(saved: SavedBreaker) -> Self {
        let name = |principal: Option<Spelt<Principal>>| principal.map(|spelt| spelt.0);
        Self {
            times: saved
                .times
                .into_iter()
                .map(|(principal, times)| {
                    (
                        name(principal),
                        times.into_iter().map(|time| time.0).collect(),
                    )
                })
                .collect(),
            paused: saved.paused.into_iter().map(name).collect(),
            everyone: saved.everyone,
            suppressed: saved.suppressed,
        }
    }

    /// Takes in a notice that was posted.
    pub(crate) fn count(&mut self, notice: &NoticeDoc, turn_time: Option<Timestamp>) {
        let for_people = Severity::from_stored(&notice.severity) == Severity::NeedsHuman;
        let Some(time) = turn_time.filter(|_| !for_people) else {
            return;
        };
        let times = self.times.entry(notice.x_principal.clone()).or_default();
        times.push(time);
        times.sort();
        if times.len() > MAX_TIMES {
            times.remove(0);
        }
        if self.times.len() > MAX_PRINCIPALS {
            let silent = self
                .times
                .iter()
                .min_by_key(|(_, times)| times.last().copied())
                .map(|(principal, _)| principal.clone());
            if let Some(principal) = silent {
                self.times.remove(&principal);
            }
        }
    }

    /// Takes in what was done to the breaker.
    pub(crate) fn change(&mut self, change: &event::Breaker) {
        match change.state {
            BreakerState::Suppressed => self.suppressed = self.suppressed.saturating_add(1),
            BreakerState::Tripped if change.everyone => self.everyone = true,
            BreakerState::Tripped => {
                self.paused.insert(change.principal.clone());
            }
            BreakerState::Resumed if change.everyone => *self = Self::default(),
            BreakerState::Resumed => {
                self.paused.remove(&change.principal);
                self.times.remove(&change.principal);
            }
        }
    }
}

/// Whether more than [`MAX_NOTICES`] of `times` lie within [`WINDOW_SECONDS`].
fn is_crowded(times: &mut [Timestamp]) -> bool {
    times.sort();
    times.windows(MAX_NOTICES + 1).any(|window| match window {
        [first, .., last] => last.as_micros() - first.as_micros() <= WINDOW_SECONDS * 1_000_000,
        _ => false,
    })
}

impl Fold for Breaker {
    fn apply(&mut self, line: &Line) {
        match line.event().map(|(_, event)| event) {
            Some(Event::Notice(posted)) if !posted.observe_only => {
                self.count(&posted.notice, posted.turn_time);
            }
            Some(Event::Breaker(change)) => self.change(change),
            _ => {}
        }
    }

    fn reset(&mut self) {
        *self = Self::default();
    }

    fn takes(&self, kind: &str) -> bool {
        matches!(kind, "notice" | "breaker")
    }

    fn take_up(&mut self, snapshot: &mut Snapshot) -> bool {
        snapshot.breaker().map(|taken| *self = taken).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Option<Timestamp> {
        Some(Timestamp::EPOCH.plus_seconds(seconds))
    }

    fn posted(breaker: &mut Breaker, principal: Option<&Principal>, seconds: i64) -> Verdict {
        let verdict = breaker.judge(principal, at(seconds));
        let times = breaker.times.entry(principal.cloned()).or_default();
        times.extend(at(seconds));
        if matches!(verdict, Verdict::Trip | Verdict::TripEveryone) {
            breaker.paused.insert(principal.cloned());
            breaker.everyone |= verdict == Verdict::TripEveryone;
        }
        verdict
    }

    #[test]
    fn the_sixth_notice_in_ten_minutes_trips_and_a_slow_sixth_does_not() {
        let mut fast = Breaker::default();
        let mut slow = Breaker::default();
        for n in 0..5 {
            assert_eq!(posted(&mut fast, None, n * 100), Verdict::Post);
            assert_eq!(posted(&mut slow, None, n * 121), Verdict::Post);
        }
        assert_eq!(posted(&mut slow, None, 5 * 121), Verdict::Post);
        assert_eq!(posted(&mut fast, None, 600), Verdict::Trip);
        assert_eq!(posted(&mut fast, None, 9_999), Verdict::Suppress);
    }

    #[test]
    fn a_notice_without_turn_time_does_not_count() {
        let mut breaker = Breaker::default();
        for _ in 0..5 {
            posted(&mut breaker, None, 1);
        }
        assert_eq!(breaker.judge(None, None), Verdict::Post);
        assert_eq!(breaker.judge(None, at(1)), Verdict::Trip);
    }

    #[test]
    fn the_fifth_paused_principal_pauses_all() {
        let mut breaker = Breaker::default();
        let name = |n: usize| Principal::parse(&format!("p{n}")).unwrap();
        for n in 0..4 {
            for _ in 0..5 {
                posted(&mut breaker, Some(&name(n)), 1);
            }
            assert_eq!(posted(&mut breaker, Some(&name(n)), 1), Verdict::Trip);
        }
        assert!(!breaker.is_paused(Some(&name(9))));
        for _ in 0..5 {
            posted(&mut breaker, Some(&name(4)), 1);
        }
        assert_eq!(
            posted(&mut breaker, Some(&name(4)), 1),
            Verdict::TripEveryone
        );
        assert!(breaker.is_paused(Some(&name(9))));
        breaker.change(&event::Breaker {
            state: BreakerState::Resumed,
            principal: None,
            everyone: true,
        });
        assert!(!breaker.is_paused(Some(&name(4))));
    }
}
