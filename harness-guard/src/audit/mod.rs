//! The audit: one event for whatever the guard decides, on disk before it counts.

mod journal;

use async_trait::async_trait;
use harness_store::GuardEvent;

pub use journal::JournalAudit;

/// An event was not recorded. What it would have allowed does not happen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the audit could not be written: {0}")]
pub struct AuditError(pub String);

/// Where events go.
#[async_trait]
pub trait Audit: Send + Sync {
    /// Records events, all or nothing. When it returns they are durable.
    ///
    /// # Errors
    /// They are not.
    async fn record(&self, events: Vec<GuardEvent>) -> Result<(), AuditError>;
}
