//! The streams of a child, read as they come without being waited for, and the wait for any of
//! them.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

/// Bytes that are read at once.
pub(super) const CHUNK: usize = 16 * 1024;
/// Bytes that are still read from a stream once the tree is dead: what a pipe may hold.
pub(super) const LEFT_IN_PIPE: usize = 1 << 20;
/// Bytes of a stream that are held beyond what is kept, so that a secret which the cut falls into
/// is still seen whole.
const BEYOND: usize = 4096;

/// What is waited for.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'fd>(BorrowedFd<'fd>, PollFlags);

impl<'fd> Wanted<'fd> {
    /// Something to read, or the end.
    pub(super) const fn reads(fd: BorrowedFd<'fd>) -> Self {
        Self(fd, PollFlags::IN)
    }

    /// Room to write, or that nobody reads.
    pub(super) const fn writes(fd: BorrowedFd<'fd>) -> Self {
        Self(fd, PollFlags::OUT)
    }
}

/// Waits at most this long for any of these; says which of them are ready.
///
/// # Errors
/// Of the system.
pub(super) fn wait<const N: usize>(
    wanted: [Option<Wanted<'_>>; N],
    time: Duration,
) -> io::Result<[bool; N]> {
    let mut polled: Vec<PollFd<'_>> = wanted
        .iter()
        .flatten()
        .map(|Wanted(fd, flags)| PollFd::from_borrowed_fd(*fd, *flags))
        .collect();
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    match poll(&mut polled, Some(&time)) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let mut seen = polled.iter().map(|fd| !fd.revents().is_empty());
    Ok(wanted.map(|wanted| wanted.is_some() && seen.next() == Some(true)))
}

/// One stream, until its end.
pub(super) struct Stream {
    from: Option<File>,
}

impl Stream {
    /// # Errors
    /// Of the system.
    pub(super) fn of(from: Option<OwnedFd>) -> io::Result<Self> {
        if let Some(from) = &from {
            rustix::fs::fcntl_setfl(from, OFlags::NONBLOCK)?;
        }
        Ok(Self {
            from: from.map(File::from),
        })
    }

    /// What to wait for before the next chunk; nothing behind the end.
    pub(super) fn wanted(&self) -> Option<Wanted<'_>> {
        self.from.as_ref().map(|from| Wanted::reads(from.as_fd()))
    }

    /// Reads into `chunk`; gives how many bytes, 0 where there are none now or never again.
    ///
    /// # Errors
    /// Of the system.
    pub(super) fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        let Some(from) = &mut self.from else {
            return Ok(0);
        };
        let count = match from.read(chunk) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(0),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(0),
            Err(error) => return Err(error),
        };
        if count == 0 {
            self.from = None;
        }
        Ok(count)
    }
}

/// A stream of which the first bytes are kept; the rest is read and dropped.
pub(super) struct Kept {
    pub(super) stream: Stream,
    pub(super) bytes: Vec<u8>,
    most: usize,
    dropped: u64,
}

impl Kept {
    /// # Errors
    /// Of the system.
    pub(super) fn of(from: Option<OwnedFd>, most: usize) -> io::Result<Self> {
        Ok(Self {
            stream: Stream::of(from)?,
            bytes: Vec::new(),
            most: most.saturating_add(BEYOND),
            dropped: 0,
        })
    }

    /// Takes one chunk; gives how many bytes, 0 where there are none now or never again.
    ///
    /// # Errors
    /// Of the system.
    pub(super) fn take_some(&mut self) -> io::Result<usize> {
        let mut chunk = [0; CHUNK];
        let count = self.stream.read(&mut chunk)?;
        let room = self.most.saturating_sub(self.bytes.len()).min(count);
        self.bytes.extend(chunk.get(..room).unwrap_or_default());
        self.dropped += (count - room) as u64;
        Ok(count)
    }

    /// Takes what is left in the pipe of a tree that is dead.
    ///
    /// # Errors
    /// Of the system.
    pub(super) fn take_rest(&mut self) -> io::Result<()> {
        let mut taken = 0;
        while taken < LEFT_IN_PIPE {
            match self.take_some()? {
                0 => break,
                count => taken += count,
            }
        }
        Ok(())
    }

    /// Bytes behind the first `most`.
    pub(super) fn beyond(&self, most: usize) -> u64 {
        self.dropped + self.bytes.len().saturating_sub(most) as u64
    }
}
