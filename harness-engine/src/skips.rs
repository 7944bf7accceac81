//! What was skipped already, so that the same thing skipped again is not journaled again.

use std::collections::BTreeSet;

use harness_core::CleanString;
use harness_store::Fold;
use harness_store::wire::event::{Skip, SkipReason};
use harness_store::wire::{Event, Line};

/// Skips that are remembered; an older one would be journaled once more.
const MAX_REMEMBERED: usize = 65_536;

/// The skips in the journal.
#[derive(Debug, Default)]
pub(crate) struct Skips(BTreeSet<(CleanString, Option<u32>, &'static str)>);

impl Skips {
    pub(crate) fn contains(&self, skip: &Skip) -> bool {
        self.0.contains(&key(skip))
    }
}

impl Fold for Skips {
    fn apply(&mut self, line: &Line) {
        if let Some((_, Event::Skip(skip))) = line.event()
            && self.0.len() < MAX_REMEMBERED
        {
            self.0.insert(key(skip));
        }
    }

    fn reset(&mut self) {
        self.0.clear();
    }
}

fn key(skip: &Skip) -> (CleanString, Option<u32>, &'static str) {
    let reason = match skip.reason {
        SkipReason::RepairPrefix => "repair_prefix",
        SkipReason::QueueFull => "queue_full",
        SkipReason::DailyCap => "daily_cap",
        SkipReason::SessionClosed => "session_closed",
        SkipReason::TurnChanged => "turn_changed",
        SkipReason::Unscorable => "unscorable",
    };
    (skip.session.clone(), skip.turn_index, reason)
}
