//! What a process plugin is, and what it needs: data that an operator writes and a reviewer reads.

use std::path::PathBuf;
use std::time::Duration;

use harness_engine::Lost;
use harness_sanitize::Intake;
use harness_shell::{
    Allowed, ConfinedChild, Confinement, Enforcement, Environment, HostCommand, Lifetime, Limits,
    Network, RunError, Sandbox, Workspace,
};

use super::failure::ProcessError;

/// Processor time of a plugin's process, after which it is started anew.
const CPU: Duration = Duration::from_secs(3600);
/// Bytes of standard error that are kept.
const STDERR: usize = 4096;

/// What a plugin may have beside its folder and the system's programs: nothing that is not here.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// Files and folders that it reads, its own code among them.
    pub reads: Vec<PathBuf>,
    /// Ports that it connects to.
    pub network: Network,
    /// Names of the host's variables that it sees.
    pub environment: Vec<String>,
}

/// A plugin as a program to start.
#[derive(Clone, Debug)]
pub struct ProcessProgram {
    /// The program and its arguments, as the operator wrote them.
    pub command: HostCommand,
    /// The one folder that it may write; it starts there.
    pub folder: Workspace,
    /// What else it needs.
    pub needs: Needs,
    /// Bounds of its tree. Their wall time does not count: each call has a deadline instead.
    pub limits: Limits,
    /// How long it may stay before it is started anew.
    pub lifetime: Lifetime,
    /// When a call has taken too long, and how it is started again.
    pub patience: Patience,
}

/// How long a plugin is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From the start to what it says of itself.
    pub describe: Duration,
    /// From a call to its answer; the same again for its turn.
    pub call: Duration,
    /// From the start of a replay to its end.
    pub replay: Duration,
    /// Rest after a failure, doubled with each that follows.
    pub rest: Duration,
    /// Rest at most.
    pub longest_rest: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            describe: Duration::from_secs(10),
            call: Duration::from_secs(30),
            replay: Duration::from_secs(300),
            rest: Duration::from_millis(250),
            longest_rest: Duration::from_secs(60),
        }
    }
}

impl ProcessProgram {
    /// A program that needs nothing but `folder` and the system's programs.
    pub fn new(command: HostCommand, folder: Workspace) -> Self {
        Self {
            command,
            folder,
            needs: Needs::default(),
            limits: Limits {
                cpu: CPU,
                output_bytes: STDERR,
                ..Limits::default()
            },
            lifetime: Lifetime::UntilClosed,
            patience: Patience::default(),
        }
    }

    /// Proves a sandbox for it, and the program.
    pub(super) async fn prepare(
        self,
        variables: impl IntoIterator<Item = (String, String)>,
        intake: Intake,
    ) -> Result<(Ready, Enforcement), ProcessError> {
        let environment = Environment::default().declaring(&self.needs.environment, variables)?;
        let command = self.command.allow(self.folder.clone());
        let command = command.map_err(ProcessError::Program)?;
        let confinement = Confinement {
            workspace: self.folder,
            reads: self.needs.reads,
            network: self.needs.network,
            limits: self.limits,
        };
        let proven = tokio::task::spawn_blocking(move || Sandbox::start(&confinement, &intake));
        let (sandbox, enforcement) = proven.await.map_err(|_| Lost)??;
        let ready = Ready {
            sandbox,
            command,
            environment,
            lifetime: self.lifetime,
        };
        Ok((ready, enforcement))
    }
}

/// A program that can be started, as often as it takes.
pub(super) struct Ready {
    sandbox: Sandbox,
    command: Allowed,
    environment: Environment,
    lifetime: Lifetime,
}

impl Ready {
    pub(super) async fn start(&self) -> Result<ConfinedChild, RunError> {
        let started = self
            .sandbox
            .spawn(&self.command, &self.environment, self.lifetime);
        let (child, _as_proven) = started.await?;
        Ok(child)
    }
}
