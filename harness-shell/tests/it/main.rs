//! What this crate promises, one file a promise.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

#[cfg(target_os = "linux")]
mod a_childs_tree_ends_with_its_handle;
mod a_line_is_no_shell;
#[cfg(target_os = "linux")]
mod bounds_hold;
mod nothing_hides_in_a_command;
#[cfg(target_os = "linux")]
mod nothing_outlives_its_call;
mod only_the_policy_allows;
#[cfg(target_os = "linux")]
mod only_the_workspace_is_touched;
#[cfg(target_os = "linux")]
mod only_what_the_policy_allows_runs;
#[cfg(target_os = "linux")]
mod stage;
mod what_must_not_compile;
