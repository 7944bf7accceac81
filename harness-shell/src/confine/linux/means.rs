//! A backend that is ready: what it starts for a program, and what holds the tree together.

use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::bubblewrap::{self, Bubblewrap};
use super::domain::Restriction;
use super::firejail::Firejail;
use super::identity::{Ids, Keeps};
use super::launcher::{Keep, Launcher};
use super::namespace::{processes, status};
use super::tree::Bond;
use super::warden::{Left, Wardens};
use super::watch::{self, Raw, WatchError};
use super::{installed, launcher, native};
use crate::confine::{Backend, Cause, Confinement, Identity, Limits};
use crate::outcome::RunError;

/// How long a launcher, and the count of the user's tasks that it is made with, is used.
const COUNT_AGE: Duration = Duration::from_secs(1);

/// What is missing on a processor that there is no launcher for.
pub(super) const PROCESSOR: &str = "a launcher for this processor";

/// A program, its name and arguments, and its whole environment.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) file: OsString,
    pub(super) words: Vec<OsString>,
    pub(super) environment: Vec<(String, String)>,
}

/// What a run needs open.
pub(super) type Held = (Arc<Launcher>, Option<bubblewrap::Run>);

/// A backend that is ready.
#[derive(Debug)]
pub(super) struct Means {
    pub(super) ids: Ids,
    kind: Kind,
    launcher: Mutex<Option<(Instant, Arc<Launcher>)>>,
}

#[derive(Debug)]
pub(super) enum Kind {
    Native(Arc<Wardens>),
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
            Backend::Native => {
                let restriction = native::prepare(confinement, ids)?;
                Kind::Native(Arc::new(Wardens::of(restriction)))
            }
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
            Kind::Native(wardens) => Some(&wardens.restriction),
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
    pub(super) fn command(
        &self,
        program: &Program,
        confinement: &Confinement,
    ) -> io::Result<(Command, Held)> {
        let limits = &confinement.limits;
        let (mut command, held) = match &self.kind {
            Kind::Native(wardens) => {
                let launcher = self.launcher(limits, self.apart(wardens))?;
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
    pub(super) fn bond(&self) -> Bond {
        match &self.kind {
            Kind::Native(wardens) => Bond::Domain(Arc::clone(wardens)),
            Kind::Bubblewrap(_) | Kind::Firejail(_) => Bond::Namespace,
        }
    }

    /// The dead whom nobody has collected take room from the next command, which is counted anew
    /// for that reason.
    pub(super) fn count_anew(&self, left: Left) {
        if left == Left::Dead {
            *self.launcher.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// Tasks that the user may have: the kernel's limit counts those too that are there already.
    fn tasks(&self, limits: &Limits) -> u64 {
        tasks_of(self.ids.uid).saturating_add(limits.processes)
    }

    /// Threads that wait and are the user's, in a process that is not.
    fn apart(&self, wardens: &Wardens) -> u64 {
        match self.ids.identity {
            Identity::AsHost => 0,
            Identity::Owner(_) | Identity::Nobody => wardens.waiting() as u64,
        }
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
