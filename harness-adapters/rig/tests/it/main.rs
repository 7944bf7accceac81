//! One file a promise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

#[allow(dead_code, reason = "the example's own entry is not called here")]
#[path = "../../examples/desk.rs"]
mod example;
mod world;

// The server of the example and of the tests, which would be loaded twice.
use example::wire;

#[cfg(feature = "guard")]
mod a_rig_agent_is_guarded;
mod a_rig_agent_is_watched;
mod no_agent_starts_on_a_secret;
mod nothing_of_the_environment_is_sent;
mod only_what_may_pass_is_retried;
mod the_desk_closes_the_loop;
mod whole_episodes_on_the_wire;
