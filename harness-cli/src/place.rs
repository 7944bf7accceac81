//! A folder with a workspace of its own, its configuration and an agent's files: where the demo and
//! the attacks live.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use harness_core::Quoted;
use harness_store::WorkspacePaths;

use crate::exit::Problem;

/// For this user only.
const PRIVATE: u32 = 0o700;

/// The folder; a temporary one is removed with this value.
#[derive(Debug)]
pub(crate) struct Place {
    folder: PathBuf,
    kept: bool,
}

impl Place {
    /// A folder to keep.
    ///
    /// # Errors
    /// It holds something already, or cannot be made.
    pub(crate) fn keep(folder: &Path) -> Result<Self> {
        let shown = Quoted(&folder.to_string_lossy()).to_string();
        let is_empty = match fs::read_dir(folder) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(Problem::usage(format!("{shown}: {error}")).into()),
        };
        if !is_empty {
            let message =
                format!("{shown} is not empty: give `--keep` a folder that is, or a new one");
            return Err(Problem::usage(message).into());
        }
        make(folder, true).with_context(|| shown)?;
        Self::filled(fs::canonicalize(folder)?, true)
    }

    /// A folder that is removed.
    ///
    /// # Errors
    /// None can be made in `parent`.
    pub(crate) fn temporary(parent: &Path) -> Result<Self> {
        /// Names that are tried.
        const TRIES: u32 = 100;
        let process = std::process::id();
        for attempt in 0..TRIES {
            let folder = parent.join(format!("harness-{process}-{attempt}"));
            match make(&folder, false) {
                Ok(()) => return Self::filled(folder, false),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(error)
                        .with_context(|| Quoted(&folder.to_string_lossy()).to_string());
                }
            }
        }
        Err(
            Problem::usage("no temporary folder can be made: set TMPDIR, or remove old ones")
                .into(),
        )
    }

    fn filled(folder: PathBuf, kept: bool) -> Result<Self> {
        let place = Self { folder, kept };
        make(&place.work(), false)?;
        Ok(place)
    }

    /// The folder itself.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether it stays.
    pub(crate) const fn is_kept(&self) -> bool {
        self.kept
    }

    /// The workspace.
    pub(crate) fn paths(&self) -> WorkspacePaths {
        WorkspacePaths {
            root: self.folder.join("workspace"),
            config_dir: self.folder.join("config"),
        }
    }

    /// The agent's folders, one a session.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    /// Where a copy to tamper with goes.
    pub(crate) fn copy(&self) -> PathBuf {
        self.folder.join("tampered-copy")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.kept {
            // What cannot be removed is left to whoever cleans the temporary folder.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn make(folder: &Path, with_parents: bool) -> io::Result<()> {
    DirBuilder::new()
        .mode(PRIVATE)
        .recursive(with_parents)
        .create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_place_is_gone_with_its_value_and_a_kept_one_stays() {
        let parent = tempfile::tempdir().unwrap();
        let temporary = Place::temporary(parent.path()).unwrap();
        let folder = temporary.folder.clone();
        assert!(folder.join("work").is_dir());
        drop(temporary);
        assert!(!folder.exists());
        let kept = Place::keep(&parent.path().join("a/b")).unwrap();
        let folder = kept.folder.clone();
        drop(kept);
        assert!(folder.join("work").is_dir());
    }

    #[test]
    fn a_folder_with_something_in_it_is_refused_and_an_empty_one_taken() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        fs::write(&file, "").unwrap();
        let error = Place::keep(folder.path()).unwrap_err().to_string();
        assert!(error.contains("is not empty"), "{error}");
        fs::remove_file(file).unwrap();
        assert!(Place::keep(folder.path()).is_ok());
    }
}
