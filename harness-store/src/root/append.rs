//! Appending whole lines to a file that is a projection or an index, its torn tail cut first.

use std::io::Write;
use std::os::unix::fs::FileExt;

use super::folder::Root;
use super::open::Access;
use crate::error::StoreError;
use crate::lines::end_of_last_line;

impl Root {
    /// Appends `lines` (whole lines) to the file at `path`, made if it is not there, and syncs.
    /// Bytes after the last line feed are cut before; if the write fails, what it left is cut.
    pub(crate) fn append_lines(&self, path: &str, lines: &[u8]) -> Result<(), StoreError> {
        let mut file = self.open_file(path, Access::Append)?;
        let error =
            |error: std::io::Error| StoreError::from_io(&error, "append to", &self.shown(path));
        let length = file.metadata().map_err(error)?.len();
        let end = end_of_last_line(length, |buffer, at| file.read_at(buffer, at)).map_err(error)?;
        if end < length {
            file.set_len(end).map_err(error)?;
        }
        if let Err(failure) = file.write_all(lines).and_then(|()| file.sync_data()) {
            // If this fails too, the next append cuts the tail.
            let _ = file.set_len(end);
            return Err(error(failure));
        }
        if length == 0 {
            self.sync_folder_of(path)?;
        }
        Ok(())
    }

    /// Makes the name of the file at `path` durable.
    pub(crate) fn sync_folder_of(&self, path: &str) -> Result<(), StoreError> {
        let place = self.place(path)?;
        rustix::fs::fsync(&place.folder).map_err(|errno| place.error(errno, "sync the folder of"))
    }
}
