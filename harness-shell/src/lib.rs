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
//! - A [`Sandbox`] has proved itself on this machine before it runs anything. What it runs reads
//!   the system's programs and the workspace, writes the workspace, reaches no network but what is
//!   granted, sees of the environment what is on a list, and stays within its [`Limits`].
//! - When a call returns, every process that came of its command is dead; a call that is dropped
//!   is killed from another thread, at once and all of it. A child that stays
//!   ([`Sandbox::spawn`]) is confined the same way, and its tree is dead before closing or dropping
//!   its handle returns.
//! - An [`Outcome`] is redacted, clean and within its bound.
//!
//! # Never
//! - Deciding runs nothing, writes nothing and opens nothing but folders on the way to a path: no
//!   network, clock or environment.
//! - Nothing runs unconfined: there is no switch for it, and what a backend cannot express it
//!   refuses.
//! - The host's own process keeps its rights, limits and files: single threads of it give up their
//!   own. A host that changes its user or its namespaces does so before it starts a [`Sandbox`],
//!   which keeps a few such threads for its next commands.
//! - No panic on any input; no recursion, list or text without a bound.
//! - No shell: what runs is a file and its words.
//!
//! # Who may depend on it
//! The guard, adapters that run commands, and the binary. It depends on core and the sanitiser.
//!
//! # How it fails
//! A refusal is a value. A policy or a workspace that cannot be used is an error at load, which
//! says whose fault it is. What cannot be read is never allowed. Where no backend confines, the
//! error names each with its cause and the way out, and nothing runs; a command that ran and
//! failed is an [`Outcome`], its timeout one of its own.
//!
//! # Where things are
//! | file | what |
//! |---|---|
//! | `decision` | the answer of every policy |
//! | `allowed` | the proof that a policy has allowed a command |
//! | `confine` | what a process may touch, and the backends that make it so |
//! | `tool` | both halves together: the restricted shell |
//! | `environment`, `outcome` | what a command sees of the host, and what comes back |
//! | `workspace` | the one folder that a command may touch, and what leads out of it |
//! | `line` | one line as words, nothing expanded |
//! | `general` | the command policy for tools that take any command |
//! | `syntax` | the grammar of a shell, for `general` |
//! | `policy` | the restricted shell's policy: data, one grammar a binary, each entry proved at load |

#![forbid(unsafe_code)]

mod allowed;
mod confine;
mod decision;
mod environment;
pub mod general;
mod line;
mod outcome;
mod policy;
mod syntax;
mod tool;
mod workspace;

pub use allowed::{Allowed, Credentials};
pub use confine::{
    Backend, Cause, ConfinedChild, Confinement, Enforcement, Grant, Identity, Input, InputClosed,
    Lifetime, Limits, MAX_PORTS, Network, NoBackend, Output, Sandbox, Unfit,
};
pub use decision::{Decision, Verdict};
pub use environment::{Environment, NameRefused};
pub use line::{LineError, MAX_LINE, split};
pub use outcome::{Ended, Limit, Outcome, RunError, TIMEOUT_CODE};
pub use policy::{
    Denial, Grammar, HostCommand, Language, LoadedPolicy, MAX_BINARIES, MAX_COMMAND, MAX_WORDS,
    Operands, PolicyError, ShellPolicy, Takes, Use,
};
pub use tool::{Answer, RestrictedShellTool, ShellSettings};
pub use workspace::{PathRefusal, Workspace, WorkspaceError};
