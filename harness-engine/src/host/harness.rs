//! The harness around a host's own loop.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::harness::{Harness, HarnessError};
use crate::off_thread::Lost;
use crate::setup::Setup;
use harness_core::{IdError, SessionId};
use harness_rules::Decided;
use harness_sanitize::{Gate, Intake, SecretKind};
use harness_store::{Clock, GuardLog, OpenOptions, Reader, StoreError, Workspace};
use tokio::runtime::Handle;

use super::conversation::{Conversation, SecretInPrompt, look_at_prompt};
use super::replay::{HostReplay, Replaying};
use super::session::{HarnessSession, TraceNames};
use super::tools::TaskTools;

/// Why a harness could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The engine says why.
    #[error(transparent)]
    Engine(#[from] crate::setup::OpenError),
    /// The runtime is shutting down.
    #[error(transparent)]
    Lost(#[from] Lost),
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        Self::Engine(error.into())
    }
}

/// Why a conversation was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The id is none that a session may have. The host's fault.
    #[error(transparent)]
    Id(#[from] IdError),
    /// The id holds a secret, and would be written down with every turn. The host's fault.
    #[error("the session's id holds a secret of kind `{}`: choose another id", .0.name())]
    SecretInId(SecretKind),
    /// The system prompt gives a secret away. The host's fault.
    #[error(transparent)]
    Prompt(#[from] SecretInPrompt),
    /// The session could not be begun; the error says whose fault it is.
    #[error(transparent)]
    Harness(#[from] HarnessError),
}

/// What ids of repair sessions start with: a host that uses it is told, and so is the journal.
const REPAIR_PREFIX: &str = "repair-";
/// Bytes of a refused id that are journaled.
const MAX_REFUSED: usize = 256;

/// A running harness for a host with a loop of its own. Dropping it leaves the workspace as it is;
/// [`HostHarness::close`] also waits for what is under way.
pub struct HostHarness {
    harness: Arc<Harness>,
    intake: Arc<Intake>,
    clock: Clock,
    runtime: Handle,
}

impl HostHarness {
    /// Opens the workspace, which is made where there is none, and starts watching.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn open(setup: Setup) -> Result<Self, OpenError> {
        Self::open_with(setup, None).await
    }

    /// As [`HostHarness::open`], for a host that can run its agent on captured cases: candidates
    /// are tried on them before any session sees one. Cases are captured where the settings say so
    /// (`capture_eval_cases`), of turns that were reported with a replay input.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn open_replaying(
        setup: Setup,
        replay: Arc<dyn HostReplay>,
    ) -> Result<Self, OpenError> {
        Self::open_with(setup, Some(replay)).await
    }

    async fn open_with(
        setup: Setup,
        replay: Option<Arc<dyn HostReplay>>,
    ) -> Result<Self, OpenError> {
        let runtime = Handle::try_current().map_err(|_| crate::setup::OpenError::NoRuntime)?;
        let intake = Arc::new(Intake::new(Gate::default(), setup.redactor.clone()));
        let clock = match &setup.clock {
            Some(clock) => Arc::clone(clock),
            None => OpenOptions::default().clock,
        };
        let now = clock();
        let replay = replay.map(|host| Replaying {
            host,
            intake: Arc::clone(&intake),
            runtime: runtime.clone(),
        });
        let harness = runtime
            .spawn_blocking(move || {
                if let Err(StoreError::Missing { .. }) = Reader::open(&setup.paths) {
                    Workspace::init(&setup.paths, now)?;
                }
                Ok::<Harness, OpenError>(match replay {
                    Some(replay) => Harness::open_replaying(setup, Arc::new(replay))?,
                    None => Harness::open(setup)?,
                })
            })
            .await
            .map_err(|_| Lost)??;
        Ok(Self {
            harness: Arc::new(harness),
            intake,
            clock,
            runtime,
        })
    }

    /// Starts a conversation. It is on disk before this returns, so that whatever its tools show is
    /// shown to a session that is known.
    ///
    /// # Errors
    /// See [`StartError`]. A secret in the system prompt or the id is named by kind, never quoted.
    pub async fn start(
        &self,
        conversation: Conversation<'_>,
    ) -> Result<HarnessSession, StartError> {
        look_at_prompt(conversation.system_prompt, self.intake.redactor())?;
        if let Some(found) = self.intake.redactor().find(conversation.id).first() {
            return Err(StartError::SecretInId(found.kind));
        }
        let id = match SessionId::parse(conversation.id) {
            Ok(id) => id,
            Err(error) => {
                if conversation.id.starts_with(REPAIR_PREFIX) {
                    let name = self.intake.text(conversation.id, MAX_REFUSED);
                    self.harness.refuse_session(name.into_owned()).await?;
                }
                return Err(error.into());
            }
        };
        let random = getrandom::u64().map_err(|_| HarnessError::NoRandomness)?;
        let principal = conversation.principal;
        let toolset = self.harness.begin_session(&id, principal.clone()).await?;
        Ok(HarnessSession {
            harness: Arc::clone(&self.harness),
            intake: Arc::clone(&self.intake),
            clock: Arc::clone(&self.clock),
            tools: TaskTools::new(toolset, Arc::clone(&self.intake), self.runtime.clone()),
            traces: TraceNames::new(&id, random),
            id,
            principal,
            host_labels: conversation.host_labels,
            next_turn: AtomicU32::new(conversation.next_turn),
        })
    }

    /// Lets the evidence decide what it can, as at the boundary of a phase.
    ///
    /// # Errors
    /// The workspace cannot be read or written.
    pub async fn settle_validation(&self) -> Result<Decided, HarnessError> {
        self.harness.settle_validation().await
    }

    /// The half of the workspace that records what became of tool calls, for the guards of this
    /// host's sessions: once, and then `None`. See [`Harness::take_guard_log`].
    pub fn take_guard_log(&self) -> Option<GuardLog> {
        self.harness.take_guard_log()
    }

    /// Waits for what is under way, as long as the settings say, and lets go of the workspace.
    /// Returns whether all of it ended in time; while the host holds a session, it is not closed.
    pub async fn close(self) -> bool {
        match Arc::into_inner(self.harness) {
            Some(harness) => harness.close().await,
            None => false,
        }
    }
}
