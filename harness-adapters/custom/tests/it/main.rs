//! One file a promise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

mod world;

mod a_driven_agent_is_reported;
mod a_host_replays_its_cases;
mod a_report_is_as_good_as_a_trace;
mod a_secret_in_the_prompt_is_refused;
mod a_sessions_tools_never_write;
mod any_loop_in_twenty_lines;
mod four_tools_and_nothing_else;
mod no_report_panics;
mod nothing_blocks;
mod nothing_is_put_into_a_conversation;
mod users_are_fenced;
