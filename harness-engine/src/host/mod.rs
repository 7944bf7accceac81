//! The host's side of the loop, for adapters: a session to report to, four tools to read from.
//!
//! What a host says is raw, and comes in here: a [`TurnReport`] takes each step of a turn through
//! the intake, a [`Conversation`] is looked at for secrets before it starts. Adapters give these a
//! shape that their framework knows.

mod arguments;
mod conversation;
mod harness;
mod raw;
mod replay;
mod report;
mod session;
mod settings;
mod tools;

pub use conversation::{Conversation, SecretInPrompt};
pub use harness::{HostHarness, OpenError, StartError};
pub use replay::{HostReplay, HostRun};
pub use report::{ToolOutcome, TurnReport};
pub use session::HarnessSession;
pub use settings::{SetupError, setup_from_variables};
pub use tools::TaskTools;
