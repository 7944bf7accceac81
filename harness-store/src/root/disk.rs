//! The edge: every call by which the store reads or changes what is on disk, one after the other.
//!
//! What stands here asks the kernel and decides nothing. The tests put another [`Disk`] in its
//! place, one that fails, tears and forgets.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, RenameFlags, ResolveFlags, Stat};
use rustix::io::Errno;

/// A name within a held folder.
pub(crate) type At<'p> = (BorrowedFd<'p>, &'p str);

/// The calls.
pub(crate) trait Disk: Debug + Send + Sync {
    /// `openat2` that stays beneath the folder and follows no link.
    fn open(&self, (folder, path): At<'_>, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        rustix::fs::openat2(folder, path, flags, mode, resolve)
    }

    /// Makes a folder.
    fn make_folder(&self, (folder, name): At<'_>, mode: Mode) -> Result<(), Errno> {
        rustix::fs::mkdirat(folder, name, mode)
    }

    /// Gives a file another name.
    fn rename(&self, from: At<'_>, to: At<'_>, flags: RenameFlags) -> Result<(), Errno> {
        if flags.is_empty() {
            return rustix::fs::renameat(from.0, from.1, to.0, to.1);
        }
        rustix::fs::renameat_with(from.0, from.1, to.0, to.1, flags)
    }

    /// Removes a file.
    fn remove(&self, (folder, name): At<'_>) -> Result<(), Errno> {
        rustix::fs::unlinkat(folder, name, AtFlags::empty())
    }

    /// What stands there, its own link not followed.
    fn stat(&self, (folder, name): At<'_>) -> Result<Stat, Errno> {
        rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
    }

    /// What is in a folder.
    fn entries(&self, folder: BorrowedFd<'_>) -> Result<Dir, Errno> {
        Dir::read_from(folder)
    }

    /// Makes the names in a folder durable.
    fn sync_names(&self, folder: BorrowedFd<'_>) -> Result<(), Errno> {
        rustix::fs::fsync(folder)
    }

    /// Reads some bytes at a place.
    fn read_at(&self, file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        file.read_at(buffer, at)
    }

    /// Writes all of `bytes` where the file was opened to write: at its end, mostly.
    fn write(&self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    /// Writes all of `bytes` at a place.
    fn write_at(&self, file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        file.write_all_at(bytes, at)
    }

    /// Cuts a file to a length.
    fn cut(&self, file: &File, length: u64) -> io::Result<()> {
        file.set_len(length)
    }

    /// Makes the bytes of a file durable, and its length.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }
}

/// The kernel's disk.
#[derive(Debug)]
pub(crate) struct Kernel;

impl Disk for Kernel {}
