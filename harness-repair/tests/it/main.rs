//! The promises of the repair agent, one file each, on real workspaces.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

mod a_cancelled_episode_is_pending_or_resolved;
mod adds_at_most_one_rule;
mod builtin_writes_a_rule_or_none;
mod ends_in_exactly_one_status;
mod failures;
mod one_repair_a_workspace;
mod scripted;
mod shows_only_its_own_clean_evidence;
mod what_must_not_compile;
mod workspace;
