//! Which roots this process has open for writing: each at most once.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{StoreError, shown};
use crate::root::{FileId, Root};

static OPEN: Mutex<BTreeSet<FileId>> = Mutex::new(BTreeSet::new());

/// One root's entry, given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Registration(FileId);

impl Registration {
    /// Enters a root.
    ///
    /// # Errors
    /// [`StoreError::AlreadyOpen`] if it is entered, by whatever path.
    pub(crate) fn enter(root: &Root) -> Result<Self, StoreError> {
        let id = root.id()?;
        if open().insert(id) {
            Ok(Self(id))
        } else {
            Err(StoreError::AlreadyOpen {
                path: shown(root.path()),
            })
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        open().remove(&self.0);
    }
}

/// The set is never left half changed, so a poisoned lock is as good as another.
fn open() -> MutexGuard<'static, BTreeSet<FileId>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}
