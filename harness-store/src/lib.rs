//! The workspace on disk: an append-only, hash-chained journal, and the files that follow from it.
//!
//! # Promises
//! - What was acknowledged is on disk: written, synced, and read again after a kill, a full disk
//!   or a torn write. A commit is there whole or not at all.
//! - Any later edit shows: each line carries the hash of the one before it, and the head is known
//!   outside the root. [`Reader::audit`] says where, and what it cannot see.
//! - Several processes share one workspace: writers take turns under a kernel lock, readers take
//!   none and never see half a commit.
//! - Authority is a value: a half appends its own closed set of events; the types of the others
//!   do not convert into it.
//! - No secret that the redactor knows reaches a file.
//!
//! # Never
//! - No network, no environment, no child process, and no wall clock but the one it is given; the
//!   system's is only the default of [`OpenOptions`].
//! - No file but regular ones with one link, beneath a held handle; no symlink is followed.
//! - No panic on any bytes; no buffer, queue or wait without a bound.
//!
//! # Who may depend on it
//! `harness-rules`, `harness-repair`, `harness-engine`, `harness-guard`, and what is built on
//! them. It depends on `harness-core` and `harness-sanitize`. It needs Linux (`openat2`).
//!
//! # How it fails
//! Closed: [`StoreError`] says what stands in the way and what to do; nothing is acknowledged,
//! and what was stays. One bad record costs that record. A workspace of a newer version can be
//! read and not written.

#![forbid(unsafe_code)]

// The fixture of the integration tests names this crate as they do.
#[cfg(test)]
extern crate self as harness_store;

mod anchor;
mod audit;
mod doctor;
mod error;
mod evalset;
#[cfg(test)]
mod faults;
#[cfg(test)]
#[path = "../tests/it/fixture.rs"]
#[expect(dead_code, reason = "not every test needs all of it")]
mod fixture;
mod folds;
mod follow;
mod halves;
mod identity;
mod interop;
mod journal;
mod key;
mod lines;
mod lock;
mod mailbox_files;
mod paths;
mod random;
mod reader;
mod redaction;
mod registry;
mod root;
mod scores;
mod segments;
mod settled;
mod snapshot;
pub mod wire;
mod workspace;
mod writer;

pub use anchor::Head;
pub use audit::{AuditReport, Break, LIMITS};
pub use doctor::{Check, Outcome, examine};
pub use error::{FileKind, StoreError};
pub use evalset::{Capture, EvalSet};
pub use folds::attempts::{Attempts, OpenAttempt};
pub use folds::breaker::Breaker;
pub use folds::mailbox::Mailbox;
pub use folds::sessions::{SessionState, Sessions};
pub use follow::{Fold, Follower};
pub use halves::{
    EntryEvent, EntryLog, GuardEvent, GuardLog, HalfEvent, NoticeToPost, Opening, OperatorEvent,
    OperatorLog, Projects, RepairEvent, RepairFlight, RepairLog, ReplayFlight, Resolved,
    TurnOutcome, TurnRecord, ValidationEvent, ValidationLog, Watch, WatchEvent,
};
pub use identity::{FORMAT_VERSION, WorkspaceId};
pub use interop::{Exported, Original, TakenOver, Unread, export};
pub use journal::{Committed, MAX_COMMIT, MAX_COMMIT_BYTES, Rotation};
pub use key::AssignmentKey;
pub use paths::{NoHome, WorkspacePaths};
pub use reader::{MAX_FILE, MAX_NEWEST, Reader};
pub use scores::{LastTurn, Scores, SessionScores};
pub use snapshot::Snapshot;
pub use wire::{Body, Event, Line, Record};
pub use workspace::{DEFAULT_LOCK_WAIT, Halves, OpenOptions, Workspace};
pub use writer::{Clock, Projection, Tx};
