//! One file a promise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may panic"
)]

mod library;
mod no_library_is_unloaded;
mod program;

mod a_plugin_in_thirty_lines;
mod a_plugin_repairs_as_any_model;
mod a_plugins_failure_is_its_calls;
mod a_process_is_confined_to_its_needs;
mod a_process_plugin_has_all_four_ports;
mod a_processs_failure_is_its_calls;
mod nothing_is_loaded_but_what_is_pinned;
