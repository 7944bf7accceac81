//! What this crate promises, one file a promise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

mod world;

mod a_bad_setting_is_named;
mod a_conversation_is_trimmed_whole;
mod a_file_goes_back;
mod a_model_sees_only_what_it_may_call;
mod a_person_is_asked_last;
mod a_refusal_says_why;
mod a_signal_aborts;
mod a_whole_loop_is_guarded;
mod an_abort_stops_everything;
mod answers_are_fenced;
mod arguments_fit_or_nothing_runs;
mod commands_are_judged;
mod credentials_stay_inside;
mod everything_is_in_the_journal;
mod modes_decide_who_is_asked;
mod paths_stay_beneath;
mod spent_never_exceeds_the_cap;
mod urls_lead_outside;
mod what_must_not_compile;
