//! The working folder: a held handle, and paths that stay beneath it.
//!
//! A path is judged by the kernel from the handle on, not by its spelling, and every later use
//! goes from the handle again: what is swapped in between leads nowhere else.

mod change;
mod open;
mod permitted;

use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

pub use permitted::PermittedPath;

use open::open_beneath;

/// Names in a path at most.
const MAX_NAMES: usize = 128;

/// A working folder cannot be held. The operator's or the host's fault.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be opened as a folder.
    #[error("the working folder cannot be opened: {0}")]
    Unusable(std::io::Error),
    /// The workspace of the harness, or its configuration, and the working folder overlap.
    #[error("the working folder and `{}` overlap: an agent must not reach it", .0.display())]
    Overlaps(PathBuf),
}

/// A held working folder.
#[derive(Debug)]
pub struct Folder {
    handle: OwnedFd,
    path: PathBuf,
    kept_away: Vec<PathBuf>,
}

/// What a path is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Reading; a link that stays beneath is followed.
    Look,
    /// Changing; the last name must be no link.
    Change,
}

/// Why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathFault {
    /// It leads out.
    Outside,
    /// It names neither a file nor a folder, or a link that would be changed.
    Unfit,
    /// It cannot be looked at.
    Unusable,
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing.
    Nothing,
    /// A file of this many bytes.
    File(u64),
    /// A folder.
    Folder,
}

impl Folder {
    /// Holds the folder at `path`, of which no part may be reached from `kept_away`, the folders of
    /// the harness itself.
    ///
    /// # Errors
    /// It is no folder, or overlaps with one that is kept away.
    pub fn open(path: &Path, kept_away: &[PathBuf]) -> Result<Self, FolderError> {
        let path = path.canonicalize().map_err(FolderError::Unusable)?;
        for kept in kept_away {
            // One that does not exist yet is compared as it is spelled.
            let place = kept.canonicalize().unwrap_or_else(|_| kept.clone());
            if place.starts_with(&path) || path.starts_with(&place) {
                return Err(FolderError::Overlaps(kept.clone()));
            }
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(&path, flags, Mode::empty())
            .map_err(|errno| FolderError::Unusable(errno.into()))?;
        Ok(Self {
            handle,
            path,
            kept_away: kept_away.to_vec(),
        })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folders that no part of it may reach.
    pub(crate) fn kept_away(&self) -> &[PathBuf] {
        &self.kept_away
    }

    /// Judges a path that a call names.
    pub(crate) fn judge(
        self: &Arc<Self>,
        argument: &str,
        text: &str,
        purpose: Purpose,
    ) -> Result<(PermittedPath, Standing), PathFault> {
        let relative = self.relative(text)?;
        let standing = self.standing(&relative, purpose)?;
        let path = PermittedPath::new(Arc::clone(self), argument.to_owned(), relative);
        Ok((path, standing))
    }

    /// The path from the folder on: plain names, or `.` for the folder itself.
    fn relative(&self, text: &str) -> Result<String, PathFault> {
        if text.contains('\0') {
            return Err(PathFault::Unfit);
        }
        // A shell's way to name a home; whoever opens the path might read it so.
        if text.starts_with('~') {
            return Err(PathFault::Outside);
        }
        let path = Path::new(text);
        let beneath = if path.is_absolute() {
            path.strip_prefix(&self.path)
                .map_err(|_| PathFault::Outside)?
        } else {
            path
        };
        let mut names = Vec::new();
        for component in beneath.components() {
            match component {
                Component::Normal(name) => names.push(name.to_str().ok_or(PathFault::Unfit)?),
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(PathFault::Outside);
                }
            }
        }
        match names.len() {
            0 => Ok(".".to_owned()),
            1..=MAX_NAMES => Ok(names.join("/")),
            _ => Err(PathFault::Unusable),
        }
    }

    /// What stands at a relative path; where nothing does, the folder it would be in must be
    /// beneath too.
    fn standing(&self, relative: &str, purpose: Purpose) -> Result<Standing, PathFault> {
        let flags = match purpose {
            Purpose::Look => OFlags::PATH | OFlags::CLOEXEC,
            Purpose::Change => OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW,
        };
        match open_beneath(&self.handle, relative, flags, Mode::empty()) {
            Ok(found) => {
                let stat = rustix::fs::fstat(&found).map_err(|_| PathFault::Unusable)?;
                match FileType::from_raw_mode(stat.st_mode) {
                    FileType::RegularFile => {
                        Ok(Standing::File(u64::try_from(stat.st_size).unwrap_or(0)))
                    }
                    FileType::Directory => Ok(Standing::Folder),
                    _ => Err(PathFault::Unfit),
                }
            }
            Err(Errno::NOENT) => match relative.rsplit_once('/') {
                None => Ok(Standing::Nothing),
                Some((folder, _)) => match self.standing(folder, Purpose::Look)? {
                    Standing::Folder | Standing::Nothing => Ok(Standing::Nothing),
                    Standing::File(_) => Err(PathFault::Unfit),
                },
            },
            Err(Errno::XDEV) => Err(PathFault::Outside),
            Err(Errno::LOOP) => Err(PathFault::Unfit),
            Err(_) => Err(PathFault::Unusable),
        }
    }
}
