//! Stopping everything.

use std::sync::Arc;

use tokio::sync::watch;

/// Characters of a reason that are kept.
const MAX_REASON: usize = 200;

/// Stops a session: nothing new starts, and what is in flight is ended.
#[derive(Clone, Debug)]
pub struct AbortController {
    reason: Arc<watch::Sender<Option<String>>>,
}

impl AbortController {
    /// A controller that nothing has triggered.
    pub fn new() -> Self {
        Self {
            reason: Arc::new(watch::Sender::new(None)),
        }
    }

    /// Stops the session. The first reason stays.
    pub fn trigger(&self, reason: &str) {
        self.reason.send_if_modified(|standing| {
            let first = standing.is_none();
            if first {
                *standing = Some(reason.chars().take(MAX_REASON).collect());
            }
            first
        });
    }

    /// What those look at who must stop.
    pub fn signal(&self) -> AbortSignal {
        AbortSignal {
            reason: self.reason.subscribe(),
        }
    }
}

impl Default for AbortController {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether everything must stop.
#[derive(Clone, Debug)]
pub struct AbortSignal {
    reason: watch::Receiver<Option<String>>,
}

impl AbortSignal {
    /// Whether it must.
    pub fn is_aborted(&self) -> bool {
        self.reason.borrow().is_some()
    }

    /// The reason, once there is one. It is whatever the host said: not for a model.
    pub(crate) fn reason(&self) -> Option<String> {
        self.reason.borrow().clone()
    }

    /// Waits until it must.
    pub async fn aborted(&self) {
        let mut reason = self.reason.clone();
        if reason.wait_for(Option::is_some).await.is_err() {
            // The controller is gone, so nobody can abort any more.
            std::future::pending::<()>().await;
        }
    }
}
