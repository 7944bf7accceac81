//! The held handle, and folders beneath it.

use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::error::StoreError;

/// Mode of a folder of ours.
const PRIVATE_FOLDER: u32 = 0o700;
/// How often an open is tried again when the kernel saw a rename beside it.
const RENAME_RETRIES: usize = 16;

/// A held handle of a folder.
#[derive(Debug)]
pub(crate) struct Root {
    folder: OwnedFd,
    path: PathBuf,
}

/// A name within a held folder.
pub(super) struct Place<'p> {
    pub(super) folder: OwnedFd,
    pub(super) name: &'p str,
    pub(super) shown: PathBuf,
}

impl Root {
    /// Holds the folder at `path`. The caller chose that path, so links in it are followed.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|errno| StoreError::from_errno(errno, "open", path))?;
        Ok(Self {
            folder,
            path: path.to_owned(),
        })
    }

    /// Holds the folder at `path`, which is made, private, if it is not there.
    pub(crate) fn create(path: &Path) -> Result<Self, StoreError> {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(PRIVATE_FOLDER)
            .create(path)
            .map_err(|error| StoreError::from_io(&error, "create", path))?;
        Self::open(path)
    }

    /// Holds a folder beneath this one.
    pub(crate) fn beneath(&self, path: &str) -> Result<Self, StoreError> {
        Ok(Self {
            folder: self.folder_at(path)?,
            path: self.path.join(path),
        })
    }

    /// Makes a private folder beneath this one unless it is there; its parent must be.
    pub(crate) fn make_folder(&self, path: &str) -> Result<(), StoreError> {
        let place = self.place(path)?;
        match rustix::fs::mkdirat(
            &place.folder,
            place.name,
            Mode::from_raw_mode(PRIVATE_FOLDER),
        ) {
            Ok(()) => rustix::fs::fsync(&place.folder).map_err(|errno| place.error(errno, "sync")),
            Err(Errno::EXIST) => self.folder_at(path).map(drop),
            Err(errno) => Err(place.error(errno, "create")),
        }
    }

    /// Device and inode of the folder.
    pub(crate) fn id(&self) -> Result<super::FileId, StoreError> {
        let stat = rustix::fs::fstat(&self.folder)
            .map_err(|errno| StoreError::from_errno(errno, "look at", &self.path))?;
        Ok(super::FileId::of(&stat))
    }

    /// The file system that the folder is on.
    pub(super) fn file_system(&self) -> Result<rustix::fs::StatVfs, StoreError> {
        rustix::fs::fstatvfs(&self.folder)
            .map_err(|errno| StoreError::from_errno(errno, "look at", &self.path))
    }

    /// Where the folder lies, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where a path beneath the folder lies, for messages.
    pub(crate) fn shown(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    /// Takes a path apart into a held folder and the name within it.
    pub(super) fn place<'p>(&self, path: &'p str) -> Result<Place<'p>, StoreError> {
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        Ok(Place {
            folder: self.folder_at(folder)?,
            name,
            shown: self.shown(path),
        })
    }

    /// Opens a folder beneath this one, through no link.
    pub(super) fn folder_at(&self, path: &str) -> Result<OwnedFd, StoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        open_beneath(&self.folder, path, flags, Mode::empty())
            .map_err(|errno| StoreError::from_errno(errno, "open", &self.shown(path)))
    }
}

impl Place<'_> {
    pub(super) fn error(&self, errno: Errno, doing: &'static str) -> StoreError {
        StoreError::from_errno(errno, doing, &self.shown)
    }

    /// What stands at this place, its own link not followed; `None` if nothing does.
    pub(super) fn stat(&self) -> Result<Option<rustix::fs::Stat>, StoreError> {
        match rustix::fs::statat(&self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.error(errno, "look at")),
        }
    }
}

/// `openat2` that stays beneath the handle and follows no link.
pub(super) fn open_beneath(
    folder: &OwnedFd,
    path: &str,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..RENAME_RETRIES {
        match rustix::fs::openat2(folder, path, flags, mode, resolve) {
            // The kernel could not rule out that a rename beside us led outside.
            Err(Errno::AGAIN) => {}
            // A signal arrived first.
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
    Err(Errno::AGAIN)
}
