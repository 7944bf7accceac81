//! What a guard is made of.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use harness_core::SessionId;
use harness_sanitize::{Gate, Intake, Redactor, audit_system_prompt, secret_env_names};
use harness_shell::Workspace;
use harness_shell::general::Context as CommandContext;
use harness_store::GuardEvent;
use harness_store::wire::event::GuardSessionStart;

use super::{Counts, Guard, Inner};
use crate::approval::{Approver, NobodyToAsk};
use crate::audit::{Audit, AuditError};
use crate::budget::{Count, Microdollars, Prices, Purse};
use crate::config::GuardConfig;
use crate::folder::Folder;
use crate::plan::PlanGate;
use crate::policy_file::PolicyFile;
use crate::session::{AbortController, FileRollback, RandomError, SessionCredentials};
use crate::tool::{RegistryError, Tools};
use crate::web::{Resolver, SystemResolver};

/// The name of the variable with a session's token, by which the redactor knows it.
const TOKEN: &str = "AGENT_SESSION_TOKEN";

/// Why a session cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A tool is configured that there is not. The operator's fault.
    #[error(transparent)]
    Tools(#[from] RegistryError),
    /// The system prompt holds something of the environment. The host's fault.
    #[error(
        "the system prompt holds {findings} things of the environment: names, values or code that reads it"
    )]
    Prompt {
        /// How many.
        findings: usize,
    },
    /// Backups would lie where the agent can reach them. The host's fault.
    #[error("backups must not lie beneath the working folder")]
    Backups,
    /// The working folder is none that a command may run in. The operator's fault.
    #[error("no command may run in the working folder: {0}")]
    Commands(String),
    /// The audit cannot be written.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The system gives no random bytes.
    #[error(transparent)]
    Random(#[from] RandomError),
}

/// Everything that a guard needs; what has a safe default has it.
pub struct GuardSetup {
    /// The session.
    pub session: SessionId,
    /// The tools, with what runs them.
    pub tools: Tools,
    /// The working folder.
    pub folder: Folder,
    /// Where events go.
    pub audit: Arc<dyn Audit>,
    /// The settings.
    pub config: GuardConfig,
    /// The operator's policy; silent.
    pub policy: PolicyFile,
    /// What models cost; no model may be asked that has no price.
    pub prices: Prices,
    /// Who is asked; nobody.
    pub approver: Arc<dyn Approver>,
    /// Who resolves names; the system.
    pub resolver: Arc<dyn Resolver>,
    /// The gate for tools' answers, with the host's own markers if it has any.
    pub gate: Gate,
    /// The environment, by name and value: its secrets are known to the redactor.
    pub environment: Vec<(String, String)>,
    /// The host's system prompt, checked for what it must not hold.
    pub system_prompt: String,
    /// The user's home, for commands that name it as `~`.
    pub home: Option<PathBuf>,
    /// Credential folders of this machine, for the audit to name.
    pub credential_folders: Vec<PathBuf>,
    /// The way back; none.
    pub rollback: Option<FileRollback>,
    /// What stops the session.
    pub abort: AbortController,
}

impl GuardSetup {
    /// A guard with the defaults.
    pub fn new(session: SessionId, tools: Tools, folder: Folder, audit: Arc<dyn Audit>) -> Self {
        Self {
            session,
            tools,
            folder,
            audit,
            config: GuardConfig::default(),
            policy: PolicyFile::silent(),
            prices: Prices::new(),
            approver: Arc::new(NobodyToAsk),
            resolver: Arc::new(SystemResolver::default()),
            gate: Gate::default(),
            environment: Vec::new(),
            system_prompt: String::new(),
            home: None,
            credential_folders: Vec::new(),
            rollback: None,
            abort: AbortController::new(),
        }
    }
}

impl Guard {
    /// Starts a session; its settings are the first event of the audit.
    ///
    /// # Errors
    /// What cannot be guarded is not started; see [`StartError`].
    pub async fn start(setup: GuardSetup) -> Result<Self, StartError> {
        let findings = audit_system_prompt(&setup.system_prompt, &setup.environment).len();
        if findings > 0 {
            return Err(StartError::Prompt { findings });
        }
        if let Some(rollback) = &setup.rollback
            && harness_sanitize::is_within(rollback.place(), setup.folder.path())
        {
            return Err(StartError::Backups);
        }
        let tools = match &setup.config.tools {
            Some(names) => setup.tools.only(names)?,
            None => setup.tools,
        };
        let commands = command_context(&setup.folder, setup.home.as_deref())?;
        let credentials = SessionCredentials::draw()?;
        let names = setup.environment.iter().map(|(name, _)| name.as_str());
        let secret_variables = secret_env_names(names).len() as u64;
        let token = credentials.token().unwrap_or_default().to_owned();
        let known = setup.environment.into_iter();
        let redactor =
            Redactor::with_values(std::iter::once((TOKEN.to_owned(), token)).chain(known));
        let started = GuardSessionStart {
            session: setup.session.clone(),
            settings: setup.config.to_texts(),
            tools: tools.names().map(str::to_owned).collect(),
            secret_variables,
            credential_folders: setup
                .credential_folders
                .iter()
                .map(|folder| folder.display().to_string())
                .collect(),
        };
        setup
            .audit
            .record(vec![GuardEvent::SessionStart(started)])
            .await?;
        let config = setup.config;
        let cap = Microdollars::from_dollars(config.max_cost_usd).unwrap_or(Microdollars::ZERO);
        Ok(Self {
            inner: Arc::new(Inner {
                session: setup.session,
                tools,
                folder: Arc::new(setup.folder),
                mode: config.permission_mode,
                policy: setup.policy,
                intake: Intake::new(setup.gate, redactor),
                resolver: setup.resolver,
                calls: Count::new(config.max_tool_calls),
                commands,
                turns: Count::new(config.max_turns),
                purse: Purse::new(cap),
                prices: setup.prices,
                plan: PlanGate::new(),
                approver: setup.approver,
                audit: setup.audit,
                abort: setup.abort,
                abort_told: AtomicBool::new(false),
                ended: AtomicBool::new(false),
                rollback: setup.rollback.map(Arc::new),
                credentials: Mutex::new(credentials),
                counts: Counts::default(),
                config,
            }),
        })
    }
}

/// Where commands would run, for the command policy.
fn command_context(folder: &Folder, home: Option<&Path>) -> Result<CommandContext, StartError> {
    let kept_away: Vec<&Path> = folder.kept_away().iter().map(PathBuf::as_path).collect();
    let workspace = Workspace::open(folder.path(), &kept_away)
        .map_err(|error| StartError::Commands(error.to_string()))?;
    let mut context = CommandContext::of(workspace);
    let refused =
        |error: harness_shell::general::ContextError| StartError::Commands(error.to_string());
    for kept in kept_away {
        context = context.forbidding(kept).map_err(refused)?;
    }
    match home {
        Some(home) => context.with_home(home).map_err(refused),
        None => Ok(context),
    }
}
