//! Where a case is tried: a workspace, something outside it, and whoever could be reached.

use std::fs;
use std::io::{self, Read as _};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use harness_sanitize::{Gate, Intake, Redactor};
use harness_shell::{
    Allowed, Backend, Confinement, Ended, Environment, Grammar, Lifetime, Limits, Operands,
    Outcome, Sandbox, ShellPolicy, Takes, Unfit, Use, Workspace,
};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::cases::Way;

/// How long a child may stay: far longer than a case takes.
const LIFETIME: Lifetime = Lifetime::Within(Duration::from_secs(120));

/// Seconds of a wait that nothing outlives; what follows the point names it.
const WAIT: u32 = 86_399;

/// What gives an attack away. A change outside always does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// The script says so: it ends with 0.
    Exit0,
    /// A process that names itself is there when the call is over.
    Survivor,
    /// More output comes back than is kept, or none of it is missed.
    Flood,
    /// It ends before its time is up.
    Endless,
    /// It ends only when its time is up.
    TimedOut,
}

/// A workspace and its surroundings, which go when this is dropped.
pub(crate) struct Stage {
    folder: TempDir,
    owner: u32,
    bystander: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    datagrams: UnixDatagram,
    _sockets: [UnixListener; 2],
    /// Open for whoever inherits it.
    _secret: fs::File,
    abstract_name: String,
    mark: String,
}

impl Stage {
    /// Everything in it belongs to user `owner`, who runs the commands.
    pub(crate) fn new(owner: u32) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = TempDir::with_prefix("harness-escape-")?;
        open(folder.path())?;
        let [work, out] = ["work", "out"].map(|name| folder.path().join(name));
        fs::create_dir(&work)?;
        fs::create_dir_all(out.join("home/.ssh"))?;
        for path in [&work, &out] {
            open(path)?;
            chown(path, Some(owner), None)?;
        }
        files(folder.path(), owner)?;
        let sockets = UnixListener::bind(out.join("socket"))?;
        let datagrams = UnixDatagram::bind(out.join("datagrams"))?;
        let abstract_name = format!("harness-escape-{}-{number}", std::process::id());
        let address = SocketAddr::from_abstract_name(&abstract_name)?;
        let sockets = [sockets, UnixListener::bind_addr(&address)?];
        for path in ["socket", "datagrams"] {
            open(&out.join(path))?;
        }
        let tcp = TcpListener::bind(("127.0.0.1", 0))?;
        let udp = UdpSocket::bind(("127.0.0.1", 0))?;
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        datagrams.set_nonblocking(true)?;
        let secret = fs::File::open(out.join("target"))?;
        rustix::io::fcntl_setfd(&secret, rustix::io::FdFlags::empty())?;
        Ok(Self {
            bystander: bystander(owner)?,
            folder,
            owner,
            tcp,
            udp,
            datagrams,
            _sockets: sockets,
            _secret: secret,
            abstract_name,
            mark: format!("{WAIT}.{}{number}", std::process::id()),
        })
    }

    /// Who the commands run as.
    pub(crate) const fn owner(&self) -> u32 {
        self.owner
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// As it was at first, inside: outside nothing has changed.
    pub(crate) fn reset(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.path("work"))? {
            let path = entry?.path();
            if path.symlink_metadata()?.is_dir() {
                fs::remove_dir_all(path)?;
            } else {
                fs::remove_file(path)?;
            }
        }
        files(self.folder.path(), self.owner)
    }

    /// A script with the names of this stage in it.
    fn script(&self, script: &str) -> String {
        let port = |address: io::Result<std::net::SocketAddr>| {
            address.map_or(0, |address| address.port()).to_string()
        };
        script
            .replace("{OUT}", &self.path("out").display().to_string())
            .replace("{WORK}", &self.path("work").display().to_string())
            .replace("{HOST}", &std::process::id().to_string())
            .replace("{BYSTANDER}", &self.bystander.id().to_string())
            .replace("{TCP}", &port(self.tcp.local_addr()))
            .replace("{UDP}", &port(self.udp.local_addr()))
            .replace("{ABSTRACT}", &self.abstract_name)
            .replace("{MARK}", &self.mark)
    }

    /// A sandbox of this workspace.
    pub(crate) fn sandbox(&self, backend: Backend, limits: Limits) -> Result<Sandbox, Unfit> {
        let workspace = Workspace::open(&self.path("work"), &[]).expect("a workspace");
        let confinement = Confinement {
            limits,
            ..Confinement::of(workspace)
        };
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        let (sandbox, enforcement) = Sandbox::start_with(backend, confinement, intake)?;
        assert_eq!(enforcement.backend, backend);
        Ok(sandbox)
    }

    /// Runs a script confined; what is dropped has no outcome.
    pub(crate) fn run(&self, sandbox: &Sandbox, script: &str, way: Way) -> Option<Outcome> {
        let command = perl(&sandbox.confinement().workspace, self.script(script));
        let environment = Environment::default();
        if way == Way::Call {
            return Some(sandbox.run_blocking(&command, &environment).expect("a run"));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(async {
            let started = sandbox.spawn(&command, &environment, LIFETIME).await;
            let (mut child, _of_the_backend) = started.expect("a start");
            // Until it says that it is there, or nothing more.
            loop {
                match (child.read().await, way) {
                    (None, _) => return Some(child.wait().await.expect("an end")),
                    (Some(said), Way::Dropped) if said.ends_with(b"\n") => return None,
                    (Some(said), _) if said.ends_with(b"\n") => {
                        return Some(child.close().await.expect("an end"));
                    }
                    (Some(_), _) => {}
                }
            }
        })
    }

    /// Runs a script without a sandbox, as the host: whether it does what it is meant to.
    pub(crate) fn run_bare(&self, script: &str, sign: Sign, way: Way) -> io::Result<bool> {
        let stays = way != Way::Call && sign == Sign::Survivor;
        let mut child = Command::new("/usr/bin/perl")
            .args(["-e", &self.script(script)])
            .current_dir(self.path("work"))
            .stdout(if stays { Stdio::piped() } else { Stdio::null() })
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut stdout) = child.stdout.take() {
            // What a caller would do that knows no better: it ends the process that it started.
            let _ = stdout.read(&mut [0; 16])?;
            child.kill()?;
        }
        let status = child.wait()?;
        Ok(match sign {
            Sign::Survivor => self.survivor(),
            _ => status.success(),
        })
    }

    /// Whether an attack that ended like this got out.
    pub(crate) fn escaped(&self, sign: Sign, outcome: Option<&Outcome>, limits: &Limits) -> bool {
        let seen = outcome.is_some_and(|outcome| match sign {
            Sign::Exit0 => outcome.ended == Ended::Exited(0),
            Sign::Survivor => false,
            Sign::Flood => {
                outcome.stdout.as_str().len() > limits.output_bytes || outcome.dropped_bytes == 0
            }
            Sign::Endless => outcome.ended != Ended::TimedOut,
            Sign::TimedOut => matches!(outcome.ended, Ended::TimedOut | Ended::Exited(0)),
        });
        // All of them are looked at, whatever the first says.
        let signs = [seen, self.survivor(), self.changed(), self.called()];
        signs.contains(&true)
    }

    /// Whether something outside is not as it was.
    fn changed(&self) -> bool {
        let target = self.path("out").join("target");
        let is_same = fs::metadata(&target)
            .is_ok_and(|meta| meta.mode() & 0o777 == 0o777 && meta.size() == 7 && meta.mtime() > 1);
        let count = fs::read_dir(self.path("out")).map_or(0, Iterator::count);
        !is_same || count != 4
    }

    /// Whether someone called from inside.
    fn called(&self) -> bool {
        let mut byte = [0; 1];
        self.tcp.accept().is_ok()
            || self.udp.recv(&mut byte).is_ok()
            || self.datagrams.recv(&mut byte).is_ok()
    }

    /// Whether a process is there that carries the mark; it is ended, being ours.
    fn survivor(&self) -> bool {
        let Ok(processes) = fs::read_dir("/proc") else {
            return true;
        };
        let marked = processes.filter_map(|entry| {
            let path = entry.ok()?.path();
            let line = fs::read(path.join("cmdline")).ok()?;
            let words = String::from_utf8_lossy(&line);
            let is_marked = words.split('\0').any(|word| word == self.mark);
            let pid = path.file_name()?.to_str()?.parse().ok()?;
            is_marked.then(|| Pid::from_raw(pid))?
        });
        let killed = marked.map(|pid| kill_process(pid, Signal::KILL));
        killed.count() > 0
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.bystander.kill();
        let _ = self.bystander.wait();
    }
}

/// The files of a stage, of which each belongs to `owner`.
fn files(stage: &Path, owner: u32) -> io::Result<()> {
    for (file, content) in [
        ("work/notes", "notes\n"),
        ("out/target", "target\n"),
        ("out/home/.ssh/id_ed25519", "key\n"),
    ] {
        let file = stage.join(file);
        fs::write(&file, content)?;
        open(&file)?;
        chown(&file, Some(owner), None)?;
    }
    Ok(())
}

/// A process of the commands' user that is none of theirs.
fn bystander(owner: u32) -> io::Result<Child> {
    let mut bystander = Command::new("/bin/cat");
    bystander.stdin(Stdio::piped()).stdout(Stdio::null());
    if rustix::process::geteuid().is_root() {
        bystander.uid(owner);
    }
    bystander.spawn()
}

/// A script of Perl, as a policy allows it that lists Perl.
fn perl(workspace: &Workspace, script: String) -> Allowed {
    let perl = Grammar::new("perl", "the attacker's tool", Operands::All(Use::Text))
        .flags(Takes::One(Use::Text), &["-e"])
        .allows(&["perl -e 1"])
        .denies(&["perl -i"]);
    let policy = ShellPolicy::new(vec![perl]).expect("a policy");
    let command = vec!["perl".to_owned(), "-e".to_owned(), script];
    let allowed = policy.load(workspace.clone(), &[]).allow(command);
    allowed.unwrap_or_else(|decision| panic!("{}", decision.reason()))
}

fn open(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777))
}
