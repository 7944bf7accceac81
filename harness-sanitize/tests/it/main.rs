//! What the sanitiser promises, one file a promise.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

mod a_fence_closes_from_outside_only;
mod a_rule_carries_nothing_over;
mod a_stream_is_cleaned_like_a_text;
mod cleaning_twice_is_cleaning_once;
mod no_secret_survives;
mod the_table_of_core_is_current;
mod what_is_flagged_is_named;
