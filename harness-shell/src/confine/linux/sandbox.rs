//! A confinement that a backend has been shown to make true, and commands that run in it.

use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::sync::Arc;

use harness_core::CleanString;
use harness_sanitize::Intake;
use tokio::sync::oneshot;

use super::keeper::{self, Keeping, Stdin};
use super::means::{Means, PROCESSOR, Program};
use super::probe;
use super::tree::Tree;
use super::watch::Bounds;
use crate::allowed::Allowed;
use crate::confine::child::{ConfinedChild, Ends, Lifetime};
use crate::confine::{Backend, Cause, Confinement, Enforcement, NoBackend, Unfit};
use crate::environment::Environment;
use crate::outcome::{Outcome, RunError};

/// A proven confinement. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sandbox {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    means: Means,
    confinement: Confinement,
    enforcement: Enforcement,
    intake: Intake,
}

impl Sandbox {
    /// Takes the first backend that proves itself; [`Backend::ALL`] has the order.
    ///
    /// # Errors
    /// Why each one failed and how to mend it. Nothing runs then.
    pub fn start(
        confinement: &Confinement,
        intake: &Intake,
    ) -> Result<(Self, Enforcement), NoBackend> {
        let mut unfit = Vec::new();
        for backend in Backend::ALL {
            match Self::start_with(backend, confinement.clone(), intake.clone()) {
                Ok(started) => return Ok(started),
                Err(cause) => unfit.push(cause),
            }
        }
        Err(NoBackend(unfit))
    }

    /// Takes one backend, if it proves itself.
    ///
    /// # Errors
    /// Why it failed and how to mend it.
    pub fn start_with(
        backend: Backend,
        confinement: Confinement,
        intake: Intake,
    ) -> Result<(Self, Enforcement), Unfit> {
        let proven = Means::prepare(backend, &confinement)
            .and_then(|means| Ok((probe::prove(backend, &means, &confinement)?, means)));
        let (enforcement, means) = proven.map_err(|cause| Unfit {
            remedy: remedy(backend, &cause),
            backend,
            cause,
        })?;
        let inner = Inner {
            means,
            confinement,
            enforcement: enforcement.clone(),
            intake,
        };
        let sandbox = Self {
            inner: Arc::new(inner),
        };
        Ok((sandbox, enforcement))
    }

    /// What the probe saw.
    pub fn enforcement(&self) -> &Enforcement {
        &self.inner.enforcement
    }

    /// What may be touched.
    pub fn confinement(&self) -> &Confinement {
        &self.inner.confinement
    }

    /// Runs `command` in a thread for blocking work. Dropping the future ends the command.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn run(
        &self,
        command: Allowed,
        environment: Environment,
    ) -> Result<Outcome, RunError> {
        // Dropped with this future; the other end then reads its end, which cancels.
        let (ended, _cancel) = io::pipe().map_err(RunError::Start)?;
        let sandbox = self.clone();
        let run = move || sandbox.run_until(&command, &environment, Some(&ended));
        tokio::task::spawn_blocking(run)
            .await
            .unwrap_or(Err(RunError::Runtime))
    }

    /// Runs `command` and waits, at most the wall time of the limits and the time that killing
    /// takes.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn run_blocking(
        &self,
        command: &Allowed,
        environment: &Environment,
    ) -> Result<Outcome, RunError> {
        self.run_until(command, environment, None)
    }

    fn run_until(
        &self,
        command: &Allowed,
        environment: &Environment,
        cancel: Option<&PipeReader>,
    ) -> Result<Outcome, RunError> {
        let program = self.program(command, environment)?;
        let raw = self
            .inner
            .means
            .run(&program, &self.inner.confinement, cancel)?;
        Ok(Outcome {
            ended: raw.ended,
            stdout: self.clean(&raw.stdout),
            stderr: self.clean(&raw.stderr),
            dropped_bytes: raw.dropped_bytes,
            backend: self.inner.enforcement.backend,
        })
    }

    /// Starts `command` as a child that stays, with its input and output in the caller's hands. Of
    /// the limits `wall` does not count, `lifetime` does in its place; `cpu` is for all of its time,
    /// and `output_bytes` what is kept of standard error. A future that is dropped ends what it
    /// started, as dropping the child does.
    ///
    /// # Errors
    /// [`RunError::Elsewhere`] and [`RunError::Start`].
    pub async fn spawn(
        &self,
        command: &Allowed,
        environment: &Environment,
        lifetime: Lifetime,
    ) -> Result<(ConfinedChild, Enforcement), RunError> {
        let program = self.program(command, environment)?;
        let sandbox = self.clone();
        let (tell, started) = oneshot::channel();
        let keep = move |mut ends: Ends| {
            let outcome = sandbox.keep(&program, lifetime, &mut ends, tell);
            // Whoever has dropped the child asks no more.
            let _ = ends.over.send(outcome);
        };
        let child = keeper::start(keep).map_err(RunError::Start)?;
        match started.await {
            Ok(()) => Ok((child, self.enforcement().clone())),
            // It is over already, and says why.
            Err(_) => match child.close().await {
                Err(error) => Err(error),
                Ok(_) => Err(RunError::Runtime),
            },
        }
    }

    /// In the keeper's thread: from the start to the end of the tree.
    fn keep(
        &self,
        program: &Program,
        lifetime: Lifetime,
        ends: &mut Ends,
        started: oneshot::Sender<()>,
    ) -> Result<Outcome, RunError> {
        let Inner {
            means, confinement, ..
        } = &*self.inner;
        let wall = match lifetime {
            Lifetime::UntilClosed => None,
            Lifetime::Within(wall) => Some(wall),
        };
        let keeping = Keeping {
            bounds: Bounds::new(wall, confinement.limits.memory_bytes),
            output_bytes: confinement.limits.output_bytes,
            pieces: &mut ends.pieces,
            chunks: ends.chunks.take(),
            wake: &ends.wake,
        };
        let (mut command, _run) = means
            .command(program, confinement)
            .map_err(RunError::Start)?;
        let stdin = Stdin::of(&mut command).map_err(RunError::Start)?;
        let (tree, child) = Tree::start(&means.bond(), command).map_err(RunError::Start)?;
        // Whoever no longer waits for it has dropped the child, which the keeper is told.
        let _ = started.send(());
        let remains = keeping.keep(tree, child, stdin).map_err(RunError::Watch)?;
        means.count_anew(remains.left);
        Ok(Outcome {
            ended: remains.ended,
            stdout: CleanString::empty(),
            stderr: self.clean(&remains.stderr),
            dropped_bytes: remains.dropped_bytes,
            backend: self.inner.enforcement.backend,
        })
    }

    fn program(&self, command: &Allowed, environment: &Environment) -> Result<Program, RunError> {
        let workspace = &self.inner.confinement.workspace;
        if command.workspace().path() != workspace.path() {
            return Err(RunError::Elsewhere);
        }
        Ok(Program {
            file: command.binary().into(),
            words: command.words().iter().map(OsString::from).collect(),
            environment: environment.within(workspace, command.credentials()),
        })
    }

    fn clean(&self, bytes: &[u8]) -> CleanString {
        let text = String::from_utf8_lossy(bytes);
        let most = self.inner.confinement.limits.output_bytes;
        self.inner.intake.text(&text, most).into_owned()
    }
}

fn remedy(backend: Backend, cause: &Cause) -> &'static str {
    match (backend, cause) {
        (_, Cause::CannotExpress(_)) => "grant less, or use the native backend",
        (_, Cause::Missing(PROCESSOR)) => "run this on x86-64",
        (Backend::Native, Cause::Missing(_)) => {
            "use Linux 6.12 or later with Landlock among the modules of `lsm=`"
        }
        (Backend::Native, _) => "run as an ordinary user, or as root with its capabilities",
        (Backend::Bubblewrap, Cause::Missing(_)) => "install the package `bubblewrap`",
        (Backend::Bubblewrap, _) => "allow unprivileged user namespaces",
        (Backend::Firejail, Cause::Missing(_)) => "install the package `firejail`",
        (Backend::Firejail, _) => "give the workspace to the account of an ordinary user",
        (Backend::Docker, _) => "use another backend",
    }
}
