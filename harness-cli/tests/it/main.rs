//! What scripts and people may rely on, one file a promise, against the built binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

mod a_command_is_judged_before_it_runs;
mod a_command_runs_confined;
mod a_model_is_fitted_to_enough;
#[cfg(feature = "rig")]
mod a_provider_repairs;
mod a_repair_is_traced_when_asked_for;
mod a_shell_completes_the_line;
mod a_workspace_of_0_9_is_taken_over;
mod an_operator_takes_a_rule_away;
mod calls_and_urls_are_judged;
mod exit_codes_are_a_contract;
mod following_misses_nothing;
mod json_is_one_document;
mod no_secret_leaves;
mod operator;
mod published_attacks_get_nowhere;
mod running_twice_adds_nothing;
mod spans_are_accounted_for;
mod text_is_for_people;
mod text_passes_through_a_filter;
mod the_demo_closes_the_loop;
mod the_first_conversation_leads_to_a_rule;
mod the_platform_is_measured;
mod what_cannot_be_told_is_said;
