//! What core promises, one file a promise.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

mod a_marker_is_found_in_any_disguise;
mod clean_text_is_clean;
mod what_must_not_compile;
