//! What confines a process: one value says what it may touch, and a backend makes it so.

mod child;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

pub use self::child::{ConfinedChild, Input, InputClosed, Lifetime, Output};
#[cfg(not(target_os = "linux"))]
pub use self::elsewhere::Sandbox;
#[cfg(target_os = "linux")]
pub use self::linux::Sandbox;
use crate::workspace::Workspace;

/// TCP ports that a confinement may grant.
pub const MAX_PORTS: usize = 16;

/// What a process may touch.
#[derive(Clone, Debug)]
pub struct Confinement {
    /// The folder it may read, write and execute in, and start in.
    pub workspace: Workspace,
    /// Further files and folders that it may read and execute. The system's programs and libraries
    /// are always among them; a missing one is left out.
    pub reads: Vec<PathBuf>,
    /// The network: none, by default.
    pub network: Network,
    /// Its bounds.
    pub limits: Limits,
}

impl Confinement {
    /// The workspace, the system's programs, no network, default limits.
    pub fn of(workspace: Workspace) -> Self {
        Self {
            workspace,
            reads: Vec::new(),
            network: Network::default(),
            limits: Limits::default(),
        }
    }
}

/// What of the network is granted; nothing, by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// Remote TCP ports that may be connected to, at most [`MAX_PORTS`].
    pub tcp_ports: Vec<u16>,
    /// UDP, which no backend narrows to ports. Names cannot be looked up without it.
    pub udp: Grant,
    /// UNIX sockets.
    pub unix: Grant,
}

impl Network {
    #[cfg(target_os = "linux")]
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether something is granted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grant {
    /// It is not.
    #[default]
    Denied,
    /// It is.
    Granted,
}

/// Bounds of one call. Wall time, and memory as it is in use, count for the whole tree; the rest
/// for each process, as the kernel counts them. All but wall time and output are in force before
/// the first instruction of the command, and no process can raise its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From start to end of a call; a child that stays has a [`Lifetime`] instead.
    pub wall: Duration,
    /// Processor time, in whole seconds, at least one.
    pub cpu: Duration,
    /// Bytes of memory: data of each process, and what all of the tree have in use, which is
    /// looked at twenty times a second.
    pub memory_bytes: u64,
    /// Bytes of a file that is written.
    pub file_bytes: u64,
    /// Processes and threads beside those that the same user already has: the kernel counts by
    /// user.
    pub processes: u64,
    /// Open files.
    pub open_files: u64,
    /// Bytes of output that are kept, of each stream; the rest is read and dropped.
    pub output_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(30),
            cpu: Duration::from_secs(20),
            memory_bytes: 1 << 30,
            file_bytes: 64 << 20,
            processes: 64,
            open_files: 256,
            output_bytes: 48 * 1024,
        }
    }
}

/// What makes a confinement true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Backend {
    /// Landlock, seccomp and limits of the kernel, by this crate alone.
    Native,
    /// `bwrap`.
    Bubblewrap,
    /// `firejail`.
    Firejail,
    /// `docker`.
    Docker,
}

impl Backend {
    /// All, in the order in which they are tried: the smallest trusted base first.
    pub const ALL: [Self; 4] = [Self::Native, Self::Bubblewrap, Self::Firejail, Self::Docker];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Bubblewrap => "bubblewrap",
            Self::Firejail => "firejail",
            Self::Docker => "docker",
        }
    }
}

/// What the start-up probe saw on this machine: the proof that a backend confines, and that an
/// allowed command works.
#[must_use = "how strongly commands are confined is for the caller to judge and to report"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enforcement {
    /// The backend.
    pub backend: Backend,
    /// What the probe tried and saw refused.
    pub refused: &'static [&'static str],
    /// What the probe tried and saw work.
    pub works: &'static [&'static str],
    /// Who the commands run as.
    pub identity: Identity,
}

/// Who commands run as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// As the host, which is unprivileged.
    AsHost,
    /// The host is root: as the owner of the workspace, without capabilities.
    Owner(u32),
    /// Host and owner are root: as nobody. Natively it may read the workspace whatever its modes
    /// say (the one capability that is kept, `CAP_DAC_READ_SEARCH`, reads nothing that Landlock
    /// does not grant), and write what the modes allow. Give the folder to an unprivileged user to
    /// let commands write.
    Nobody,
}

impl fmt::Display for Enforcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: refused {}",
            self.backend.name(),
            self.refused.join(", ")
        )?;
        write!(f, "; works {}", self.works.join(", "))
    }
}

/// Why a backend does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// The machine lacks it.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// It is there and did not start.
    #[error("it does not start: {0}")]
    Broken(String),
    /// The probe did what must be refused.
    #[error("it confines too little: {0} went through")]
    Leaks(&'static str),
    /// The probe could not do what must work.
    #[error("an allowed command does not work: {0}")]
    Obstructs(String),
    /// It has no way to say what the confinement says.
    #[error("it cannot express {0}")]
    CannotExpress(&'static str),
}

/// A backend that does not count, with the way out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {cause} ({remedy})", backend.name())]
pub struct Unfit {
    /// Which.
    pub backend: Backend,
    /// Why.
    pub cause: Cause,
    /// How to mend it.
    pub remedy: &'static str,
}

/// Nothing confines on this machine, so nothing runs. Whose fault: the host's system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no sandbox backend works, so nothing runs: {}", list(.0))]
pub struct NoBackend(pub Vec<Unfit>);

fn list(unfit: &[Unfit]) -> String {
    let unfit: Vec<String> = unfit.iter().map(ToString::to_string).collect();
    unfit.join("; ")
}
