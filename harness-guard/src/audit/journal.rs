//! The audit in the hash-chained journal of a workspace.

use std::time::Duration;

use async_trait::async_trait;
use harness_store::{GuardEvent, GuardLog};

use super::{Audit, AuditError};

/// How long an event waits for the journal.
const WAIT: Duration = Duration::from_secs(5);

/// Appends to the journal of a workspace; what it returns is synced.
#[derive(Clone, Debug)]
pub struct JournalAudit {
    log: GuardLog,
}

impl JournalAudit {
    /// An audit by the guard's half of a workspace.
    pub const fn new(log: GuardLog) -> Self {
        Self { log }
    }
}

#[async_trait]
impl Audit for JournalAudit {
    async fn record(&self, events: Vec<GuardEvent>) -> Result<(), AuditError> {
        let log = self.log.clone();
        // The sync blocks, and this thread is not ours.
        let written = tokio::task::spawn_blocking(move || log.append(WAIT, events));
        match written.await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(AuditError(error.to_string())),
            Err(_) => Err(AuditError("the writer's thread was lost".to_owned())),
        }
    }
}
