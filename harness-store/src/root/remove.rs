//! Removing a file.

use rustix::io::Errno;

use super::folder::Root;
use crate::error::StoreError;

impl Root {
    /// Removes the file at `path` if it is there, and makes that durable.
    pub(crate) fn remove(&self, path: &str) -> Result<(), StoreError> {
        let place = self.place(path)?;
        match self.disk().remove(place.at()) {
            Ok(()) => place.sync_names(),
            Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(place.error(errno, "remove")),
        }
    }
}
