//! Opening a file: regular, one link, private.

use rustix::fs::{FileType, Mode, OFlags, Stat};

use super::folder::Root;
use super::handle::Handle;
use crate::error::{FileKind, StoreError, shown};

/// Mode of a file of ours.
pub(super) const PRIVATE_FILE: u32 = 0o600;

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading; the file must be there.
    Read,
    /// Reading, and writing at the end; made if it is not there.
    Append,
    /// Reading, and writing in place; made if it is not there.
    InPlace,
}

/// Device and inode: whether two handles are one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(crate) const fn of(stat: &Stat) -> Self {
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
        }
    }
}

impl Root {
    /// Opens the file at `path` beneath this folder.
    pub(crate) fn open_file(&self, path: &str, access: Access) -> Result<Handle, StoreError> {
        let place = self.place(path)?;
        // A pipe must not hang us, a terminal not become ours.
        let always = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let flags = match access {
            Access::Read => OFlags::RDONLY,
            Access::Append => OFlags::RDWR | OFlags::APPEND | OFlags::CREATE,
            Access::InPlace => OFlags::RDWR | OFlags::CREATE,
        };
        // The kernel takes a mode only where a file may be made.
        let mode = match access {
            Access::Read => Mode::empty(),
            Access::Append | Access::InPlace => Mode::from_raw_mode(PRIVATE_FILE),
        };
        let file = place.open(place.name, flags | always, mode)?;
        let stat = rustix::fs::fstat(&file).map_err(|errno| place.error(errno, "look at"))?;
        match unfit(&stat) {
            Some(kind) => Err(StoreError::Refused {
                path: shown(&place.shown),
                kind,
            }),
            None => Ok(Handle::new(file.into(), self.disk())),
        }
    }

    /// [`Root::open_file`], `None` if there is no such file.
    pub(crate) fn open_if_there(&self, path: &str) -> Result<Option<Handle>, StoreError> {
        match self.open_file(path, Access::Read) {
            Ok(file) => Ok(Some(file)),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Which file stands at `path`; `None` if none does.
    pub(crate) fn file_id(&self, path: &str) -> Result<Option<FileId>, StoreError> {
        Ok(self.stat(path)?.map(|stat| FileId::of(&stat)))
    }

    /// Which file stands at `path`, and its length; `None` if none does.
    pub(crate) fn file_at(&self, path: &str) -> Result<Option<(FileId, u64)>, StoreError> {
        let length = |stat: &Stat| u64::try_from(stat.st_size).unwrap_or(0);
        let stat = self.stat(path)?;
        Ok(stat.map(|stat| (FileId::of(&stat), length(&stat))))
    }
}

/// What disqualifies a file. No link at all is well: it was replaced while it was opened.
pub(super) fn unfit(stat: &Stat) -> Option<FileKind> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_nlink > 1 => Some(FileKind::HardLink),
        FileType::RegularFile => None,
        FileType::Symlink => Some(FileKind::Symlink),
        FileType::Directory => Some(FileKind::Folder),
        FileType::Fifo | FileType::Socket => Some(FileKind::Pipe),
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
            Some(FileKind::Device)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_no_file_and_a_file_is_one() {
        let kind = |path: &std::path::Path| unfit(&rustix::fs::stat(path).unwrap());
        assert_eq!(kind("/dev/null".as_ref()), Some(FileKind::Device));
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(kind(file.path()), None);
    }
}
