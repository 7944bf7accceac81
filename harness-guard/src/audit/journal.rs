//! The audit in the hash-chained journal of a workspace.

use std::time::Duration;

use async_trait::async_trait;
use harness_store::{GuardEvent, GuardLog};

use super::{Audit, AuditError};

/// How long an event waits for the journal where the host does not say.
const DEFAULT_WAIT: Duration = Duration::from_secs(30);

/// Appends to the journal of a workspace; what it returns is synced.
#[derive(Clone, Debug)]
pub struct JournalAudit {
    log: GuardLog,
    wait: Duration,
}

impl JournalAudit {
    /// An audit by the guard's half of a workspace.
    pub const fn new(log: GuardLog) -> Self {
        Self {
            log,
            wait: DEFAULT_WAIT,
        }
    }

    /// An event waits this long for the journal; then it counts as not recorded.
    #[must_use]
    pub const fn waiting(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }
}

#[async_trait]
impl Audit for JournalAudit {
    async fn record(&self, events: Vec<GuardEvent>) -> Result<(), AuditError> {
        let (log, wait) = (self.log.clone(), self.wait);
        // The sync blocks, and this thread is not ours.
        let written = tokio::task::spawn_blocking(move || log.append(wait, events));
        match written.await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(AuditError(error.to_string())),
            Err(_) => Err(AuditError("the writer's thread was lost".to_owned())),
        }
    }
}
