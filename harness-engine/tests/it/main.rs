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

mod a_failure_becomes_a_candidate;
mod a_guard_log_is_taken_once;
mod a_late_score_is_taken_up;
mod a_restart_forgets_nothing;
mod an_ended_session_stays_ended;
mod cases_are_kept_when_asked_for;
mod observe_only_changes_nothing;
mod recordings_add_nothing_twice;
mod repair_leaves_no_trace_of_its_own;
mod replay_decides;
mod the_breaker_pauses_repair;
mod the_host_is_never_blocked;
mod tiers_are_asked_in_order;
mod two_runs_differ_in_a_secret_alone;
