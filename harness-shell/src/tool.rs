//! The restricted shell: a policy decides, a sandbox enforces, and what comes back is clean.

use harness_sanitize::Intake;

use crate::allowed::{Allowed, Credentials};
use crate::confine::{Confinement, Enforcement, Network, NoBackend, Sandbox};
use crate::decision::Decision;
use crate::environment::Environment;
use crate::outcome::{Outcome, RunError};
use crate::policy::{LoadedPolicy, ShellPolicy};
use crate::workspace::Workspace;

/// What a restricted shell is made of.
#[derive(Clone, Debug)]
pub struct ShellSettings {
    /// Which commands.
    pub policy: ShellPolicy,
    /// Within which bounds. Binaries are looked for in its `reads` too, behind the system's folders.
    pub confinement: Confinement,
    /// The network of the binaries that need the platform's credentials; the others have that of
    /// the confinement.
    pub platform_network: Network,
    /// What they see of the host's environment.
    pub environment: Environment,
}

/// A shell that runs what its policy allows, confined.
#[derive(Clone, Debug)]
pub struct RestrictedShellTool {
    policy: LoadedPolicy,
    environment: Environment,
    plain: Sandbox,
    platform: Sandbox,
}

/// What came of a command.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The policy does not let it run; nothing ran.
    Refused(Decision),
    /// It ran, and is over.
    Ran(Outcome),
}

impl RestrictedShellTool {
    /// Resolves the binaries and proves the sandbox: the same backend for all of them.
    ///
    /// # Errors
    /// Where nothing on this machine confines, or the backend that does cannot express the
    /// platform's network.
    pub fn start(
        settings: ShellSettings,
        intake: &Intake,
    ) -> Result<(Self, Enforcement), NoBackend> {
        let ShellSettings {
            policy,
            confinement,
            platform_network,
            environment,
        } = settings;
        let (plain, enforcement) = Sandbox::start(&confinement, intake)?;
        let platform = if platform_network == confinement.network {
            plain.clone()
        } else {
            let confinement = Confinement {
                network: platform_network,
                ..confinement.clone()
            };
            let started = Sandbox::start_with(enforcement.backend, confinement, intake.clone());
            let (platform, _of_the_same_backend) =
                started.map_err(|unfit| NoBackend(vec![unfit]))?;
            platform
        };
        let policy = policy.load(confinement.workspace, &confinement.reads);
        let tool = Self {
            policy,
            environment,
            plain,
            platform,
        };
        Ok((tool, enforcement))
    }

    /// The folder that commands may touch.
    pub const fn workspace(&self) -> &Workspace {
        self.policy.workspace()
    }

    /// What the policy says of a command, without running it.
    pub fn decide(&self, command: &[String]) -> Decision {
        self.policy.decide(command)
    }

    /// Runs a command, if the policy allows it. Dropping the future ends it.
    ///
    /// # Errors
    /// See [`RunError`]; a refusal is an answer.
    pub async fn run(&self, command: Vec<String>) -> Result<Answer, RunError> {
        self.answer(self.policy.allow(command)).await
    }

    /// Runs one line, split as a POSIX shell splits words, with nothing expanded.
    ///
    /// # Errors
    /// See [`RunError`]; a refusal is an answer.
    pub async fn run_line(&self, line: &str) -> Result<Answer, RunError> {
        self.answer(self.policy.allow_line(line)).await
    }

    async fn answer(&self, allowed: Result<Allowed, Decision>) -> Result<Answer, RunError> {
        let allowed = match allowed {
            Ok(allowed) => allowed,
            Err(refused) => return Ok(Answer::Refused(refused)),
        };
        let sandbox = match allowed.credentials() {
            Credentials::None => &self.plain,
            Credentials::Platform => &self.platform,
        };
        let outcome = sandbox.run(allowed, self.environment.clone()).await?;
        Ok(Answer::Ran(outcome))
    }
}
