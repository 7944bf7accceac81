//! The assignment key: which sessions a trial treats follows from it. It lies outside the root.

use std::fmt;

use crate::error::{StoreError, shown};
use crate::random;
use crate::root::Root;

/// Its file, in the workspace's folder outside the root.
const FILE: &str = "key";
/// Bytes of the key.
const LENGTH: usize = 32;

/// 32 random bytes. They are shown to nobody: whoever has them knows every arm.
#[derive(Clone, PartialEq, Eq)]
pub struct AssignmentKey([u8; LENGTH]);

impl AssignmentKey {
    /// The bytes, for the keyed hash of an assignment.
    pub const fn expose(&self) -> &[u8; LENGTH] {
        &self.0
    }

    /// Reads the key; `None` where there is none.
    pub(crate) fn read(folder: &Root) -> Result<Option<Self>, StoreError> {
        let Some(bytes) = folder.read(FILE, LENGTH as u64)? else {
            return Ok(None);
        };
        match <[u8; LENGTH]>::try_from(bytes) {
            Ok(bytes) => Ok(Some(Self(bytes))),
            Err(_) => Err(StoreError::Malformed {
                path: shown(&folder.shown(FILE)),
                reason: format!("a key has {LENGTH} bytes"),
            }),
        }
    }

    /// Makes a key unless there is one.
    pub(crate) fn create_if_missing(folder: &Root) -> Result<(), StoreError> {
        if Self::read(folder)?.is_none() {
            folder.replace(FILE, &random::bytes::<LENGTH>()?)?;
        }
        Ok(())
    }
}

impl fmt::Debug for AssignmentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AssignmentKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_hides_itself() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Root::open(dir.path()).unwrap();
        assert_eq!(AssignmentKey::read(&folder).unwrap(), None);
        AssignmentKey::create_if_missing(&folder).unwrap();
        let key = AssignmentKey::read(&folder).unwrap();
        AssignmentKey::create_if_missing(&folder).unwrap();
        assert_eq!(AssignmentKey::read(&folder).unwrap(), key);
        assert_eq!(format!("{:?}", key.unwrap()), "AssignmentKey(..)");
    }
}
