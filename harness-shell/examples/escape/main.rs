//! Whether anything gets out: each act against each backend, with the ordinary act beside it.
//!
//! It prints one JSON object a case and a last one for all of them, and ends with 1 unless every
//! attack was refused, every twin worked, every attack that can be tried bare is one, and no
//! backend was missing. Words name backends; with `--short` those beside the native one get every
//! fourth case. As root the commands belong to the first account of an ordinary user;
//! otherwise to whoever runs it.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that speaks through its output"
)]

#[cfg(target_os = "linux")]
mod cases;
#[cfg(target_os = "linux")]
mod stage;
#[cfg(target_os = "linux")]
mod suite;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    suite::run(std::env::args().skip(1))
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    println!(r#"{{"escaped":0,"skipped":1,"why":"nothing confines off Linux, and nothing runs"}}"#);
    ExitCode::FAILURE
}
