//! Counting up to a cap.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A count that never passes its cap, whoever counts beside us.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    standing: Arc<Mutex<Standing>>,
    cap: u32,
}

#[derive(Debug, Default)]
struct Standing {
    taken: u32,
    /// How often the count started again: a slot of before is none of now's.
    round: u64,
}

impl Count {
    pub(crate) fn new(cap: u32) -> Self {
        Self {
            standing: Arc::default(),
            cap,
        }
    }

    /// Takes one; `None` at the cap.
    pub(crate) fn take(&self) -> Option<Slot> {
        let mut standing = held(&self.standing);
        if standing.taken >= self.cap {
            return None;
        }
        standing.taken += 1;
        Some(Slot {
            standing: Arc::clone(&self.standing),
            round: standing.round,
            kept: false,
        })
    }

    /// Starts again.
    pub(crate) fn reset(&self) {
        let mut standing = held(&self.standing);
        standing.taken = 0;
        standing.round += 1;
    }

    pub(crate) const fn cap(&self) -> u32 {
        self.cap
    }
}

/// One that was taken. It is given back when this is dropped, unless it was kept.
#[derive(Debug)]
pub(crate) struct Slot {
    standing: Arc<Mutex<Standing>>,
    round: u64,
    kept: bool,
}

impl Slot {
    pub(crate) fn keep(&mut self) {
        self.kept = true;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut standing = held(&self.standing);
        if !self.kept && standing.round == self.round {
            standing.taken = standing.taken.saturating_sub(1);
        }
    }
}

/// A panic elsewhere leaves a whole count behind.
fn held(standing: &Mutex<Standing>) -> MutexGuard<'_, Standing> {
    standing.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_of_before_gives_nothing_back_to_now() {
        let count = Count::new(1);
        let before = count.take().unwrap();
        count.reset();
        let mut now = count.take().unwrap();
        now.keep();
        drop((before, now));
        assert!(count.take().is_none());

        count.reset();
        drop(count.take().unwrap());
        assert!(count.take().is_some());
    }
}
