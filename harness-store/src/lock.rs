//! The writers' lock: a kernel lock on a file that holds nothing, freed by the kernel whatever
//! becomes of its holder.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::StoreError;
use crate::root::{Access, Handle, Root};

/// First pause between two tries.
const FIRST_PAUSE: Duration = Duration::from_micros(200);
/// Longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

/// A lock file, opened once.
#[derive(Debug)]
pub(crate) struct LockFile {
    file: Handle,
    path: String,
}

/// The lock, held until this is dropped.
#[derive(Debug)]
pub(crate) struct Held<'f>(&'f Handle);

/// The lock, held until this is dropped, together with its own handle of the file.
#[derive(Debug)]
pub(crate) struct OwnedLock(#[expect(dead_code, reason = "closing it frees the lock")] Handle);

/// Pauses that double.
#[derive(Debug)]
pub(crate) struct BackOff(Duration);

impl LockFile {
    /// Opens (and makes) the lock file at `path`.
    pub(crate) fn open(root: &Root, path: &str) -> Result<Self, StoreError> {
        let file = root.open_file(path, Access::InPlace)?;
        Ok(Self {
            file,
            path: path.to_owned(),
        })
    }

    /// Takes the lock if nobody holds it.
    pub(crate) fn try_lock(&self) -> Result<Option<Held<'_>>, StoreError> {
        Ok(self.grab()?.then(|| Held(&self.file)))
    }

    /// Takes the lock if nobody holds it, not even this process through another handle.
    pub(crate) fn try_own(self) -> Result<Option<OwnedLock>, StoreError> {
        Ok(self.grab()?.then_some(OwnedLock(self.file)))
    }

    /// Takes the lock, trying until `wait` has gone by.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if somebody held it all the while.
    pub(crate) fn lock_within(&self, wait: Duration) -> Result<Held<'_>, StoreError> {
        let began = Instant::now();
        let mut back_off = BackOff::new();
        loop {
            if let Some(held) = self.try_lock()? {
                return Ok(held);
            }
            if began.elapsed() >= wait {
                return Err(StoreError::Busy {
                    waited: began.elapsed(),
                });
            }
            std::thread::sleep(back_off.next_pause());
        }
    }

    fn grab(&self) -> Result<bool, StoreError> {
        self.file
            .try_lock()
            .map_err(|error| StoreError::from_io(&error, "lock", Path::new(&self.path)))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.unlock();
    }
}

impl BackOff {
    pub(crate) const fn new() -> Self {
        Self(FIRST_PAUSE)
    }

    /// The next pause.
    pub(crate) fn next_pause(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(LONGEST_PAUSE);
        pause
    }
}
