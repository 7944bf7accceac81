//! The thread of a child that stays: it starts it, moves its streams, and ends its tree.
//!
//! The handle is on the other side of two bounded queues and an event that wakes. Where the reader is
//! behind, the child's pipe fills and the child waits; where the child does not read, the writer
//! does. Standard error is taken all the time, so that nothing a child says there can stop it.

use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Child, Command};
use std::thread;

use rustix::event::{EventfdFlags, eventfd};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::sync::mpsc;

use super::stream::{Kept, LEFT_IN_PIPE, Stream, Wanted, wait};
use super::tree::Tree;
use super::warden::Left;
use super::watch::{Bounds, Checked, ended};
use crate::confine::child::{ConfinedChild, Ends, PIECE, Wake};
use crate::outcome::Ended;

/// What a child that is over left behind.
pub(super) struct Remains {
    pub(super) ended: Ended,
    pub(super) stderr: Vec<u8>,
    pub(super) dropped_bytes: u64,
    pub(super) left: Left,
}

/// A handle whose keeper is `keep`, which is given the handle's other ends.
///
/// # Errors
/// Of the event or the thread.
pub(super) fn start(keep: impl FnOnce(Ends) + Send + 'static) -> io::Result<ConfinedChild> {
    let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
    ConfinedChild::kept(File::from(event), |ends| {
        thread::Builder::new()
            .name("keeper".to_owned())
            .spawn(move || keep(ends))
    })
}

/// What becomes of a child from its start to its end, which is that of its tree.
pub(super) struct Keeping<'k> {
    /// What is said to it.
    pub(super) pieces: &'k mut mpsc::Receiver<Vec<u8>>,
    /// What it says, as long as it may say more.
    pub(super) chunks: Option<mpsc::Sender<Vec<u8>>>,
    pub(super) wake: &'k Wake,
    pub(super) bounds: Bounds,
    /// Bytes of standard error that are kept.
    pub(super) output_bytes: usize,
}

impl Keeping<'_> {
    /// Keeps `child`, the first of `tree`, until it is over.
    ///
    /// # Errors
    /// Of the system calls that watch; the tree is dead then too.
    pub(super) fn keep(
        mut self,
        tree: Tree,
        mut child: Child,
        stdin: Stdin,
    ) -> io::Result<Remains> {
        let streams = Streams::of(&mut child, stdin, self.output_bytes);
        let watched = streams.and_then(|mut streams| {
            let cut_short = self.watch(&tree, &child, &mut streams)?;
            Ok((cut_short, streams))
        });
        // Whatever came of watching, the tree ends before anything else is said of it.
        let (status, left) = tree.end(&mut child)?;
        let (cut_short, mut streams) = watched?;
        streams.stderr.take_rest()?;
        if cut_short.is_none() {
            self.hand_over(&mut streams.stdout)?;
        }
        Ok(Remains {
            ended: cut_short.unwrap_or_else(|| ended(status)),
            dropped_bytes: streams.stderr.beyond(self.output_bytes),
            stderr: streams.stderr.bytes,
            left,
        })
    }

    /// Until the first process has ended by itself, or for what reason it has to.
    fn watch(
        &mut self,
        tree: &Tree,
        child: &Child,
        streams: &mut Streams,
    ) -> io::Result<Option<Ended>> {
        let over = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
        loop {
            let time = match self.bounds.check(tree)? {
                Checked::Within(time) => time,
                Checked::Met(ended) => return Ok(Some(ended)),
            };
            streams.stdin.take_up(self.pieces);
            let chunks = self.chunks.as_ref();
            let has_room = chunks.is_some_and(|chunks| chunks.capacity() > 0);
            let wanted = [
                Some(Wanted::reads(over.as_fd())),
                Some(Wanted::reads(self.wake.event().as_fd())),
                streams.stdout.wanted().filter(|_| has_room),
                streams.stderr.stream.wanted(),
                streams.stdin.wanted(),
            ];
            let [is_over, is_woken, has_stdout, has_stderr, takes_stdin] = wait(wanted, time)?;
            if is_woken && self.wake.says_stop() {
                return Ok(Some(Ended::Cancelled));
            }
            if takes_stdin {
                streams.stdin.write()?;
            }
            if has_stdout {
                self.pass_on(&mut streams.stdout)?;
            }
            if has_stderr {
                streams.stderr.take_some()?;
            }
            if is_over {
                return Ok(None);
            }
        }
    }

    /// One chunk, for which there is room, or the end.
    fn pass_on(&mut self, stdout: &mut Stream) -> io::Result<()> {
        let mut chunk = [0; PIECE];
        let count = stdout.read(&mut chunk)?;
        if stdout.wanted().is_none() {
            self.chunks = None;
        }
        if let (Some(chunks), Some(chunk @ [_, ..])) = (&self.chunks, chunk.get(..count)) {
            // This thread alone fills the queue, so the room is still there.
            let _ = chunks.try_send(chunk.to_vec());
        }
        Ok(())
    }

    /// What a tree that ended by itself has left in its pipe, as it is read; until nobody reads.
    fn hand_over(&self, stdout: &mut Stream) -> io::Result<()> {
        let Some(chunks) = &self.chunks else {
            return Ok(());
        };
        let mut handed = 0;
        let mut chunk = [0; PIECE];
        while handed < LEFT_IN_PIPE {
            let count = stdout.read(&mut chunk)?;
            let piece = chunk.get(..count).unwrap_or_default();
            if count == 0 || chunks.blocking_send(piece.to_vec()).is_err() {
                break;
            }
            handed += count;
        }
        Ok(())
    }
}

struct Streams {
    stdin: Stdin,
    stdout: Stream,
    stderr: Kept,
}

impl Streams {
    fn of(child: &mut Child, stdin: Stdin, output_bytes: usize) -> io::Result<Self> {
        Ok(Self {
            stdin,
            stdout: Stream::of(child.stdout.take().map(OwnedFd::from))?,
            stderr: Kept::of(child.stderr.take().map(OwnedFd::from), output_bytes)?,
        })
    }
}

/// Standard input, and as much of a piece as is not written yet.
pub(super) struct Stdin {
    to: File,
    /// Held, so that writing to a child that does not read is no signal to the host.
    _from: PipeReader,
    piece: Vec<u8>,
    written: usize,
}

impl Stdin {
    /// Gives `command` an input that can be written to.
    ///
    /// # Errors
    /// Of the system.
    pub(super) fn of(command: &mut Command) -> io::Result<Self> {
        let (from, to) = io::pipe()?;
        fcntl_setfl(&to, OFlags::NONBLOCK)?;
        command.stdin(from.try_clone()?);
        Ok(Self {
            to: File::from(OwnedFd::from(to)),
            _from: from,
            piece: Vec::new(),
            written: 0,
        })
    }

    /// The next piece, if this one is written.
    fn take_up(&mut self, pieces: &mut mpsc::Receiver<Vec<u8>>) {
        if self.written >= self.piece.len()
            && let Ok(piece) = pieces.try_recv()
        {
            self.piece = piece;
            self.written = 0;
        }
    }

    /// What to wait for, if there is something to write.
    fn wanted(&self) -> Option<Wanted<'_>> {
        (self.written < self.piece.len()).then(|| Wanted::writes(self.to.as_fd()))
    }

    /// Writes as much as goes.
    fn write(&mut self) -> io::Result<()> {
        let left = self.piece.get(self.written..).unwrap_or_default();
        match self.to.write(left) {
            Ok(count) => self.written += count,
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted => {}
                _ => return Err(error),
            },
        }
        Ok(())
    }
}
