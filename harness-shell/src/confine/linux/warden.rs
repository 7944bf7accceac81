//! The thread that starts a command, and ends everything that came of it.
//!
//! It lives as long as the call. It ends the tree when nobody asks it any more, for whatever
//! reason, and when it panics; so nothing that it started outlives it.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open};

use super::domain::{Domain, Restriction};
use super::namespace::{DYING, is_dead, processes};
use super::roll::Roll;

/// Attempts to execute a launcher, and the pause between two.
const ATTEMPTS: usize = 200;
const PAUSE: Duration = Duration::from_millis(1);

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
