//! The formats on disk, as types of their own: read forgivingly record by record, written
//! strictly (ASCII JSON, keys sorted, LF). Domain types are converted by hand.

pub mod alert_model;
pub mod as_text;
mod by_metric;
pub mod dump;
pub mod envelope;
pub mod eval_case;
pub mod event;
pub mod hash;
pub mod json;
mod link;
pub mod notice;
pub mod rule;
pub(crate) mod saved;
pub mod score;
pub mod trace;

pub(crate) use envelope::parse_linked;
pub use envelope::{Body, Line, Record, parse_line};
pub use event::Event;
pub use hash::{hex, sha256, sha256_hex, turn_digest, unhex};
pub(crate) use link::{Linked, LinkedLine};

/// Bytes of one line of any of our files, its line feed not counted. A longer line is reported
/// and skipped without being held in memory; one of ours is never written.
pub const MAX_LINE: usize = 1 << 20;
