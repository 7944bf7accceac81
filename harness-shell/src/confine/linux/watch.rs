//! From start to end: output is taken as it arrives, bounds are watched, and nothing outlives it.

use std::fs::{self, File};
use std::io::{self, PipeReader, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::param::page_size;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::tree::{Bond, Tree};
use super::warden::Left;
use crate::confine::Limits;
use crate::outcome::{Ended, Limit};

/// How often the memory of a tree is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// Bytes that are read at once.
const CHUNK: usize = 16 * 1024;
/// Bytes that are still read from a stream once the tree is dead: what a pipe may hold.
const LEFT_IN_PIPE: usize = 1 << 20;
/// Bytes of a stream that are held beyond what is kept, so that a secret which the cut falls into
/// is still seen whole.
const BEYOND: usize = 4096;

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
    let started = Instant::now();
    let (tree, mut child) = Tree::start(bond, command).map_err(WatchError::Start)?;
    let watched = watch(&tree, &mut child, limits, started, cancel);
    // Whatever came of watching, the tree ends before anything else is said of it.
    let dead = tree.end(Pid::from_child(&child));
    let status = child.wait().map_err(WatchError::Watch)?;
    let left = dead.map_err(WatchError::Watch)?;
    let mut watched = watched.map_err(WatchError::Watch)?;
    watched.take_rest().map_err(WatchError::Watch)?;
    Ok(Raw {
        ended: watched.cut_short.unwrap_or_else(|| ended(status)),
        dropped_bytes: watched.stdout.beyond(limits.output_bytes)
            + watched.stderr.beyond(limits.output_bytes),
        stdout: watched.stdout.kept,
        stderr: watched.stderr.kept,
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
    stdout: Stream,
    stderr: Stream,
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
    started: Instant,
    cancel: Option<&PipeReader>,
) -> io::Result<Watched> {
    let over = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let mut stdout = Stream::of(child.stdout.take().map(OwnedFd::from), limits.output_bytes)?;
    let mut stderr = Stream::of(child.stderr.take().map(OwnedFd::from), limits.output_bytes)?;
    let deadline = started + limits.wall;
    let mut look = started + LOOK;
    let cut_short = loop {
        let now = Instant::now();
        if now >= deadline {
            break Some(Ended::TimedOut);
        }
        if now >= look {
            if memory(&tree.members()?) > limits.memory_bytes {
                break Some(Ended::OverLimit(Limit::Memory));
            }
            look = Instant::now() + LOOK;
        }
        let time = look.min(deadline).saturating_duration_since(now);
        let ready = wait(&over, &stdout, &stderr, cancel, time)?;
        if ready.cancelled {
            break Some(Ended::Cancelled);
        }
        if ready.stdout {
            stdout.take_some()?;
        }
        if ready.stderr {
            stderr.take_some()?;
        }
        if ready.over {
            break None;
        }
    };
    Ok(Watched {
        cut_short,
        stdout,
        stderr,
    })
}

/// Bytes in memory of all these. One that is gone has none.
fn memory(members: &[Pid]) -> u64 {
    let pages = members.iter().filter_map(|pid| {
        let statm = fs::read_to_string(format!("/proc/{}/statm", pid.as_raw_nonzero())).ok()?;
        statm.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    pages.sum::<u64>() * page_size() as u64
}

fn ended(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, Some(SIGXCPU)) => Ended::OverLimit(Limit::Cpu),
        (None, Some(SIGXFSZ)) => Ended::OverLimit(Limit::FileSize),
        (None, signal) => Ended::Signalled(signal.unwrap_or(SIGKILL)),
    }
}

struct Ready {
    over: bool,
    stdout: bool,
    stderr: bool,
    cancelled: bool,
}

fn wait(
    over: &OwnedFd,
    stdout: &Stream,
    stderr: &Stream,
    cancel: Option<&PipeReader>,
    time: Duration,
) -> io::Result<Ready> {
    let watched: [Option<BorrowedFd<'_>>; 4] = [
        Some(over.as_fd()),
        stdout.from.as_ref().map(AsFd::as_fd),
        stderr.from.as_ref().map(AsFd::as_fd),
        cancel.map(AsFd::as_fd),
    ];
    let mut polled: Vec<PollFd<'_>> = watched
        .iter()
        .flatten()
        .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN))
        .collect();
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    match poll(&mut polled, Some(&time)) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let mut seen = polled.iter().map(|fd| !fd.revents().is_empty());
    let mut ready = watched
        .map(|fd| fd.is_some() && seen.next() == Some(true))
        .into_iter();
    let mut next = || ready.next() == Some(true);
    Ok(Ready {
        over: next(),
        stdout: next(),
        stderr: next(),
        cancelled: next(),
    })
}

/// One stream of output: the first bytes are kept, the rest is read and dropped.
struct Stream {
    from: Option<File>,
    kept: Vec<u8>,
    most: usize,
    dropped: u64,
}

impl Stream {
    fn of(from: Option<OwnedFd>, most: usize) -> io::Result<Self> {
        if let Some(from) = &from {
            rustix::fs::fcntl_setfl(from, OFlags::NONBLOCK)?;
        }
        Ok(Self {
            from: from.map(File::from),
            kept: Vec::new(),
            most: most.saturating_add(BEYOND),
            dropped: 0,
        })
    }

    /// Takes one chunk; gives how many bytes, 0 where there are none now or never again.
    fn take_some(&mut self) -> io::Result<usize> {
        let Some(from) = &mut self.from else {
            return Ok(0);
        };
        let mut chunk = [0; CHUNK];
        let count = match from.read(&mut chunk) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(0),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(0),
            Err(error) => return Err(error),
        };
        if count == 0 {
            self.from = None;
        }
        let room = self.most.saturating_sub(self.kept.len()).min(count);
        self.kept.extend(chunk.get(..room).unwrap_or_default());
        self.dropped += (count - room) as u64;
        Ok(count)
    }

    /// Bytes behind the first `most`.
    fn beyond(&self, most: usize) -> u64 {
        self.dropped + self.kept.len().saturating_sub(most) as u64
    }

    fn take_rest(&mut self) -> io::Result<()> {
        let mut taken = 0;
        while taken < LEFT_IN_PIPE {
            match self.take_some()? {
                0 => break,
                count => taken += count,
            }
        }
        Ok(())
    }
}
