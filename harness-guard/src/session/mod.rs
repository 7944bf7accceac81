//! A session's own things: its abort, its credentials, and the way back.

mod abort;
mod credentials;
mod mounts;
mod rollback;
mod signals;

pub use abort::{AbortController, AbortSignal};
pub use credentials::{RandomError, SessionCredentials};
pub use mounts::credential_folders;
pub use rollback::{FileRollback, RolledBack};
pub use signals::{HeldSignals, SignalError};
