//! Reading a whole file, up to a bound.

use super::folder::Root;
use crate::error::{StoreError, shown};

/// Bytes read at a time.
const CHUNK: usize = 64 * 1024;

impl Root {
    /// The bytes of the file at `path`, `None` if there is none.
    ///
    /// # Errors
    /// More than `max` bytes: [`StoreError::TooLarge`], without reading the rest.
    pub(crate) fn read(&self, path: &str, max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(file) = self.open_if_there(path)? else {
            return Ok(None);
        };
        let error = |error| StoreError::from_io(&error, "read", &self.shown(path));
        let length = file.length().map_err(error)?.min(max);
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        let mut chunk = vec![0; CHUNK];
        loop {
            let read = file
                .read_at(&mut chunk, bytes.len() as u64)
                .map_err(error)?;
            if read == 0 {
                return Ok(Some(bytes));
            }
            bytes.extend_from_slice(chunk.get(..read).unwrap_or_default());
            if bytes.len() as u64 > max {
                return Err(StoreError::TooLarge {
                    what: shown(&self.shown(path)),
                    limit: max,
                });
            }
        }
    }
}
