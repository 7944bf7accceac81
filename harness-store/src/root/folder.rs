//! The held handle, and folders beneath it.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, Stat};
use rustix::io::Errno;

use super::disk::{At, Disk, Kernel};
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
    disk: Arc<dyn Disk>,
}

/// A name within a held folder.
pub(super) struct Place<'p> {
    pub(super) folder: OwnedFd,
    pub(super) name: &'p str,
    pub(super) shown: PathBuf,
    disk: Arc<dyn Disk>,
}

impl Root {
    /// Holds the folder at `path`. The caller chose that path, so links in it are followed.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_on(path, Arc::new(Kernel))
    }

    /// [`Root::open`], and what is beneath it through `disk`.
    pub(crate) fn open_on(path: &Path, disk: Arc<dyn Disk>) -> Result<Self, StoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|errno| StoreError::from_errno(errno, "open", path))?;
        Ok(Self {
            folder,
            path: path.to_owned(),
            disk,
        })
    }

    /// Holds the folder at `path`, which is made, private, if it is not there.
    pub(crate) fn create(path: &Path) -> Result<Self, StoreError> {
        Self::create_on(path, Arc::new(Kernel))
    }

    /// [`Root::create`], and what is beneath it through `disk`. Folders that were made on the way
    /// are durable.
    pub(crate) fn create_on(path: &Path, disk: Arc<dyn Disk>) -> Result<Self, StoreError> {
        let made: Vec<&Path> = path.ancestors().take_while(|at| !at.exists()).collect();
        let error = |error| StoreError::from_io(&error, "create", path);
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(PRIVATE_FOLDER)
            .create(path)
            .map_err(error)?;
        for parent in made.iter().filter_map(|folder| folder.parent()) {
            let parent = if parent.as_os_str().is_empty() {
                Path::new(".")
            } else {
                parent
            };
            File::open(parent)
                .and_then(|folder| folder.sync_all())
                .map_err(error)?;
        }
        Self::open_on(path, disk)
    }

    /// Holds a folder beneath this one.
    pub(crate) fn beneath(&self, path: &str) -> Result<Self, StoreError> {
        Ok(Self {
            folder: self.folder_at(path)?,
            path: self.path.join(path),
            disk: self.disk(),
        })
    }

    /// Makes a private folder beneath this one unless it is there; its parent must be.
    pub(crate) fn make_folder(&self, path: &str) -> Result<(), StoreError> {
        let place = self.place(path)?;
        match self
            .disk
            .make_folder(place.at(), Mode::from_raw_mode(PRIVATE_FOLDER))
        {
            Ok(()) => place.sync_names(),
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

    /// What it reads and writes through.
    pub(super) fn disk(&self) -> Arc<dyn Disk> {
        Arc::clone(&self.disk)
    }

    /// Takes a path apart into a held folder and the name within it.
    pub(super) fn place<'p>(&self, path: &'p str) -> Result<Place<'p>, StoreError> {
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        Ok(Place {
            folder: self.folder_at(folder)?,
            name,
            shown: self.shown(path),
            disk: self.disk(),
        })
    }

    /// What stands at `path`, its own link not followed; `None` if nothing does.
    pub(super) fn stat(&self, path: &str) -> Result<Option<Stat>, StoreError> {
        if path.contains('/') {
            return self.place(path)?.stat();
        }
        // The folder is held already.
        match self.disk.stat((self.folder.as_fd(), path)) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(StoreError::from_errno(errno, "look at", &self.shown(path))),
        }
    }

    /// Opens a folder beneath this one, through no link.
    pub(super) fn folder_at(&self, path: &str) -> Result<OwnedFd, StoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        open_beneath(
            &*self.disk,
            (self.folder.as_fd(), path),
            flags,
            Mode::empty(),
        )
        .map_err(|errno| StoreError::from_errno(errno, "open", &self.shown(path)))
    }
}

impl Place<'_> {
    pub(super) fn error(&self, errno: Errno, doing: &'static str) -> StoreError {
        StoreError::from_errno(errno, doing, &self.shown)
    }

    /// The place, for the disk.
    pub(super) fn at(&self) -> At<'_> {
        (self.folder.as_fd(), self.name)
    }

    /// Opens the file `name` of this place's folder.
    pub(super) fn open(
        &self,
        name: &str,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd, StoreError> {
        open_beneath(&*self.disk, (self.folder.as_fd(), name), flags, mode)
            .map_err(|errno| self.error(errno, "open"))
    }

    /// Makes the names in this place's folder durable.
    pub(super) fn sync_names(&self) -> Result<(), StoreError> {
        self.disk
            .sync_names(self.folder.as_fd())
            .map_err(|errno| self.error(errno, "sync the folder of"))
    }

    /// What stands at this place, its own link not followed; `None` if nothing does.
    pub(super) fn stat(&self) -> Result<Option<Stat>, StoreError> {
        match self.disk.stat(self.at()) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.error(errno, "look at")),
        }
    }
}

/// Opens, again and again where the kernel asks for that.
fn open_beneath(disk: &dyn Disk, at: At<'_>, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    for _ in 0..RENAME_RETRIES {
        match disk.open(at, flags, mode) {
            // The kernel could not rule out that a rename beside us led outside.
            Err(Errno::AGAIN) => {}
            // A signal arrived first.
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
    Err(Errno::AGAIN)
}
