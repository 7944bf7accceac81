//! The start-up probe: a backend counts once it has been seen to refuse and to let through.
//!
//! The acts run in a folder made for the purpose, under the very means that will run commands. That
//! the folder's modes would allow each act is part of the proof: what refuses is the confinement.

use std::fs;
use std::io::{self, ErrorKind};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use harness_core::Quoted;
use rustix::process::{Pid, test_kill_process};

use super::identity::Ids;
use super::means::{Means, Program};
use crate::confine::{Backend, Cause, Confinement, Enforcement, Limits, Network};
use crate::outcome::Ended;
use crate::workspace::Workspace;

/// A shell that can open a socket by itself, which the acts of a foreign backend need.
const SHELL: &str = "/bin/bash";
/// How long the acts may take: much more than they do, for a machine may be busy.
const TIME: Duration = Duration::from_secs(60);
/// Attempts at a folder whose name is not taken.
const ATTEMPTS: usize = 16;

const WRITE: &str = "a write outside";
const READ: &str = "a file outside";
const TCP: &str = "a TCP connection";
const UDP: &str = "a UDP datagram";
const UNIX: &str = "a UNIX socket";
const PARENT: &str = "the parent's environment";
const SIGNAL: &str = "a signal to another process";
const ACTS: &[&str] = &[WRITE, READ, TCP, UDP, UNIX, PARENT, SIGNAL];
const WORKS: &[&str] = &["a write and a read inside", "a program of the system"];

/// The acts for a backend that runs programs only: each line of output names one that went through.
const SCRIPT: &str = r#"
(echo x > "$OUTSIDE/write") 2>/dev/null && echo "a write outside"
(read -r line < "$OUTSIDE/secret") 2>/dev/null && echo "a file outside"
(exec 3<> "/dev/tcp/127.0.0.1/$TCP") 2>/dev/null && echo "a TCP connection"
(echo x > "/dev/udp/127.0.0.1/$UDP") 2>/dev/null
[[ -n "$VISIBLE" && -S "$OUTSIDE/socket" ]] && echo "a UNIX socket"
(IFS= read -r -d "" line < "/proc/$HOST/environ"; [[ -n "$line" ]]) 2>/dev/null &&
    echo "the parent's environment"
[[ "$$" -lt 100 ]] || { kill -0 "$BYSTANDER" 2>/dev/null && echo "a signal to another process"; }
echo works > works && [[ "$(< works)" == works ]]
"#;

/// Proves `backend`, of which `means` are ready for `confinement`: on ground of its own and without
/// a network that it confines, in the confinement itself that a program of the system starts.
///
/// # Errors
/// What went through, or what did not work.
pub(super) fn prove(
    backend: Backend,
    means: &Means,
    confinement: &Confinement,
) -> Result<Enforcement, Cause> {
    let ids = means.ids;
    let ground = Ground::new(ids).map_err(|error| obstructs(&error))?;
    let on_ground = ground.confinement()?;
    let trial = Means::prepare(backend, &on_ground)?;
    if let Some(restriction) = trial.restriction() {
        let acts = restriction.within(|| ground.acts());
        if let Some(act) = acts.map_err(|error| obstructs(&error))? {
            return Err(Cause::Leaks(act));
        }
    }
    let said = works(&trial, &on_ground, ground.program(backend))?;
    if let Some(act) = ACTS
        .iter()
        .find(|act| said.lines().any(|line| line == **act))
    {
        return Err(Cause::Leaks(act));
    }
    if let Some(act) = ground.seen() {
        return Err(Cause::Leaks(act));
    }
    let written = fs::read_to_string(ground.inside().join("works"));
    if !written.is_ok_and(|written| written == "works\n") {
        return Err(Cause::Obstructs("a write inside was lost".to_owned()));
    }
    let mut patient = confinement.clone();
    patient.limits.wall = TIME;
    works(means, &patient, shell("/bin/sh", ":", Vec::new()))?;
    Ok(Enforcement {
        backend,
        refused: ACTS,
        works: WORKS,
        identity: ids.identity,
    })
}

/// Runs a program that must end well; gives what it says.
fn works(means: &Means, confinement: &Confinement, program: Program) -> Result<String, Cause> {
    let raw = means
        .run(&program, confinement, None)
        .map_err(|error| Cause::Broken(with_source(&error)))?;
    if raw.ended != Ended::Exited(0) {
        let why = String::from_utf8_lossy(&raw.stderr);
        let why = Quoted(why.trim()).to_string();
        return Err(Cause::Obstructs(format!("{:?}, {why}", raw.ended)));
    }
    Ok(String::from_utf8_lossy(&raw.stdout).into_owned())
}

fn shell(file: &str, script: &str, environment: Vec<(String, String)>) -> Program {
    Program {
        file: file.into(),
        words: [file, "-c", script].map(Into::into).into(),
        environment,
    }
}

/// A folder with an inside and an outside, listeners that see what gets through, and a process of
/// the same user that is none of the confined.
struct Ground {
    folder: PathBuf,
    bystander: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    _unix: UnixListener,
}

impl Ground {
    fn new(ids: Ids) -> io::Result<Self> {
        let folder = folder()?;
        let ground = Self::within(&folder, ids);
        if ground.is_err() {
            let _ = fs::remove_dir_all(&folder);
        }
        ground
    }

    fn within(folder: &Path, ids: Ids) -> io::Result<Self> {
        // Open to everyone, so that nothing but the confinement refuses.
        let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o777));
        open(folder)?;
        for name in ["inside", "outside"] {
            fs::create_dir(folder.join(name))?;
            open(&folder.join(name))?;
        }
        fs::write(folder.join("outside/secret"), "secret\n")?;
        let unix = UnixListener::bind(folder.join("outside/socket"))?;
        open(&folder.join("outside/socket"))?;
        let tcp = TcpListener::bind(("127.0.0.1", 0))?;
        let udp = UdpSocket::bind(("127.0.0.1", 0))?;
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        // Waits until the other end of its input is dropped, with this ground at the latest.
        let mut bystander = Command::new("/bin/sh");
        bystander
            .args(["-c", "read -r line"])
            .env_clear()
            .stdin(Stdio::piped());
        if let Some((uid, gid)) = ids.owner() {
            chown(folder.join("inside"), Some(uid), Some(gid))?;
            bystander.uid(uid).gid(gid);
        }
        Ok(Self {
            folder: folder.to_owned(),
            bystander: bystander.spawn()?,
            tcp,
            udp,
            _unix: unix,
        })
    }

    fn inside(&self) -> PathBuf {
        self.folder.join("inside")
    }

    fn outside(&self) -> PathBuf {
        self.folder.join("outside")
    }

    fn confinement(&self) -> Result<Confinement, Cause> {
        let workspace = Workspace::open(&self.inside(), &[])
            .map_err(|error| Cause::Broken(with_source(&error)))?;
        Ok(Confinement {
            workspace,
            reads: Vec::new(),
            network: Network::default(),
            limits: Limits {
                wall: TIME,
                ..Limits::default()
            },
        })
    }

    /// The acts as a program, for a backend that runs nothing else; the native one passes too.
    fn program(&self, backend: Backend) -> Program {
        // A shell cannot connect to a socket. In a namespace it must not see one; natively the acts
        // above have shown what comes of it.
        let visible = if backend == Backend::Native { "" } else { "x" };
        let environment = [
            ("VISIBLE", visible.to_owned()),
            ("OUTSIDE", self.outside().display().to_string()),
            ("TCP", self.tcp_port().to_string()),
            ("UDP", self.udp_port().to_string()),
            ("HOST", std::process::id().to_string()),
            ("BYSTANDER", self.bystander.id().to_string()),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value));
        shell(SHELL, SCRIPT, environment.into())
    }

    fn tcp_port(&self) -> u16 {
        self.tcp.local_addr().map_or(0, |address| address.port())
    }

    fn udp_port(&self) -> u16 {
        self.udp.local_addr().map_or(0, |address| address.port())
    }

    /// Tries every act in the calling thread; gives the first that goes through.
    fn acts(&self) -> Option<&'static str> {
        let outside = self.outside();
        let udp =
            || UdpSocket::bind(("127.0.0.1", 0))?.send_to(b"x", ("127.0.0.1", self.udp_port()));
        let tried = [
            (WRITE, fs::write(outside.join("write"), "x").is_ok()),
            (READ, fs::read(outside.join("secret")).is_ok()),
            (
                TCP,
                TcpStream::connect(("127.0.0.1", self.tcp_port())).is_ok(),
            ),
            (UDP, udp().is_ok()),
            (UNIX, UnixStream::connect(outside.join("socket")).is_ok()),
            (
                SIGNAL,
                test_kill_process(Pid::from_child(&self.bystander)).is_ok(),
            ),
            (
                PARENT,
                fs::read(format!("/proc/{}/environ", std::process::id())).is_ok(),
            ),
        ];
        tried
            .into_iter()
            .find_map(|(act, through)| through.then_some(act))
    }

    /// What arrived from the confined side, whatever it said.
    fn seen(&self) -> Option<&'static str> {
        if self.tcp.accept().is_ok() {
            return Some(TCP);
        }
        if self.udp.recv(&mut [0; 1]).is_ok() {
            return Some(UDP);
        }
        self.outside().join("write").exists().then_some(WRITE)
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        drop(self.bystander.stdin.take());
        let _ = self.bystander.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn folder() -> io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    for _ in 0..ATTEMPTS {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let nanos = std::time::UNIX_EPOCH
            .elapsed()
            .unwrap_or_default()
            .subsec_nanos();
        let name = format!("harness-probe-{}-{number}-{nanos:x}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

fn obstructs(error: &io::Error) -> Cause {
    Cause::Obstructs(error.to_string())
}

fn with_source(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
