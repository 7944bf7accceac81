//! What a rule may say: nothing of its evidence but names.
//!
//! A rule written after one session is read in every later one. So it may name tools, arguments
//! and error classes, and carries nothing else over from a leaf of the trace: no value, URL, host,
//! path, address or number, and no five words in a row. No user's data and no planted sentence
//! travels on.
//!
//! Words are compared as they look (folded, see `harness_core::text::fold`), so that other case,
//! full width or a letter of another alphabet makes no difference.

mod atoms;
mod check;
mod evidence;
mod general_words;

pub use check::{CarryOver, check_rule_text};
pub use evidence::EvidenceLeaves;
