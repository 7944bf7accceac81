//! The thread that starts a command, and ends everything that came of it.
//!
//! It lives as long as the call. It ends the tree when it is told to, when whoever could tell it is
//! gone, and when it panics; so nothing that it started outlives it.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::domain::{Domain, Restriction};
use super::namespace::{DYING, is_dead, processes};

/// How long one look waits for them.
const LOOK: Duration = Duration::from_millis(20);

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
    orders: Option<mpsc::Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

enum Order {
    /// Which of these are in the tree?
    Which(Vec<Pid>, mpsc::Sender<Vec<Pid>>),
    /// End the tree.
    Kill(mpsc::Sender<()>),
}

/// Ends the tree however its thread ends.
struct Ending(Domain);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.kill_all();
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
        let (orders, given) = mpsc::channel::<Order>();
        let (tell, told) = mpsc::channel();
        let body = move || {
            let tree = match restriction.enter() {
                Ok(domain) => Ending(domain),
                Err(error) => return drop(tell.send(Err(error))),
            };
            // One who no longer listens has dropped the orders too.
            let _ = tell.send(spawn(&mut command));
            drop(tell);
            for order in given {
                // One who no longer waits for the answer needs none.
                match order {
                    Order::Which(mut pids, answer) => {
                        pids.retain(|pid| tree.0.holds(*pid));
                        let _ = answer.send(pids);
                    }
                    Order::Kill(answer) => {
                        tree.0.kill_all();
                        let _ = answer.send(());
                    }
                }
            }
        };
        let thread = thread::Builder::new()
            .name("confined".to_owned())
            .spawn(body)?;
        let warden = Self {
            orders: Some(orders),
            thread: Some(thread),
        };
        let child = told.recv().unwrap_or_else(|_| Err(gone()))?;
        Ok((warden, child))
    }

    /// The processes of the tree, the dead that nobody has collected among them.
    pub(super) fn members(&self) -> io::Result<Vec<Pid>> {
        let mut pids = processes()?;
        // The thread may signal its own process too, which is not of the tree.
        let own = rustix::process::getpid();
        pids.retain(|pid| *pid != own);
        self.ask(|answer| Order::Which(pids, answer))
    }

    /// Kills the tree, and returns when every process of it is dead; `first` was started as its
    /// first. The kernel goes on counting the others until their parent collects them.
    ///
    /// # Errors
    /// Where one is still there after [`DYING`]. It is killed all the same: the kernel holds it in
    /// a call, and it will not run another instruction of its own.
    pub(super) fn end(&self, first: Pid) -> io::Result<Left> {
        let deadline = Instant::now() + DYING;
        self.ask(Order::Kill)?;
        let mut members = self.members()?;
        let left = if members.iter().all(|pid| *pid == first) {
            Left::Nothing
        } else {
            Left::Dead
        };
        loop {
            let alive: Vec<OwnedFd> = members
                .into_iter()
                .filter_map(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
                .filter(|handle| !is_dead(std::slice::from_ref(handle), Duration::ZERO))
                .collect();
            if alive.is_empty() {
                return Ok(left);
            }
            if Instant::now() > deadline {
                return Err(io::Error::other(
                    "the kernel does not let a killed process go",
                ));
            }
            is_dead(&alive, LOOK);
            members = self.members()?;
        }
    }

    fn ask<T>(&self, order: impl FnOnce(mpsc::Sender<T>) -> Order) -> io::Result<T> {
        let (tell, told) = mpsc::channel();
        let orders = self.orders.as_ref().ok_or_else(gone)?;
        orders.send(order(tell)).map_err(|_| gone())?;
        told.recv().map_err(|_| gone())
    }
}

impl Drop for Warden {
    fn drop(&mut self) {
        // Without one who gives orders the thread ends, and the tree with it.
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
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
