//! A tool call runs only if everything allows it.
//!
//! # Promises
//! - An executor is reached by one value alone, [`Permitted`], and only the checks make it, all of
//!   them, in the order that `checks` has: granted, schema, path, command, web, secrets, intent,
//!   budget, policy and mode; a person last. It is used up by the call.
//! - Whatever is refused says what, at which boundary and why, from a closed set, and quotes
//!   nothing of the call. What could not be recorded does not run.
//! - A path is beneath the working folder by its handle, not by its spelling. A URL was read as a
//!   browser reads it, and what was checked is what to connect to.
//! - What a session spends is set aside before; concurrent calls cannot spend it twice.
//! - Every answer and every error of a tool is untrusted: redacted, cleaned, cut, fenced, and
//!   followed by a warning where it speaks to a model.
//! - After an abort nothing new starts. A file goes back only if it is as a call left it.
//!
//! # Never
//! - No environment: the caller hands in what it read. No process and no request of its own: the
//!   executor is the host's.
//! - No network but the look-up of a name, by [`SystemResolver`] alone.
//! - No panic on any input; no list, text, queue or wait without a bound.
//! - It does not judge meaning, nor what a command does once it runs: that is the shell's part.
//!
//! # Who may depend on it
//! Adapters, by a feature of theirs, and the binary. It depends on core, sanitize, store and shell.
//!
//! # How it fails
//! Closed. A refusal is an [`Outcome`], not an error; a used-up budget is a [`Stop`]; a setup that
//! cannot be guarded is a [`StartError`].

#![forbid(unsafe_code)]

mod answer;
mod approval;
mod audit;
mod budget;
mod call;
mod checks;
mod config;
mod executor;
mod folder;
mod guard;
mod mode;
mod model;
mod outcome;
mod permit;
mod phase;
mod plan;
mod policy_file;
mod refusal;
mod session;
mod tool;
mod web;

pub use answer::ToolAnswer;
pub use approval::{Answer, ApprovalRequest, Approver, Ask, NobodyToAsk};
pub use audit::{Audit, AuditError, JournalAudit};
pub use budget::{Microdollars, Price, PriceError, Prices, Spending, Stop, Usage};
pub use call::{CallContext, ToolCall};
pub use checks::{Check, Step, StepVerdict};
pub use config::GuardConfig;
pub use executor::{Executor, ToolFailure, from_async, from_fn};
pub use folder::{Folder, FolderError, PermittedPath};
pub use guard::{Guard, GuardSetup, SessionEnd, StartError};
pub use mode::Mode;
pub use model::{
    Message, MessageRole, ModelReply, ModelRequest, ModelTurn, SUMMARY_START, estimated_tokens,
};
pub use outcome::Outcome;
pub use permit::Permitted;
pub use phase::{Network, Phase, PhaseError};
pub use policy_file::PolicyFile;
pub use refusal::{Boundary, Denial, Refusal};
pub use session::{
    AbortController, AbortSignal, FileRollback, HeldSignals, RandomError, RolledBack,
    SessionCredentials, SignalError, credential_folders,
};
pub use tool::{ArgumentKind, Effect, RegistryError, Role, ToolSpec, Tools, standard_specs};
pub use web::{
    CheckedUrl, MAX_REDIRECTS, ResolveError, Resolver, SystemResolver, UrlDenial, check_spelling,
    check_url,
};
