//! Reading a whole file, up to a bound.

use std::io::Read;

use super::folder::Root;
use crate::error::{StoreError, shown};

impl Root {
    /// The bytes of the file at `path`, `None` if there is none.
    ///
    /// # Errors
    /// More than `max` bytes: [`StoreError::TooLarge`], without reading the rest.
    pub(crate) fn read(&self, path: &str, max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(file) = self.open_if_there(path)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        file.take(max.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| StoreError::from_io(&error, "read", &self.shown(path)))?;
        if bytes.len() as u64 > max {
            return Err(StoreError::TooLarge {
                what: shown(&self.shown(path)),
                limit: max,
            });
        }
        Ok(Some(bytes))
    }
}
