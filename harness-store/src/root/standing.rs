//! What can be said of a place without opening what stands there.

use rustix::fs::FileType;

use super::folder::Root;
use super::open::unfit;
use crate::error::StoreError;

/// The mode bits of everybody but the owner.
const OTHERS: u32 = 0o077;

impl Root {
    /// What is wrong with what stands at `path`, in words; `None` if it is a regular file of one
    /// link or a folder, of this user, and private.
    pub(crate) fn standing(&self, path: &str) -> Result<Option<String>, StoreError> {
        let Some(stat) = self.place(path)?.stat()? else {
            return Ok(None);
        };
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        Ok(match unfit(&stat) {
            Some(kind) if !is_folder => Some(format!("is {}: remove it", kind.as_str())),
            _ if stat.st_uid != rustix::process::geteuid().as_raw() => Some(format!(
                "belongs to user {}: give it to this one",
                stat.st_uid
            )),
            _ if stat.st_mode & OTHERS != 0 => {
                Some("can be read or written by others: take their rights away".to_owned())
            }
            _ => None,
        })
    }

    /// Free bytes and files of the file system, for this user; `None` where files have no bound.
    pub(crate) fn free(&self) -> Result<(u64, Option<u64>), StoreError> {
        let stat = self.file_system()?;
        let files = (stat.f_files > 0).then_some(stat.f_favail);
        Ok((stat.f_bavail.saturating_mul(stat.f_frsize), files))
    }
}
