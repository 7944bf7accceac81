//! The one way in: redact, then clean, then cut.

use harness_core::{CleanText, Untrusted};

use crate::gate::{Gate, take_out};
use crate::secrets::Redactor;

/// Takes untrusted text in. Secrets are found in the text as it came, before anything could break
/// one in two, and the text is cut last, so that no part of a secret is left by a cut. A secret
/// that only cleaning puts together (with invisible characters inside) is found in a second pass.
#[derive(Clone, Debug)]
pub struct Intake {
    gate: Gate,
    redactor: Redactor,
}

impl Intake {
    /// An intake of this gate and redactor. The gate's own bound is not used; each text has its
    /// own.
    pub const fn new(gate: Gate, redactor: Redactor) -> Self {
        Self { gate, redactor }
    }

    /// The redactor, for sinks that write text which did not come through here.
    pub const fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The gate.
    pub const fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Redacts and cleans `text` within `max` bytes, see [`Gate::with_max_len`].
    pub fn text<'a>(&self, text: &'a str, max: usize) -> CleanText<'a> {
        match self.redactor.redact(text) {
            std::borrow::Cow::Borrowed(text) => {
                let clean = self.gate.clean_within(text, max);
                if clean.is_borrowed() {
                    clean
                } else {
                    self.reshaped(text, max)
                }
            }
            std::borrow::Cow::Owned(text) => self.reshaped(&text, max),
        }
    }

    /// Redacts and cleans what came from outside.
    pub fn untrusted(&self, text: Untrusted<String>, max: usize) -> CleanText<'static> {
        self.text(&take_out(text), max).into_owned()
    }

    fn reshaped(&self, text: &str, max: usize) -> CleanText<'static> {
        let reshaped = self.gate.reshape(text);
        let redacted = self.redactor.redact(&reshaped);
        self.gate.clean_within(&redacted, max).into_owned()
    }
}
