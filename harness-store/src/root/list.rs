//! The names in a folder.

use std::os::fd::AsFd;

use super::folder::Root;
use crate::error::{StoreError, shown};

/// Names that a folder of ours has at most.
const MAX_NAMES: usize = 1 << 20;

impl Root {
    /// The names in the folder at `path`, sorted; none if there is no such folder. A name that is
    /// not UTF-8 is none of ours and is left out.
    pub(crate) fn list(&self, path: &str) -> Result<Vec<String>, StoreError> {
        let folder = match self.folder_at(path) {
            Ok(folder) => folder,
            Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let error = |errno| StoreError::from_errno(errno, "list", &self.shown(path));
        let mut names = Vec::new();
        for entry in self.disk().entries(folder.as_fd()).map_err(error)? {
            let entry = entry.map_err(error)?;
            match entry.file_name().to_str() {
                Ok("." | "..") | Err(_) => {}
                Ok(name) => names.push(name.to_owned()),
            }
            if names.len() > MAX_NAMES {
                return Err(StoreError::TooLarge {
                    what: format!("the list of {}", shown(&self.shown(path))),
                    limit: MAX_NAMES as u64,
                });
            }
        }
        names.sort();
        Ok(names)
    }
}
