//! The guard of one session: the one way to its tools.

mod ask;
mod call;
mod end;
mod record;
mod run;
mod setup;
mod turns;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harness_core::SessionId;
use harness_sanitize::Intake;
use harness_shell::general::Context as CommandContext;
use harness_store::GuardEvent;
use serde_json::Value;

pub use end::SessionEnd;
pub use setup::{GuardSetup, StartError};

use crate::approval::Approver;
use crate::audit::{Audit, AuditError};
use crate::budget::{Count, Prices, Purse, Spending};
use crate::config::GuardConfig;
use crate::folder::Folder;
use crate::mode::Mode;
use crate::phase::Phase;
use crate::plan::PlanGate;
use crate::policy_file::PolicyFile;
use crate::session::{AbortController, FileRollback, SessionCredentials};
use crate::tool::Tools;
use crate::web::Resolver;

/// Guards the tools of one session. Clones guard the same one.
#[derive(Clone)]
pub struct Guard {
    inner: Arc<Inner>,
}

/// What the checks and the session know.
pub(crate) struct Inner {
    pub(crate) session: SessionId,
    pub(crate) tools: Tools,
    pub(crate) folder: Arc<Folder>,
    pub(crate) mode: Mode,
    pub(crate) policy: PolicyFile,
    pub(crate) intake: Intake,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) calls: Count,
    pub(crate) commands: CommandContext,
    config: GuardConfig,
    turns: Count,
    purse: Purse,
    prices: Prices,
    plan: PlanGate,
    approver: Arc<dyn Approver>,
    audit: Arc<dyn Audit>,
    abort: AbortController,
    abort_told: AtomicBool,
    ended: AtomicBool,
    rollback: Option<Arc<FileRollback>>,
    credentials: Mutex<SessionCredentials>,
    counts: Counts,
}

/// What the end of a session tells.
#[derive(Debug, Default)]
struct Counts {
    numbered: AtomicU64,
    ran: AtomicU64,
    answers: AtomicU64,
    tokens_in: AtomicU64,
    tokens_out: AtomicU64,
}

impl Guard {
    /// The session.
    pub fn session(&self) -> &SessionId {
        &self.inner.session
    }

    /// What a model in this phase is shown: `{"name","description","parameters"}` of each tool that
    /// it may call, and of no other.
    pub fn visible_schemas(&self, phase: &Phase) -> Vec<Value> {
        self.inner.tools.visible_schemas(phase)
    }

    /// The tools.
    pub fn tools(&self) -> &Tools {
        &self.inner.tools
    }

    /// Stops the session, from wherever it is called.
    pub fn abort(&self) -> &AbortController {
        &self.inner.abort
    }

    /// Where the money stands.
    pub fn spending(&self) -> Spending {
        self.inner.purse.spending()
    }

    /// Variables for a tool's child, which name the session to whoever it calls. None once the
    /// session has ended. They are secrets: they go nowhere else.
    pub fn child_variables(&self) -> BTreeMap<&'static str, String> {
        let credentials = self.inner.credentials();
        let variables = credentials.variables();
        variables
            .into_iter()
            .map(|(name, value)| (name, value.to_owned()))
            .collect()
    }

    /// Whether a token is this session's, and the session goes on.
    pub fn is_session_token(&self, token: &str) -> bool {
        self.inner.credentials().is_token(token)
    }
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Guard")
            .field("session", &self.inner.session)
            .field("mode", &self.inner.mode)
            .finish_non_exhaustive()
    }
}

impl Inner {
    async fn record(&self, events: Vec<GuardEvent>) -> Result<(), AuditError> {
        if events.is_empty() {
            return Ok(());
        }
        self.audit.record(events).await
    }

    fn credentials(&self) -> MutexGuard<'_, SessionCredentials> {
        self.credentials
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
