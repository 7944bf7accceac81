//! Delimiters: which part of a prompt is data, and from whom.

mod fence;
mod trust;
mod within;

pub use fence::{Delimited, Nonce, external_document, tool_result, user_input};
pub use trust::TRUST_BOUNDARIES;
pub use within::{Origin, is_within, origin_of_file};
