//! A thread that has restricted itself: it starts a command, says who came of it, and kills them.
//!
//! A domain is entered for good, so that thread does nothing else for the rest of its life. It ends
//! when nobody can give it orders any more, and the tree that it has then ends with it, as it does
//! when the thread panics; so nothing that it started outlives it.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open};

use super::domain::{Domain, Restriction};
use super::roll::Roll;

/// Attempts to execute a launcher, and the pause between two.
const ATTEMPTS: usize = 200;
const PAUSE: Duration = Duration::from_millis(1);

/// Such a thread. It ends soon after this is dropped.
#[derive(Debug)]
pub(super) struct Confined {
    orders: mpsc::Sender<Order>,
    thread: JoinHandle<io::Result<()>>,
}

/// What is asked of it, and where the answer goes.
#[derive(Debug)]
enum Order {
    Start(Box<Command>, mpsc::Sender<io::Result<Child>>),
    /// Which of these are in the tree?
    Members(Vec<Pid>, mpsc::Sender<Vec<Pid>>),
    Kill(mpsc::Sender<Vec<Killed>>),
}

/// A process of the tree, killed.
#[derive(Debug)]
pub(super) struct Killed {
    pub(super) pid: Pid,
    pub(super) handle: OwnedFd,
}

impl Confined {
    /// # Errors
    /// Of the thread. One that cannot restrict itself says so when it is asked to start something.
    pub(super) fn start(restriction: Arc<Restriction>) -> io::Result<Self> {
        let (orders, given) = mpsc::channel();
        let body = move || {
            // The last that is opened outside the domain.
            let roll = Roll::open()?;
            obey(restriction.enter()?, roll, given);
            Ok(())
        };
        let thread = thread::Builder::new()
            .name("confined".to_owned())
            .spawn(body)?;
        Ok(Self { orders, thread })
    }

    /// Starts `command` as the first of a tree.
    ///
    /// # Errors
    /// Of the start.
    pub(super) fn spawn(&self, command: Command) -> io::Result<Child> {
        self.ask(|tell| Order::Start(Box::new(command), tell))?
    }

    /// Those of `pids` that are in the tree.
    ///
    /// # Errors
    /// The thread has ended.
    pub(super) fn members(&self, pids: Vec<Pid>) -> io::Result<Vec<Pid>> {
        self.ask(|tell| Order::Members(pids, tell))
    }

    /// Kills the tree; gives those of it that nobody has collected, who are dying.
    ///
    /// # Errors
    /// The thread has ended, and has killed the tree.
    pub(super) fn kill(&self) -> io::Result<Vec<Killed>> {
        self.ask(Order::Kill)
    }

    /// Waits for the thread to end, and for its tree to be killed.
    ///
    /// # Errors
    /// Why it ended early.
    pub(super) fn end(self) -> io::Result<()> {
        drop(self.orders);
        self.thread.join().unwrap_or_else(|_| Err(gone()))
    }

    fn ask<A>(&self, order: impl FnOnce(mpsc::Sender<A>) -> Order) -> io::Result<A> {
        let (tell, told) = mpsc::channel();
        self.orders.send(order(tell)).map_err(|_| gone())?;
        told.recv().map_err(|_| gone())
    }
}

/// In the thread: one tree after the other.
fn obey(domain: Domain, mut roll: Roll, orders: mpsc::Receiver<Order>) {
    let mut tree = Ending {
        domain,
        is_over: true,
    };
    // Whoever no longer listens to an answer asks no more either.
    for order in orders {
        match order {
            Order::Start(mut command, tell) => {
                tree.is_over = false;
                let before = Instant::now();
                let started = spawn(&mut command);
                let first = started.as_ref().ok().map(Pid::from_child);
                roll.first = first.map(|pid| (pid, before));
                let _ = tell.send(started);
            }
            Order::Members(mut pids, tell) => {
                pids.retain(|pid| tree.domain.holds(*pid));
                let _ = tell.send(pids);
            }
            Order::Kill(tell) => {
                tree.now();
                // From here on nobody joins them.
                let _ = tell.send(killed(&tree.domain, roll.call()));
            }
        }
    }
}

/// Ends the tree however its thread ends.
struct Ending {
    domain: Domain,
    is_over: bool,
}

impl Ending {
    /// Kills the tree, once: whom it meets cannot start anybody any more.
    fn now(&mut self) {
        self.domain.kill_all();
        self.is_over = true;
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if !self.is_over {
            self.domain.kill_all();
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

pub(super) fn gone() -> io::Error {
    io::Error::other("the thread of the command has ended early")
}
