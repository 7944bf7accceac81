//! Appending whole lines to a file that is a projection or an index, its torn tail cut first.

use super::folder::Root;
use super::open::Access;
use crate::error::StoreError;
use crate::lines::end_of_last_line;

impl Root {
    /// Appends `lines` (whole lines) to the file at `path`, made if it is not there, and syncs.
    /// Bytes after the last line feed are cut before; if the write fails, what it left is cut.
    pub(crate) fn append_lines(&self, path: &str, lines: &[u8]) -> Result<(), StoreError> {
        let file = self.open_file(path, Access::Append)?;
        let error =
            |error: std::io::Error| StoreError::from_io(&error, "append to", &self.shown(path));
        let length = file.length().map_err(error)?;
        let end = end_of_last_line(length, |buffer, at| file.read_at(buffer, at)).map_err(error)?;
        if end < length {
            file.cut(end).map_err(error)?;
        }
        // The name first: whoever finds bytes may take the name for durable.
        if length == 0 {
            self.sync_folder_of(path)?;
        }
        if let Err(failure) = file.append(lines).and_then(|()| file.sync()) {
            // If this fails too, the next append cuts the tail.
            let _ = file.cut(end);
            return Err(error(failure));
        }
        Ok(())
    }

    /// Makes the name of the file at `path` durable.
    pub(crate) fn sync_folder_of(&self, path: &str) -> Result<(), StoreError> {
        let place = self.place(path)?;
        place.sync_names()
    }
}
