//! Giving a file another name in the same root.

use rustix::fs::RenameFlags;

use super::folder::Root;
use super::open::unfit;
use crate::error::{StoreError, shown};

impl Root {
    /// Renames the regular file at `from` to `to`, where nothing may stand, and makes both names
    /// durable.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let (old, new) = (self.place(from)?, self.place(to)?);
        if let Some(kind) = old.stat()?.as_ref().and_then(unfit) {
            return Err(StoreError::Refused {
                path: shown(&old.shown),
                kind,
            });
        }
        self.disk()
            .rename(old.at(), new.at(), RenameFlags::NOREPLACE)
            .map_err(|errno| new.error(errno, "close"))?;
        new.sync_names()?;
        old.sync_names()
    }
}
