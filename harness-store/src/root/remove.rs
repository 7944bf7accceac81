//! Removing a file.

use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::folder::Root;
use crate::error::StoreError;

impl Root {
    /// Removes the file at `path` if it is there, and makes that durable.
    pub(crate) fn remove(&self, path: &str) -> Result<(), StoreError> {
        let place = self.place(path)?;
        match rustix::fs::unlinkat(&place.folder, place.name, AtFlags::empty()) {
            Ok(()) => rustix::fs::fsync(&place.folder)
                .map_err(|errno| place.error(errno, "sync the folder of")),
            Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(place.error(errno, "remove")),
        }
    }
}
