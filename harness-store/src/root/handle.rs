//! A file of ours, open.

use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use super::disk::Disk;
use super::open::FileId;

/// An open file: regular, one link. Everything that is done to it goes through its [`Disk`].
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    file: Arc<File>,
    disk: Arc<dyn Disk>,
}

impl Handle {
    pub(super) fn new(file: File, disk: Arc<dyn Disk>) -> Self {
        Self {
            file: Arc::new(file),
            disk,
        }
    }

    /// Which file it is, and its length.
    pub(crate) fn standing(&self) -> io::Result<(FileId, u64)> {
        let stat = rustix::fs::fstat(self.file.as_fd())?;
        let length = u64::try_from(stat.st_size).unwrap_or(0);
        Ok((FileId::of(&stat), length))
    }

    /// Its length.
    pub(crate) fn length(&self) -> io::Result<u64> {
        self.standing().map(|(_, length)| length)
    }

    /// Reads some bytes at a place; 0 at the end.
    pub(crate) fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        loop {
            match self.disk.read_at(&self.file, buffer, at) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    /// Appends `bytes`.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.disk.write(&self.file, bytes)
    }

    /// Writes `bytes` at a place.
    pub(crate) fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.disk.write_at(&self.file, bytes, at)
    }

    /// Cuts it to a length.
    pub(crate) fn cut(&self, length: u64) -> io::Result<()> {
        self.disk.cut(&self.file, length)
    }

    /// Makes what was written durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.disk.sync(&self.file)
    }

    /// Takes the kernel's lock of the file if nobody holds it.
    pub(crate) fn try_lock(&self) -> io::Result<bool> {
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Gives the lock back. It cannot fail for a file that is open, and the kernel frees the lock
    /// at exit in any case.
    pub(crate) fn unlock(&self) {
        let _ = self.file.unlock();
    }

    /// A file without a name, for this crate's own unit tests.
    #[cfg(test)]
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let handle = Self::new(tempfile::tempfile().unwrap(), Arc::new(super::Kernel));
        handle.append(bytes).unwrap();
        handle
    }
}
