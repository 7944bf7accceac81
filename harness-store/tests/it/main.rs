//! What this crate promises, one file a promise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

mod a_commit_is_whole_or_absent;
mod a_full_disk_loses_nothing;
mod a_half_appends_its_own_events;
mod a_journal_belongs_to_its_workspace;
mod a_lock_is_the_file_that_stands_there;
mod a_newer_workspace_is_read_only;
mod a_resolution_is_one_commit;
mod a_segment_closes_and_the_chain_goes_on;
mod a_snapshot_is_no_second_truth;
mod a_stopped_holder_yields_busy;
mod a_torn_tail_is_repaired_before_any_append;
mod a_turn_is_recorded_once;
mod a_workspace_of_0_9_goes_round;
mod any_bytes_open;
mod any_edit_shows;
mod appenders_share_a_sync;
mod eight_processes_share;
mod fixture;
mod followers_cost_the_change;
mod nothing_acknowledged_is_lost;
mod one_bad_record_costs_that_record;
mod one_opener_a_process;
mod only_regular_files;
mod secrets_never_reach_disk;
mod the_eval_set_keeps_its_wins;
