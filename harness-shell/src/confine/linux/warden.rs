//! The thread that starts a command, and ends everything that came of it.
//!
//! It lives as long as the call. It ends the tree when nobody asks it any more, for whatever
//! reason, and when it panics; so nothing that it started outlives it.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::{Arc, LazyLock, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::fs::Dir;
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open};

use super::domain::{Domain, Restriction};
use super::namespace::{DYING, is_dead, processes};

/// Attempts to execute a launcher, and the pause between two.
const ATTEMPTS: usize = 200;
const PAUSE: Duration = Duration::from_millis(1);

/// Numbers for processes and threads, as many as a system gives out that has not been told to give
/// fewer.
const MANY: u32 = 32_768;
/// A time in which nobody goes once round that many numbers: it takes some microseconds to be given
/// one, under a lock that all processors share.
const BRIEF: Duration = Duration::from_millis(5);
/// Processes of anybody's that are looked at one by one, and not all that there are.
const FEW: usize = 256;

/// What a tree leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Nothing that counts.
    Nothing,
    /// Dead whom nobody has collected.
    Dead,
}

/// Starts, tells apart, ends.
pub(super) struct Warden {
    questions: Option<mpsc::Sender<Question>>,
    thread: Option<JoinHandle<io::Result<Vec<Killed>>>>,
}

/// Which of these are in the tree?
struct Question(Vec<Pid>, mpsc::Sender<Vec<Pid>>);

/// A process of the tree, killed.
struct Killed {
    pid: Pid,
    handle: OwnedFd,
}

/// Ends the tree however its thread ends.
struct Ending {
    tree: Domain,
    is_over: bool,
}

impl Ending {
    /// Kills the tree, once: whom it meets cannot start anybody any more.
    fn now(&mut self) {
        self.tree.kill_all();
        self.is_over = true;
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if !self.is_over {
            self.tree.kill_all();
        }
    }
}

impl Warden {
    /// Starts `command` under `restriction`.
    ///
    /// # Errors
    /// Of the thread, the restriction or the start.
    pub(super) fn start(
        restriction: Arc<Restriction>,
        mut command: Command,
    ) -> io::Result<(Self, Child)> {
        let (questions, asked) = mpsc::channel::<Question>();
        let (tell, told) = mpsc::channel();
        let body = move || {
            let mut roll = Roll::open()?;
            let mut ending = match restriction.enter() {
                Ok(tree) => Ending {
                    tree,
                    is_over: false,
                },
                Err(error) => {
                    let _ = tell.send(Err(error));
                    return Ok(Vec::new());
                }
            };
            let before = Instant::now();
            let started = spawn(&mut command);
            roll.first = started
                .as_ref()
                .ok()
                .map(|child| (Pid::from_child(child), before));
            // One who no longer listens asks no more either.
            let _ = tell.send(started);
            drop(tell);
            for Question(mut pids, answer) in asked {
                pids.retain(|pid| ending.tree.holds(*pid));
                let _ = answer.send(pids);
            }
            ending.now();
            // From here on nobody joins them.
            Ok(killed(&ending.tree, roll.call()))
        };
        let thread = thread::Builder::new()
            .name("confined".to_owned())
            .spawn(body)?;
        let Ok(started) = told.recv() else {
            // It ended before it came so far, and says why.
            let ended = thread.join().unwrap_or_else(|_| Err(gone()));
            return Err(ended.err().unwrap_or_else(gone));
        };
        let warden = Self {
            questions: Some(questions),
            thread: Some(thread),
        };
        Ok((warden, started?))
    }

    /// The processes of the tree, the dead that nobody has collected among them.
    pub(super) fn members(&self) -> io::Result<Vec<Pid>> {
        let mut pids = processes()?;
        // The thread may signal its own process too, which is not of the tree.
        let own = getpid();
        pids.retain(|pid| *pid != own);
        let (tell, told) = mpsc::channel();
        let questions = self.questions.as_ref().ok_or_else(gone)?;
        questions.send(Question(pids, tell)).map_err(|_| gone())?;
        told.recv().map_err(|_| gone())
    }

    /// Kills the tree, and returns when every process of it is dead; `first` was started as its
    /// first. The kernel goes on counting the others until their parent collects them.
    ///
    /// # Errors
    /// Where one is still there after [`DYING`]. It is killed all the same: the kernel holds it in
    /// a call, and it will not run another instruction of its own.
    pub(super) fn end(mut self, first: Pid) -> io::Result<Left> {
        let deadline = Instant::now() + DYING;
        drop(self.questions.take());
        let thread = self.thread.take().ok_or_else(gone)?;
        let killed = thread.join().unwrap_or_else(|_| Err(gone()))?;
        for one in &killed {
            let left = deadline.saturating_duration_since(Instant::now());
            if !is_dead(&one.handle, left) {
                let held = "the kernel does not let a killed process go";
                return Err(io::Error::other(held));
            }
        }
        Ok(if killed.iter().all(|one| one.pid == first) {
            Left::Nothing
        } else {
            Left::Dead
        })
    }
}

impl Drop for Warden {
    fn drop(&mut self) {
        // Where nobody asks any more the thread ends, and the tree with it.
        drop(self.questions.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Whom a kill of all has met, dead already or about to be. A handle is of the tree if its process
/// is before and after it is opened, for a number may be somebody else's in between.
fn killed(tree: &Domain, pids: Vec<Pid>) -> Vec<Killed> {
    let own = getpid();
    pids.into_iter()
        .filter(|pid| *pid != own && tree.holds(*pid))
        .filter_map(|pid| {
            let handle = pidfd_open(pid, PidfdFlags::empty()).ok()?;
            tree.holds(pid).then_some(Killed { pid, handle })
        })
        .collect()
}

/// Which processes there may be in a tree that starts no more of them. All that there are, of which
/// the tree's are few: so where it is known that no others can be, those that came after its first.
///
/// The kernel gives numbers out in a row and says which was the last. It comes back to a number
/// only when it has gone once round all of them, which takes longer than [`BRIEF`] where they are
/// [`MANY`], whoever starts what.
struct Roll {
    /// Opened while that may be done; both are read once the tree is killed.
    all: Dir,
    last: Option<File>,
    /// The tree's first process, and a time before its start.
    first: Option<(Pid, Instant)>,
}

impl Roll {
    fn open() -> io::Result<Self> {
        Ok(Self {
            all: Dir::new(File::open("/proc")?)?,
            last: numbers_are_many()
                .then(|| File::open("/proc/loadavg").ok())
                .flatten(),
            first: None,
        })
    }

    fn call(&mut self) -> Vec<Pid> {
        if let Some(few) = self.since_the_first() {
            return few;
        }
        let names =
            (&mut self.all).filter_map(|entry| entry.ok()?.file_name().to_str().ok()?.parse().ok());
        names.filter_map(Pid::from_raw).collect()
    }

    /// Those with numbers from the first's to the last that was given out, if they are few and
    /// there can be no others. Where the system tells no last number, or an older one, there are none.
    fn since_the_first(&mut self) -> Option<Vec<Pid>> {
        let (first, before) = self.first?;
        let mut load = String::new();
        self.last.as_mut()?.read_to_string(&mut load).ok()?;
        let last: i32 = load.split_whitespace().next_back()?.parse().ok()?;
        let numbers = first.as_raw_nonzero().get()..=last;
        // Looked at behind what it bounds.
        let is_brief = before.elapsed() < BRIEF;
        let is_few = (1..=FEW).contains(&numbers.clone().count());
        (is_brief && is_few).then(|| numbers.filter_map(Pid::from_raw).collect())
    }
}

/// Whether this system has [`MANY`] numbers for processes.
fn numbers_are_many() -> bool {
    static ARE_MANY: LazyLock<bool> = LazyLock::new(|| {
        let most = fs::read_to_string("/proc/sys/kernel/pid_max");
        most.is_ok_and(|most| most.trim().parse::<u32>().is_ok_and(|most| most >= MANY))
    });
    *ARE_MANY
}

/// Starts `command`. A launcher cannot be executed as long as another child of the host, which is
/// not yet the program that it will be, still has a copy of the descriptor it was written through.
pub(super) fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..ATTEMPTS {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(PAUSE);
            }
            other => return other,
        }
    }
    command.spawn()
}

fn gone() -> io::Error {
    io::Error::other("the thread of the command has ended early")
}
