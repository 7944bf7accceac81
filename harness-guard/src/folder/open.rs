//! Opening from a handle on.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// How often an open is tried again when the kernel saw a rename beside it.
const RENAME_RETRIES: usize = 16;

/// `openat2` that stays beneath the handle. Links that stay beneath are followed, unless the
/// flags say otherwise.
pub(super) fn open_beneath(
    folder: &OwnedFd,
    path: &str,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..RENAME_RETRIES {
        match rustix::fs::openat2(folder, path, flags, mode, resolve) {
            // The kernel could not rule out that a rename beside us led outside; or a signal came.
            Err(Errno::AGAIN | Errno::INTR) => {}
            other => return other,
        }
    }
    Err(Errno::AGAIN)
}

/// Opens a regular file for reading.
pub(super) fn open_file(folder: &OwnedFd, path: &str) -> io::Result<File> {
    // A pipe must not hang us, a terminal not become ours.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = open_beneath(folder, path, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
        Ok(File::from(file))
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// Opens a folder.
pub(super) fn open_folder(folder: &OwnedFd, path: &str) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    open_beneath(folder, path, flags, Mode::empty())
}
