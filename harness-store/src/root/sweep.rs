//! Temporary files that a crash left behind.

use harness_core::layout::is_temporary;

use super::folder::Root;
use crate::error::StoreError;

impl Root {
    /// Removes temporary files from the folder at `path`. The caller holds the lock, so none of
    /// them is in use but a snapshot's, which is then left another time.
    pub(crate) fn sweep(&self, path: &str) -> Result<(), StoreError> {
        for name in self.list(path)? {
            if is_temporary(&name) {
                self.remove(&format!("{path}/{name}"))?;
            }
        }
        Ok(())
    }
}
