//! Replacing a file in one step.

use std::fs::File;
use std::io::Write;

use rustix::fs::{AtFlags, Mode, OFlags};

use super::folder::{Root, open_beneath};
use super::open::{PRIVATE_FILE, unfit};
use crate::error::{StoreError, shown};
use crate::random;

impl Root {
    /// Puts `bytes` at `path`: a unique temporary file in the same folder, write, sync, rename,
    /// sync of the folder. Whoever reads sees the old file or the new one.
    pub(crate) fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let place = self.place(path)?;
        // A rename would put our file over a link without following it; it is refused all the
        // same, because somebody put it there.
        if let Some(kind) = place.stat()?.as_ref().and_then(unfit) {
            return Err(StoreError::Refused {
                path: shown(&place.shown),
                kind,
            });
        }
        let temporary = format!("{}.{:016x}.tmp", place.name, random::bits()?);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = open_beneath(
            &place.folder,
            &temporary,
            flags,
            Mode::from_raw_mode(PRIVATE_FILE),
        )
        .map_err(|errno| place.error(errno, "write"))?;
        let mut file = File::from(file);
        let outcome = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(|error| StoreError::from_io(&error, "write", &place.shown))
            .and_then(|()| {
                rustix::fs::renameat(&place.folder, &temporary, &place.folder, place.name)
                    .map_err(|errno| place.error(errno, "replace"))
            });
        if outcome.is_err() {
            // If this fails too, the next open sweeps it.
            let _ = rustix::fs::unlinkat(&place.folder, &temporary, AtFlags::empty());
            return outcome;
        }
        rustix::fs::fsync(&place.folder).map_err(|errno| place.error(errno, "sync the folder of"))
    }
}
