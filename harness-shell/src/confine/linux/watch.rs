//! From start to end: output is taken as it arrives, bounds are watched, and nothing outlives it.

use std::fs;
use std::io::{self, PipeReader};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::param::page_size;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::stream::{Kept, Wanted, wait};
use super::tree::{Bond, Tree};
use super::warden::Left;
use crate::confine::Limits;
use crate::outcome::{Ended, Limit};

/// How often the memory of a tree is looked at.
const LOOK: Duration = Duration::from_millis(50);

const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;
const SIGXFSZ: i32 = 25;

/// What a run left behind, as bytes.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) ended: Ended,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    pub(super) dropped_bytes: u64,
    pub(super) left: Left,
}

/// Starts `command` and watches it until its whole tree is dead. A closed
/// `cancel` ends it early.
///
/// # Errors
/// Of the start, or of the system calls that watch; the tree is dead then too.
pub(super) fn run(
    bond: &Bond,
    command: Command,
    limits: &Limits,
    cancel: Option<&PipeReader>,
) -> Result<Raw, WatchError> {
    let mut bounds = Bounds::new(Some(limits.wall), limits.memory_bytes);
    let (tree, mut child) = Tree::start(bond, command).map_err(WatchError::Start)?;
    let watched = watch(&tree, &mut child, limits, &mut bounds, cancel);
    // Whatever came of watching, the tree ends before anything else is said of it.
    let (status, left) = tree.end(&mut child).map_err(WatchError::Watch)?;
    let mut watched = watched.map_err(WatchError::Watch)?;
    watched.take_rest().map_err(WatchError::Watch)?;
    Ok(Raw {
        ended: watched.cut_short.unwrap_or_else(|| ended(status)),
        dropped_bytes: watched.stdout.beyond(limits.output_bytes)
            + watched.stderr.beyond(limits.output_bytes),
        stdout: watched.stdout.bytes,
        stderr: watched.stderr.bytes,
        left,
    })
}

/// Why there is nothing to show.
pub(super) enum WatchError {
    /// It did not start.
    Start(io::Error),
    /// It could not be watched to its end.
    Watch(io::Error),
}

struct Watched {
    /// Unless it ended by itself.
    cut_short: Option<Ended>,
    stdout: Kept,
    stderr: Kept,
}

impl Watched {
    fn take_rest(&mut self) -> io::Result<()> {
        self.stdout.take_rest()?;
        self.stderr.take_rest()
    }
}

fn watch(
    tree: &Tree,
    child: &mut Child,
    limits: &Limits,
    bounds: &mut Bounds,
    cancel: Option<&PipeReader>,
) -> io::Result<Watched> {
    let over = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let mut stdout = Kept::of(child.stdout.take().map(OwnedFd::from), limits.output_bytes)?;
    let mut stderr = Kept::of(child.stderr.take().map(OwnedFd::from), limits.output_bytes)?;
    let cut_short = loop {
        let time = match bounds.check(tree)? {
            Checked::Within(time) => time,
            Checked::Met(ended) => break Some(ended),
        };
        let wanted = [
            Some(Wanted::reads(over.as_fd())),
            stdout.stream.wanted(),
            stderr.stream.wanted(),
            cancel.map(|cancel| Wanted::reads(cancel.as_fd())),
        ];
        let [is_over, has_stdout, has_stderr, is_cancelled] = wait(wanted, time)?;
        if is_cancelled {
            break Some(Ended::Cancelled);
        }
        if has_stdout {
            stdout.take_some()?;
        }
        if has_stderr {
            stderr.take_some()?;
        }
        if is_over {
            break None;
        }
    };
    Ok(Watched {
        cut_short,
        stdout,
        stderr,
    })
}

/// The bounds that no limit of the kernel keeps: time, and the memory of the whole tree.
pub(super) struct Bounds {
    deadline: Option<Instant>,
    memory_bytes: u64,
    look: Instant,
}

/// How a tree stands with its bounds.
pub(super) enum Checked {
    /// Within them, and to be checked again after this time.
    Within(Duration),
    /// One is met.
    Met(Ended),
}

impl Bounds {
    /// From now on.
    pub(super) fn new(wall: Option<Duration>, memory_bytes: u64) -> Self {
        let now = Instant::now();
        Self {
            // One that is too far away to be told is none.
            deadline: wall.and_then(|wall| now.checked_add(wall)),
            memory_bytes,
            look: now + LOOK,
        }
    }

    /// # Errors
    /// Of the system.
    pub(super) fn check(&mut self, tree: &Tree) -> io::Result<Checked> {
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Ok(Checked::Met(Ended::TimedOut));
        }
        if now >= self.look {
            if memory(&tree.members()?) > self.memory_bytes {
                return Ok(Checked::Met(Ended::OverLimit(Limit::Memory)));
            }
            self.look = Instant::now() + LOOK;
        }
        let next = self.deadline.map_or(self.look, |end| end.min(self.look));
        Ok(Checked::Within(next.saturating_duration_since(now)))
    }
}

/// Bytes in memory of all these. One that is gone has none.
fn memory(members: &[Pid]) -> u64 {
    let pages = members.iter().filter_map(|pid| {
        let statm = fs::read_to_string(format!("/proc/{}/statm", pid.as_raw_nonzero())).ok()?;
        statm.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    pages.sum::<u64>() * page_size() as u64
}

/// How a process ended that nobody cut short.
pub(super) fn ended(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, Some(SIGXCPU)) => Ended::OverLimit(Limit::Cpu),
        (None, Some(SIGXFSZ)) => Ended::OverLimit(Limit::FileSize),
        (None, signal) => Ended::Signalled(signal.unwrap_or(SIGKILL)),
    }
}
