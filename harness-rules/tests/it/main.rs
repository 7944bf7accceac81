//! What this crate promises, one file a promise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

mod a_bad_pair_counts_for_nothing;
mod a_changed_judge_starts_anew;
mod a_full_scope_takes_no_more;
mod a_superseded_rule_gives_way;
mod a_verdict_that_does_not_follow_is_not_believed;
mod any_journal_folds;
mod eight_processes_agree;
mod entry_is_exact;
mod evidence_promotes_rules;
mod files_follow_the_journal;
mod fixture;
mod forged;
mod four_tools_and_nothing_else;
mod hidden_when_the_disk_is_slow;
mod one_candidate_an_episode;
mod outcomes_count_once;
mod replay_comes_first;
mod replayed;
mod story;
mod what_a_proposal_must_pass;
mod what_all_rules_are_worth;
mod what_must_not_compile;
