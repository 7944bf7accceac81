//! The platform, only through its own command line.
//!
//! [`PandaprobeEvaluator`] has finished traces scored by the platform's judges; [`TraceSource`]
//! finds a session's traces there. Both run the `pandaprobe` binary, one short command at a time.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use harness_pandaprobe::{Memory, PandaprobeEvaluator, Platform, Settings};
//! use harness_sanitize::{Gate, Intake, Redactor};
//!
//! # fn f(mut setup: harness_engine::Setup) -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings::from_variables(std::env::vars())?;
//! let intake = Intake::new(Gate::default(), Redactor::with_values(std::env::vars()));
//! let memory = Arc::new(Memory::at(setup.paths.config_dir.join("pandaprobe-runs.json")));
//! let platform = Platform::new(settings, intake);
//! setup.evaluator = Arc::new(PandaprobeEvaluator::new(platform, memory));
//! # Ok(())
//! # }
//! ```
//!
//! # Promises
//! - A command runs in a process group of its own, with the variables it needs and no other, nothing
//!   on its standard input, `/` as its folder, within a deadline and a bound on its output; the
//!   group is dead when the call returns, and when the caller stops waiting.
//! - A trace is sent to a judge once for each tier that is asked: scores that are there are taken,
//!   a run that is under way is waited for, across restarts.
//! - Nothing the platform says is believed: every list is read in either of its shapes, every score
//!   is a number from 0 to 1 or none, every text goes through the intake.
//! - A trace of another session, of a repair session above all, is never taken for one of this.
//!
//! # Never
//! - No request of its own: no network but the binary's.
//! - No environment is read: the host hands the variables in. No shell, no argument that a trace, a
//!   session or the platform could turn into an option.
//! - No file but the memory of runs, where the host says.
//! - It cannot blind the platform: the platform judges the trace that was sent to it. A host that
//!   runs trials exports its traces without the spans of the four rule tools.
//!
//! # Who may depend on it
//! Hosts that use the platform, and the binary. It depends on the engine and what that depends on.
//!
//! # How it fails
//! What the platform cannot do now is [`EvaluationError::Unavailable`](harness_engine::EvaluationError),
//! which the engine tries again and journals once as an outage; what it never can is `Unscorable`; a
//! score that does not come in time is pending. A descendant of the binary that leaves its group
//! is beyond the reach of this crate.

#![forbid(unsafe_code)]

mod answer;
mod capabilities;
mod command;
mod evaluator;
mod group;
mod memory;
mod platform;
mod settings;
mod source;
mod trace;

pub use capabilities::{Capability, measure};
pub use command::CommandError;
pub use evaluator::PandaprobeEvaluator;
pub use memory::Memory;
pub use platform::{Platform, PlatformError};
pub use settings::{BINARY_VARIABLE, Settings, SettingsError};
pub use source::{Found, TraceSource};
