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
mod bounds_hold;
#[cfg(target_os = "linux")]
mod nothing_outlives_its_call;
#[cfg(target_os = "linux")]
mod only_the_workspace_is_touched;
#[cfg(target_os = "linux")]
mod only_what_the_policy_allows_runs;
#[cfg(target_os = "linux")]
mod stage;
