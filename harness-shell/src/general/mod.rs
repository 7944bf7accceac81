//! The command policy for tools that take any command: `run_bash` and its kin.
//!
//! A command is read as a shell would read it, every simple command in it is judged, and the
//! strictest answer stands:
//!
//! | what | answer |
//! |---|---|
//! | reads beneath the workspace, and prints | allow |
//! | adds a file or folder beneath the workspace | allow |
//! | changes or removes what is there, runs code, asks the network, reads outside | confirm |
//! | is not known, or cannot be read | confirm |
//! | writes outside, touches a secret, takes privileges, hides a command | deny |
//!
//! Programs that run another one (`env`, `timeout`, `xargs`, `find -exec`, `bash -c` …) are judged
//! by what they run. A name counts where a command stands, not where a word is said.
//!
//! This is one layer, and not the one that holds: a command that may run runs confined.

mod builtins;
mod context;
mod find;
mod git;
mod judge;
mod names;
mod places;
mod plain;
mod readers;
mod remove;
mod shells;
mod wrappers;

pub use self::context::{Context, ContextError, HostCommand};
use self::judge::Judge;
use crate::decision::Decision;

/// Simple commands of one text at most: more than a person reads.
pub const MAX_COMMANDS: usize = 48;
/// Words of one simple command at most.
const MAX_WORDS: usize = 1024;
/// Commands that may run one another, and texts that are read in turn, at most.
const MAX_UNWRAP: usize = 8;

/// A command, as a tool is asked for it.
#[derive(Clone, Copy, Debug)]
pub enum CommandText<'a> {
    /// A text for a shell.
    Line(&'a str),
    /// A program and its words, for no shell.
    Argv(&'a [String]),
}

/// What the policy says of a command.
///
/// Total: any text has an answer, in time that grows with its length alone.
pub fn decide(command: CommandText<'_>, context: &Context) -> Decision {
    Judge::new(context).decide(command)
}

#[cfg(test)]
mod tests;
