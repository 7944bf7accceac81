//! Temporary files that a crash left behind.

use harness_core::layout::is_temporary;

use super::folder::Root;
use crate::error::StoreError;

impl Root {
    /// Removes temporary files from the folder at `path`. The caller holds the lock, so none of
    /// them is in use but a snapshot's, which is then left another time. One that cannot be removed,
    /// a folder of such a name say, is in nobody's way.
    pub(crate) fn sweep(&self, path: &str) -> Result<(), StoreError> {
        for name in self.list(path)? {
            if is_temporary(&name) {
                let _ = self.remove(&format!("{path}/{name}"));
            }
        }
        Ok(())
    }
}
