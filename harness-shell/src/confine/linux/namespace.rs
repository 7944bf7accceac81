//! A tree that another sandbox keeps in a process namespace: who is in it, and its end.
//!
//! The sandbox starts one child, the first process of the namespace; whatever comes of the command
//! is a descendant of it, for the orphans of a namespace become its children. When it dies, the
//! kernel kills all others and only then lets it go. So its death is the tree's.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// How long the kernel may take to bury the killed.
pub(super) const DYING: Duration = Duration::from_secs(10);

/// The tree whose sandbox is this process, a child that nobody has collected.
#[derive(Debug)]
pub(super) struct Namespace {
    sandbox: Pid,
    is_over: Cell<bool>,
}

impl Namespace {
    pub(super) const fn of(sandbox: Pid) -> Self {
        Self {
            sandbox,
            is_over: Cell::new(false),
        }
    }

    /// The processes of the tree, the sandbox among them.
    pub(super) fn members(&self) -> io::Result<Vec<Pid>> {
        let parents: Vec<(Pid, Pid)> = processes()?
            .into_iter()
            .filter_map(|pid| Some((pid, parent(pid)?)))
            .collect();
        let mut known = BTreeSet::from([self.sandbox.as_raw_nonzero()]);
        loop {
            let before = known.len();
            for (pid, parent) in &parents {
                if known.contains(&parent.as_raw_nonzero()) {
                    known.insert(pid.as_raw_nonzero());
                }
            }
            if known.len() == before {
                let pids = known.into_iter().map(|pid| pid.get());
                return Ok(pids.filter_map(Pid::from_raw).collect());
            }
        }
    }

    /// Kills the tree, and returns when every process of it is dead.
    ///
    /// # Errors
    /// Where one is still there after [`DYING`].
    pub(super) fn end(&self) -> io::Result<()> {
        let sandbox = pidfd_open(self.sandbox, PidfdFlags::empty())?;
        // Stopped first, so that it starts no namespace behind our back.
        signal(&sandbox, Signal::STOP)?;
        let mut dying = Vec::new();
        for pid in processes()? {
            if parent(pid) != Some(self.sandbox) {
                continue;
            }
            if let Ok(first) = pidfd_open(pid, PidfdFlags::empty())
                // The number may have been reused before the handle was held.
                && parent(pid) == Some(self.sandbox)
            {
                signal(&first, Signal::KILL)?;
                dying.push(first);
            }
        }
        signal(&sandbox, Signal::KILL)?;
        dying.push(sandbox);
        let deadline = Instant::now() + DYING;
        let left = || deadline.saturating_duration_since(Instant::now());
        let all_dead = dying.iter().all(|handle| is_dead(handle, left()));
        if all_dead {
            self.is_over.set(true);
            Ok(())
        } else {
            Err(io::Error::other(
                "the kernel does not let a killed process go",
            ))
        }
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        if !self.is_over.get() {
            // There is nobody left to tell.
            let _ = self.end();
        }
    }
}

/// Waits at most this long for a process to die; says whether it has.
pub(super) fn is_dead(handle: &OwnedFd, time: Duration) -> bool {
    let mut polled = [PollFd::new(handle, PollFlags::IN)];
    let time = Timespec::try_from(time).ok();
    poll(&mut polled, time.as_ref()).is_ok_and(|ready| ready > 0)
}

/// Every process that there is.
pub(super) fn processes() -> io::Result<Vec<Pid>> {
    let names =
        fs::read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names
        .filter_map(|name| Pid::from_raw(name.parse().ok()?))
        .collect())
}

/// A number in the status of a process; one that is gone has none.
pub(super) fn status(pid: Pid, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn parent(pid: Pid) -> Option<Pid> {
    Pid::from_raw(status(pid, "PPid:")?.try_into().ok()?)
}

/// One that is dead already needs no signal.
fn signal(handle: &OwnedFd, signal: Signal) -> io::Result<()> {
    match pidfd_send_signal(handle, signal) {
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
