//! A command can touch the workspace and nothing else.
//!
//! Two halves, and one value between them. The half that *decides* reads commands and answers with
//! a [`Decision`]; what it allows becomes an [`Allowed`] command, which nothing else can make. The
//! half that *runs* takes `Allowed` commands alone.
//!
//! # Promises
//! - An [`Allowed`] command names one absolute file that its own child cannot write, the words
//!   that were judged, and the workspace to run in.
//! - What a policy does not know it does not allow.
//! - A [`Decision`] that refuses says by which rule, why, and what to do instead; it quotes input
//!   escaped, shortened and without secrets of known shape.
//!
//! # Never
//! - Deciding runs nothing, writes nothing and opens nothing but folders on the way to a path: no
//!   network, clock or environment.
//! - No panic on any input; no recursion, list or text without a bound.
//! - No shell: what runs is a file and its words.
//!
//! # Who may depend on it
//! The guard, adapters that run commands, and the binary. It depends on core and the sanitiser.
//!
//! # How it fails
//! A refusal is a value. A policy or a workspace that cannot be used is an error at load, which
//! says whose fault it is. What cannot be read is never allowed.
//!
//! # Where things are
//! | file | what |
//! |---|---|
//! | `decision` | the answer of every policy |
//! | `allowed` | the proof that a policy has allowed a command |
//! | `workspace` | the one folder that a command may touch, and what leads out of it |
//! | `line` | one line as words, nothing expanded |
//! | `general` | the command policy for tools that take any command |
//! | `syntax` | the grammar of a shell, for `general` |
//! | `policy` | the restricted shell's policy: data, one grammar a binary, each entry proved at load |

#![forbid(unsafe_code)]

mod allowed;
mod decision;
pub mod general;
mod line;
mod policy;
mod syntax;
mod workspace;

pub use allowed::{Allowed, Credentials};
pub use decision::{Decision, Verdict};
pub use line::{LineError, MAX_LINE, split};
pub use policy::{
    Denial, Grammar, Language, LoadedPolicy, MAX_BINARIES, MAX_COMMAND, MAX_WORDS, Operands,
    PolicyError, ShellPolicy, Takes, Use,
};
pub use workspace::{PathRefusal, Workspace, WorkspaceError};
