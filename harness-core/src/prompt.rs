//! A prompt: our own constants, and data that has passed the gate. There is no third kind.

use crate::text::CleanString;

/// One part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptPart {
    /// Written by us, compiled in.
    Trusted(&'static str),
    /// Anything else; form checked, meaning not.
    Data(CleanString),
}

/// A prompt as a list of parts. Text that skipped the gate has nowhere to go:
///
/// ```compile_fail
/// # use harness_core::{Prompt, PromptPart};
/// let trace = String::from("straight from a trace");
/// let part = PromptPart::Data(trace);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt(Vec<PromptPart>);

impl Prompt {
    /// An empty prompt.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a part of our own.
    #[must_use]
    pub fn trusted(mut self, text: &'static str) -> Self {
        self.0.push(PromptPart::Trusted(text));
        self
    }

    /// Adds data.
    #[must_use]
    pub fn data(mut self, text: CleanString) -> Self {
        self.0.push(PromptPart::Data(text));
        self
    }

    /// The parts, in order.
    pub fn parts(&self) -> &[PromptPart] {
        &self.0
    }

    /// The prompt as a model reads it: the parts in order, each on lines of its own.
    pub fn render(&self) -> String {
        let mut out = String::new();
        for part in &self.0 {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(match part {
                PromptPart::Trusted(text) => text,
                PromptPart::Data(text) => text.as_str(),
            });
        }
        out
    }
}
