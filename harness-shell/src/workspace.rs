//! The one folder that a command may touch.
//!
//! A path is judged beneath a held handle of the folder, by the kernel (`openat2`, `BENEATH`, no
//! magic links), so that neither `..` nor a symlink leads out. The judgement refuses early and
//! explains; what enforces is the confinement of the process.

#[cfg(target_os = "linux")]
use std::cell::RefCell;
use std::fs;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::decision::quoted;

/// Bytes of a path at most.
const MAX_PATH: usize = 4096;

/// Folders that are no workspace, nor is a folder that holds one of them.
const NEVER: &[&str] = &[
    "/bin", "/boot", "/dev", "/etc", "/lib", "/proc", "/run", "/sbin", "/sys", "/usr",
];

/// The folder, held open.
#[derive(Clone, Debug)]
pub struct Workspace {
    path: PathBuf,
    handle: Arc<fs::File>,
}

/// Why a folder is no workspace.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The operator's fault: it is not there, no folder, or not ours to read.
    #[error("the workspace {path} cannot be used")]
    Unusable {
        /// The path, escaped.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The operator's fault: the system lives there.
    #[error("the workspace {path} is or holds a folder of the system: name a folder of its own")]
    System {
        /// The path, escaped.
        path: String,
    },
    /// The operator's fault: what no agent may touch lies in it, or it in that.
    #[error("the workspace {path} and {other} lie in one another: keep them apart")]
    NotApart {
        /// The path, escaped.
        path: String,
        /// What it must be apart from, escaped.
        other: String,
    },
}

/// Why a path is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathRefusal {
    /// Empty, too long, or with a zero byte.
    #[error("{0} is no path")]
    Malformed(String),
    /// It leads out of the workspace, by name or through a link.
    #[error("{0} leads out of the workspace")]
    Outside(String),
    /// A FIFO, a socket or a device: reading it may never end.
    #[error("{0} is neither a file nor a folder")]
    Special(String),
    /// The system would not say.
    #[error("{0} cannot be checked")]
    Unchecked(String),
}

impl Workspace {
    /// Holds the folder at `path`, which must lie apart from each of `others`: the root of the
    /// harness, its configuration, and what else no command may touch.
    ///
    /// # Errors
    /// See [`WorkspaceError`].
    pub fn open(path: &Path, others: &[&Path]) -> Result<Self, WorkspaceError> {
        let shown = quoted(&path.to_string_lossy());
        let unusable = |source| WorkspaceError::Unusable {
            path: shown.clone(),
            source,
        };
        let path = fs::canonicalize(path).map_err(unusable)?;
        let overlaps = |other: &Path| path.starts_with(other) || other.starts_with(&path);
        if NEVER.iter().any(|never| overlaps(Path::new(never))) {
            return Err(WorkspaceError::System { path: shown });
        }
        for other in others {
            // What does not exist yet is compared by its spelling.
            let resolved = fs::canonicalize(other).unwrap_or_else(|_| other.to_path_buf());
            if overlaps(&resolved) {
                return Err(WorkspaceError::NotApart {
                    path: shown,
                    other: quoted(&other.to_string_lossy()),
                });
            }
        }
        let handle = fs::File::open(&path).map_err(unusable)?;
        if !handle.metadata().map_err(unusable)?.is_dir() {
            return Err(unusable(io::ErrorKind::NotADirectory.into()));
        }
        Ok(Self {
            path,
            handle: Arc::new(handle),
        })
    }

    /// Where it is: absolute, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether `argument` stays inside, as a command that runs in the workspace reads it.
    ///
    /// # Errors
    /// See [`PathRefusal`].
    pub fn admits(&self, argument: &str) -> Result<(), PathRefusal> {
        self.lookup().admits(argument)
    }

    /// For many paths of one command: it is asked once for all of them what lies in a folder.
    pub(crate) const fn lookup(&self) -> Lookup<'_> {
        Lookup {
            workspace: self,
            #[cfg(target_os = "linux")]
            folder: RefCell::new(None),
        }
    }

    /// The folder, held open: what is looked up from here stays here, whatever its name becomes.
    pub fn handle(&self) -> &fs::File {
        &self.handle
    }

    /// A folder beneath this one, held by its path.
    #[cfg(target_os = "linux")]
    fn folder(&self, path: &str) -> Option<(String, OwnedFd)> {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let opened = openat2(&*self.handle, path, flags, Mode::empty(), resolve).ok()?;
        Some((path.to_owned(), opened))
    }

    #[cfg(target_os = "linux")]
    fn resolves(&self, argument: &str, beneath: &Path) -> Result<(), PathRefusal> {
        use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
        use rustix::io::Errno;

        /// Times that a lookup may be disturbed by a rename.
        const ATTEMPTS: usize = 4;
        let shown = || quoted(argument);
        for _ in 0..ATTEMPTS {
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
            match openat2(&*self.handle, beneath, flags, Mode::empty(), resolve) {
                Ok(found) => {
                    let stat = fstat(&found).map_err(|_| PathRefusal::Unchecked(shown()))?;
                    return match FileType::from_raw_mode(stat.st_mode) {
                        FileType::RegularFile | FileType::Directory => Ok(()),
                        _ => Err(PathRefusal::Special(shown())),
                    };
                }
                // What is not there can be neither read nor followed.
                Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
                Err(Errno::XDEV | Errno::LOOP) => return Err(PathRefusal::Outside(shown())),
                Err(Errno::AGAIN) => {}
                Err(_) => break,
            }
        }
        Err(PathRefusal::Unchecked(shown()))
    }

    #[cfg(not(target_os = "linux"))]
    fn resolves(&self, argument: &str, beneath: &Path) -> Result<(), PathRefusal> {
        let shown = || quoted(argument);
        match fs::canonicalize(self.path.join(beneath)) {
            Ok(found) if !found.starts_with(&self.path) => Err(PathRefusal::Outside(shown())),
            Ok(found) => match fs::metadata(found) {
                Ok(meta) if meta.is_file() || meta.is_dir() => Ok(()),
                Ok(_) => Err(PathRefusal::Special(shown())),
                Err(_) => Err(PathRefusal::Unchecked(shown())),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(_) => Err(PathRefusal::Unchecked(shown())),
        }
    }
}

/// Look-ups of one decision.
#[derive(Debug)]
pub(crate) struct Lookup<'w> {
    workspace: &'w Workspace,
    /// A folder of the workspace, held: the one that the last path lay in.
    #[cfg(target_os = "linux")]
    folder: RefCell<Option<(String, OwnedFd)>>,
}

impl Lookup<'_> {
    /// As [`Workspace::admits`].
    pub(crate) fn admits(&self, argument: &str) -> Result<(), PathRefusal> {
        let beneath = relative(argument, &self.workspace.path)?;
        #[cfg(target_os = "linux")]
        if self.is_plainly_there(beneath) {
            return Ok(());
        }
        self.workspace.resolves(argument, beneath)
    }

    /// Whether the path is that of a file or a folder, or of nothing, and no link at its end has a
    /// say in it. What lies in the folder of the path before takes one call of the system to tell.
    #[cfg(target_os = "linux")]
    fn is_plainly_there(&self, beneath: &Path) -> bool {
        use rustix::fs::{AtFlags, FileType, statat};
        use rustix::io::Errno;

        let Some(path) = beneath.to_str() else {
            return false;
        };
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        if matches!(name, "" | "." | "..") {
            return false;
        }
        let mut held = self.folder.borrow_mut();
        if folder != "." && held.as_ref().is_none_or(|(path, _)| path != folder) {
            *held = self.workspace.folder(folder);
        }
        let handle = match &*held {
            _ if folder == "." => self.workspace.handle.as_fd(),
            Some((_, handle)) => handle.as_fd(),
            None => return false,
        };
        match statat(handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => matches!(
                FileType::from_raw_mode(stat.st_mode),
                FileType::RegularFile | FileType::Directory
            ),
            Err(error) => error == Errno::NOENT,
        }
    }
}

/// `argument` relative to `root`, judged by its spelling: no prefix of it leaves the folder.
pub(crate) fn relative<'a>(argument: &'a str, root: &Path) -> Result<&'a Path, PathRefusal> {
    let shown = || quoted(argument);
    if argument.is_empty() || argument.len() > MAX_PATH || argument.contains('\0') {
        return Err(PathRefusal::Malformed(shown()));
    }
    let path = Path::new(argument);
    let beneath = if path.is_absolute() {
        path.strip_prefix(root)
            .map_err(|_| PathRefusal::Outside(shown()))?
    } else {
        path
    };
    let mut depth = 0_usize;
    for component in beneath.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => {
                depth = depth
                    .checked_sub(1)
                    .ok_or_else(|| PathRefusal::Outside(shown()))?;
            }
            Component::RootDir | Component::Prefix(_) => {
                return Err(PathRefusal::Outside(shown()));
            }
        }
    }
    if beneath.as_os_str().is_empty() {
        return Ok(Path::new("."));
    }
    Ok(beneath)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spelling_that_leaves_is_refused_and_its_twin_is_not() {
        let root = Path::new("/srv/work");
        for inside in [
            "a",
            "./a",
            "a/../b",
            "a/b/../../c",
            "/srv/work/a",
            "/srv/work",
            "..a",
            "-",
        ] {
            assert!(relative(inside, root).is_ok(), "{inside}");
        }
        for outside in [
            "..",
            "../a",
            "a/../../b",
            "/etc/passwd",
            "/srv/work/../x",
            "/srv/workshop",
            "/",
        ] {
            assert!(
                matches!(relative(outside, root), Err(PathRefusal::Outside(_))),
                "{outside}"
            );
        }
        assert!(matches!(relative("", root), Err(PathRefusal::Malformed(_))));
        assert!(matches!(
            relative("a\0b", root),
            Err(PathRefusal::Malformed(_))
        ));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_path_is_admitted_alike_alone_and_behind_any_other() {
        use std::os::unix::fs::symlink;
        use std::os::unix::net::UnixListener;

        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for place in ["", "d", "d/e"] {
            let place = root.join(place);
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join("file"), "").unwrap();
            symlink("file", place.join("near")).unwrap();
            symlink("/etc", place.join("far")).unwrap();
            let _socket = UnixListener::bind(place.join("socket")).unwrap();
        }
        let workspace = Workspace::open(root, &[]).unwrap();
        let names = [
            "file",
            "near",
            "far",
            "far/passwd",
            "socket",
            "socket/",
            "none",
            "none/x",
            "file/x",
            ".",
            "..",
        ];
        let paths: Vec<String> = ["", "./", "d/", "d/e/", "d/../", "d/e/../"]
            .iter()
            .flat_map(|place| names.map(|name| format!("{place}{name}")))
            .collect();
        let lookup = workspace.lookup();
        for first in &paths {
            for path in &paths {
                let _ = lookup.admits(first);
                let beneath = relative(path, workspace.path());
                let alone = beneath.and_then(|beneath| workspace.resolves(path, beneath));
                assert_eq!(lookup.admits(path), alone, "{path} behind {first}");
            }
        }
        assert!(lookup.admits("d/near").is_ok());
        assert!(matches!(
            lookup.admits("d/far"),
            Err(PathRefusal::Outside(_))
        ));
        assert!(matches!(
            lookup.admits("d/socket"),
            Err(PathRefusal::Special(_))
        ));
    }

    #[test]
    fn the_system_is_no_workspace() {
        for path in ["/", "/etc", "/usr/share"] {
            assert!(
                matches!(
                    Workspace::open(Path::new(path), &[]),
                    Err(WorkspaceError::System { .. })
                ),
                "{path}"
            );
        }
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        assert!(matches!(
            Workspace::open(folder.path(), &[&root]),
            Err(WorkspaceError::NotApart { .. })
        ));
        let beside = tempfile::tempdir().unwrap();
        assert!(Workspace::open(folder.path(), &[beside.path()]).is_ok());
    }
}
