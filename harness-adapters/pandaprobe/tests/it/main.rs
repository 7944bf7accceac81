//! One file a promise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

mod stand_in;

mod a_trace_of_another_session_is_never_taken;
mod an_outage_is_one_event_and_ends_by_itself;
mod nothing_is_left_behind;
mod nothing_the_platform_says_is_believed;
mod the_binary_gets_what_it_needs_and_no_more;
mod what_is_scored_is_not_asked_for_again;
mod what_it_can_do_is_measured;
