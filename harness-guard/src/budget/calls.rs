//! Counting up to a cap.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A count that never passes its cap, whoever counts beside us.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    taken: Arc<AtomicU32>,
    cap: u32,
}

impl Count {
    pub(crate) fn new(cap: u32) -> Self {
        Self {
            taken: Arc::new(AtomicU32::new(0)),
            cap,
        }
    }

    /// Takes one; `None` at the cap.
    pub(crate) fn take(&self) -> Option<Slot> {
        self.taken
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |taken| {
                (taken < self.cap).then(|| taken + 1)
            })
            .ok()
            .map(|_| Slot {
                taken: Arc::clone(&self.taken),
                kept: false,
            })
    }

    /// Starts again.
    pub(crate) fn reset(&self) {
        self.taken.store(0, Ordering::Release);
    }

    pub(crate) const fn cap(&self) -> u32 {
        self.cap
    }
}

/// One that was taken. It is given back when this is dropped, unless it was kept.
#[derive(Debug)]
pub(crate) struct Slot {
    taken: Arc<AtomicU32>,
    kept: bool,
}

impl Slot {
    pub(crate) fn keep(&mut self) {
        self.kept = true;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if !self.kept {
            // A reset between may have given it back already.
            let _ = self
                .taken
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, |taken| {
                    taken.checked_sub(1)
                });
        }
    }
}
