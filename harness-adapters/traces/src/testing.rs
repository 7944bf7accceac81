//! What the crate's own tests share.

use harness_sanitize::{Gate, Intake, Redactor};

/// An intake as a host would have one.
pub(crate) fn intake() -> Intake {
    Intake::new(Gate::default(), Redactor::patterns_only())
}
