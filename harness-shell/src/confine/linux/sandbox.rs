//! A confinement that a backend has been shown to make true, and commands that run in it.

use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use harness_core::CleanString;
use harness_sanitize::Intake;
use rustix::process::Pid;
use tokio::sync::oneshot;

use super::bubblewrap::{self, Bubblewrap};
use super::domain::Restriction;
use super::firejail::Firejail;
use super::identity::{Ids, Keeps};
use super::keeper::{self, Keeping, Stdin};
use super::launcher::{Keep, Launcher};
use super::namespace::{processes, status};
use super::tree::{Bond, Tree};
use super::warden::Left;
use super::watch::{self, Bounds, Raw, WatchError};
use super::{installed, launcher, native, probe};
use crate::allowed::Allowed;
use crate::confine::child::{ConfinedChild, Ends, Lifetime};
use crate::confine::{Backend, Cause, Confinement, Enforcement, Limits, NoBackend, Unfit};
use crate::environment::Environment;
use crate::outcome::{Outcome, RunError};

/// How long a launcher, and the count of the user's tasks that it is made with, is used.
const COUNT_AGE: Duration = Duration::from_secs(1);

/// What is missing on a processor that there is no launcher for.
const PROCESSOR: &str = "a launcher for this processor";

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

/// A program, its name and arguments, and its whole environment.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) file: OsString,
    pub(super) words: Vec<OsString>,
    pub(super) environment: Vec<(String, String)>,
}

/// What a run needs open.
type Held = (Arc<Launcher>, Option<bubblewrap::Run>);

/// A backend that is ready.
#[derive(Debug)]
pub(super) struct Means {
    pub(super) ids: Ids,
    kind: Kind,
    launcher: Mutex<Option<(Instant, Arc<Launcher>)>>,
}

#[derive(Debug)]
pub(super) enum Kind {
    Native(Arc<Restriction>),
    Bubblewrap(Bubblewrap),
    Firejail(Firejail),
}

impl Means {
    /// # Errors
    /// What the machine lacks, or the backend cannot express.
    pub(super) fn prepare(backend: Backend, confinement: &Confinement) -> Result<Self, Cause> {
        if !launcher::IS_THERE {
            return Err(Cause::Missing(PROCESSOR));
        }
        let keeps = match backend {
            Backend::Native => Keeps::Reading,
            _ => Keeps::Nothing,
        };
        let ids = Ids::of(&confinement.workspace, keeps)
            .map_err(|error| Cause::Broken(error.to_string()))?;
        let kind = match backend {
            Backend::Native => Kind::Native(Arc::new(native::prepare(confinement, ids)?)),
            Backend::Bubblewrap => Kind::Bubblewrap(Bubblewrap::prepare(confinement)?),
            Backend::Firejail => Kind::Firejail(Firejail::prepare(confinement)?),
            Backend::Docker => return Err(docker()),
        };
        Ok(Self {
            ids,
            kind,
            launcher: Mutex::new(None),
        })
    }

    /// The restriction that a thread of the host can take upon itself, if that is how it works.
    pub(super) fn restriction(&self) -> Option<&Restriction> {
        match &self.kind {
            Kind::Native(restriction) => Some(restriction),
            Kind::Bubblewrap(_) | Kind::Firejail(_) => None,
        }
    }

    /// Runs `program` and watches it.
    ///
    /// # Errors
    /// Of the start or of watching; what was started is dead.
    pub(super) fn run(
        &self,
        program: &Program,
        confinement: &Confinement,
        cancel: Option<&PipeReader>,
    ) -> Result<Raw, RunError> {
        let (mut command, _run) = self
            .command(program, confinement)
            .map_err(RunError::Start)?;
        command.stdin(Stdio::null());
        let raw = watch::run(&self.bond(), command, &confinement.limits, cancel);
        let raw = raw.map_err(|error| match error {
            WatchError::Start(error) => RunError::Start(error),
            WatchError::Watch(error) => RunError::Watch(error),
        })?;
        self.count_anew(raw.left);
        Ok(raw)
    }

    /// What to start for `program`, and what has to stay open until it is over.
    fn command(&self, program: &Program, confinement: &Confinement) -> io::Result<(Command, Held)> {
        let limits = &confinement.limits;
        let (mut command, held) = match &self.kind {
            Kind::Native(_) => {
                let launcher = self.launcher(limits, 0)?;
                let mut command = Command::new(launcher.path());
                let handle = confinement.workspace.handle().as_raw_fd();
                command
                    .arg(&program.file)
                    .args(&program.words)
                    // The folder that is held, whatever its name has become.
                    .current_dir(format!("/proc/self/fd/{handle}"));
                (command, (launcher, None))
            }
            Kind::Bubblewrap(bubblewrap) => {
                let run = bubblewrap.run(program)?;
                let tasks = self.tasks(limits).saturating_add(Bubblewrap::TASKS);
                let launcher = Launcher::new(limits, tasks, run.keep())?;
                let mut command = Command::new(launcher.path());
                command.args(&run.arguments);
                (command, (Arc::new(launcher), Some(run)))
            }
            Kind::Firejail(firejail) => {
                let launcher = self.launcher(limits, Firejail::TASKS)?;
                let mut command = Command::new(launcher.path());
                command
                    .args(firejail.arguments(program))
                    .current_dir(confinement.workspace.path());
                (command, (launcher, None))
            }
        };
        if let (None, Some((uid, gid))) = (self.restriction(), self.ids.owner()) {
            // Further groups and capabilities go with the user.
            command.uid(uid).gid(gid);
        }
        command
            .env_clear()
            .envs(program.environment.iter().cloned())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok((command, held))
    }

    /// What holds its trees together.
    fn bond(&self) -> Bond {
        match &self.kind {
            Kind::Native(restriction) => Bond::Domain(Arc::clone(restriction)),
            Kind::Bubblewrap(_) | Kind::Firejail(_) => Bond::Namespace,
        }
    }

    /// The dead whom nobody has collected take room from the next command, which is counted anew
    /// for that reason.
    fn count_anew(&self, left: Left) {
        if left == Left::Dead {
            *self.launcher.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// Tasks that the user may have: the kernel's limit counts those too that are there already.
    fn tasks(&self, limits: &Limits) -> u64 {
        tasks_of(self.ids.uid).saturating_add(limits.processes)
    }

    /// A launcher, made anew from time to time, for the count of tasks in it ages.
    fn launcher(&self, limits: &Limits, own: u64) -> io::Result<Arc<Launcher>> {
        let mut held = self.launcher.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, launcher)) = &*held
            && made.elapsed() < COUNT_AGE
        {
            return Ok(Arc::clone(launcher));
        }
        let tasks = self.tasks(limits).saturating_add(own);
        let launcher = Launcher::new(limits, tasks, Keep::Nothing)?;
        let launcher = Arc::new(launcher);
        *held = Some((Instant::now(), Arc::clone(&launcher)));
        Ok(launcher)
    }
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

/// Tasks that belong to user `uid` now, the dead that nobody has collected among them.
fn tasks_of(uid: u32) -> u64 {
    let of_the_user = |pid: &Pid| status(*pid, "Uid:") == Some(u64::from(uid));
    let all = processes().unwrap_or_default();
    let own = all.into_iter().filter(of_the_user);
    own.map(|pid| status(pid, "Threads:").unwrap_or(1)).sum()
}

/// Why docker does not count: a container has the programs of an image, and what a policy allows is
/// a file of this system.
fn docker() -> Cause {
    match installed(&["/usr/bin/docker", "/usr/local/bin/docker"]) {
        Some(_) => Cause::CannotExpress("the programs of this system, without an image of it"),
        None => Cause::Missing("docker"),
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
