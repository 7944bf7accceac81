//! Whether the session has a call left.

use crate::budget::Slot;
use crate::guard::Inner;
use crate::refusal::{Denial, Refusal};

/// One of the session's calls. It is given back if the call is not made.
pub(crate) struct CallSlot(Slot);

impl CallSlot {
    /// The call is made.
    pub(crate) fn keep(&mut self) {
        self.0.keep();
    }
}

pub(super) fn check(guard: &Inner) -> Result<CallSlot, Refusal> {
    guard.calls.take().map(CallSlot).ok_or_else(|| {
        let cap = guard.calls.cap();
        Refusal::new(
            Denial::CallCap,
            format!("the session has made all its {cap} calls: stop and say what was done"),
        )
    })
}
