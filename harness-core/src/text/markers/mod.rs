//! Phrases that only the harness, or a chat template, may say.

mod built_in;
mod set;
mod starts;

pub use built_in::MARKERS;
pub use set::{BREAK, Found, MAX_MARKER_BYTES, MAX_MARKERS, MarkerError, Markers};
