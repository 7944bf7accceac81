//! A confinement that a backend has been shown to make true, and commands that run in it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, PipeReader};
use std::os::fd::AsRawFd as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use harness_core::CleanString;
use harness_sanitize::Intake;

use super::bubblewrap::Bubblewrap;
use super::domain::Restriction;
use super::launcher::{Keep, Launcher};
use super::watch::{self, Raw, WatchError};
use super::{native, probe};
use crate::allowed::Allowed;
use crate::confine::{Backend, Cause, Confinement, Enforcement, Limits, NoBackend, Unfit};
use crate::environment::Environment;
use crate::outcome::{Outcome, RunError};

/// How long a launcher, and the count of the user's tasks that it is made with, is used.
const COUNT_AGE: Duration = Duration::from_secs(1);

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

/// A backend that is ready.
#[derive(Debug)]
pub(super) struct Means {
    pub(super) restriction: Arc<Restriction>,
    kind: Kind,
    launcher: Mutex<Option<(Instant, Arc<Launcher>)>>,
}

#[derive(Debug)]
enum Kind {
    Native,
    Bubblewrap(Bubblewrap),
}

impl Means {
    pub(super) fn prepare(backend: Backend, confinement: &Confinement) -> Result<Self, Cause> {
        let (restriction, kind) = match backend {
            Backend::Native => (native::prepare(confinement)?, Kind::Native),
            Backend::Bubblewrap => {
                let (restriction, bubblewrap) = Bubblewrap::prepare(confinement)?;
                (restriction, Kind::Bubblewrap(bubblewrap))
            }
            Backend::Firejail => return Err(Cause::Missing("support for firejail")),
            Backend::Docker => return Err(Cause::Missing("support for docker")),
        };
        Ok(Self {
            restriction: Arc::new(restriction),
            kind,
            launcher: Mutex::new(None),
        })
    }

    /// Runs `program` and watches it.
    pub(super) fn run(
        &self,
        program: &Program,
        confinement: &Confinement,
        cancel: Option<&PipeReader>,
    ) -> Result<Raw, RunError> {
        let limits = &confinement.limits;
        // What a run needs open stays so until it is over.
        let (mut command, _run) = match &self.kind {
            Kind::Native => {
                let launcher = self.launcher(limits).map_err(RunError::Start)?;
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
                let run = bubblewrap.run(program).map_err(RunError::Start)?;
                let tasks = self.tasks(limits).saturating_add(Bubblewrap::TASKS);
                let launcher = Launcher::new(limits, tasks, run.keep()).map_err(RunError::Start)?;
                let mut command = Command::new(launcher.path());
                command.args(&run.arguments);
                (command, (Arc::new(launcher), Some(run)))
            }
        };
        command
            .env_clear()
            .envs(program.environment.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        watch::run(&self.restriction, command, limits, cancel).map_err(|error| match error {
            WatchError::Start(error) => RunError::Start(error),
            WatchError::Watch(error) => RunError::Watch(error),
        })
    }

    /// Tasks that the user may have: the kernel's limit counts those too that are there already.
    fn tasks(&self, limits: &Limits) -> u64 {
        tasks_of(self.restriction.ids.uid).saturating_add(limits.processes)
    }

    /// A launcher, made anew from time to time, for the count of tasks in it ages.
    fn launcher(&self, limits: &Limits) -> io::Result<Arc<Launcher>> {
        let mut held = self.launcher.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, launcher)) = &*held
            && made.elapsed() < COUNT_AGE
        {
            return Ok(Arc::clone(launcher));
        }
        let launcher = Launcher::new(limits, self.tasks(limits), Keep::Nothing)?;
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
        let Confinement {
            workspace, limits, ..
        } = &self.inner.confinement;
        if command.workspace().path() != workspace.path() {
            return Err(RunError::Elsewhere);
        }
        let program = Program {
            file: command.binary().into(),
            words: command.words().iter().map(OsString::from).collect(),
            environment: environment.within(workspace, command.credentials()),
        };
        let raw = self
            .inner
            .means
            .run(&program, &self.inner.confinement, cancel)?;
        let clean = |bytes: &[u8]| -> CleanString {
            let text = String::from_utf8_lossy(bytes);
            let text = self.inner.intake.text(&text, limits.output_bytes);
            text.into_owned()
        };
        Ok(Outcome {
            ended: raw.ended,
            stdout: clean(&raw.stdout),
            stderr: clean(&raw.stderr),
            dropped_bytes: raw.dropped_bytes,
            backend: self.inner.enforcement.backend,
        })
    }
}

/// Tasks that belong to user `uid` now, the dead that nobody has collected among them.
fn tasks_of(uid: u32) -> u64 {
    let Ok(processes) = fs::read_dir("/proc") else {
        return 0;
    };
    let threads = processes.filter_map(|entry| {
        let entry = entry.ok()?;
        entry.file_name().to_str()?.parse::<u32>().ok()?;
        let folder = entry.path();
        // The folder of one that may not be looked into belongs to root, its status does not lie.
        let status = fs::read_to_string(folder.join("status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        (field("Uid:")? == u64::from(uid)).then(|| field("Threads:").unwrap_or(1))
    });
    threads.sum()
}

const fn remedy(backend: Backend, cause: &Cause) -> &'static str {
    match (backend, cause) {
        (_, Cause::CannotExpress(_)) => "grant less, or use the native backend",
        (Backend::Native, Cause::Missing(_)) => {
            "use Linux 6.12 or later with Landlock among the modules of `lsm=`"
        }
        (Backend::Native, _) => "run as an ordinary user, or as root with its capabilities",
        (Backend::Bubblewrap, Cause::Missing(_)) => "install the package `bubblewrap`",
        (Backend::Bubblewrap, _) => "allow unprivileged user namespaces",
        (Backend::Firejail, _) => "install the package `firejail`",
        (Backend::Docker, _) => "use another backend",
    }
}
