//! Replacing a file in one step.

use rustix::fs::{Mode, OFlags, RenameFlags};

use super::folder::Root;
use super::handle::Handle;
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
        let file = place.open(&temporary, flags, Mode::from_raw_mode(PRIVATE_FILE))?;
        let (file, disk) = (Handle::new(file.into(), self.disk()), self.disk());
        let beside = (place.at().0, temporary.as_str());
        let outcome = file
            .append(bytes)
            .and_then(|()| file.sync())
            .map_err(|error| StoreError::from_io(&error, "write", &place.shown))
            .and_then(|()| {
                disk.rename(beside, place.at(), RenameFlags::empty())
                    .map_err(|errno| place.error(errno, "replace"))
            });
        if outcome.is_err() {
            // If this fails too, the next open sweeps it.
            let _ = disk.remove(beside);
            return outcome;
        }
        place.sync_names()
    }
}
