//! The way back: every file that a call was about to change, as it was.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use harness_store::wire::sha256;

use crate::folder::PermittedPath;

/// Bytes of one file that are kept; a larger one cannot be put back, so it is not changed.
const MAX_FILE: u64 = 64 << 20;
/// Files that are kept.
const MAX_FILES: usize = 10_000;

/// Keeps files before a call changes them, and puts them back.
///
/// What somebody else changed after the call is left alone: only a file that is still as a call of
/// this session left it is put back. The backups are removed when this is dropped.
#[derive(Debug)]
pub struct FileRollback {
    backups: PathBuf,
    kept: Mutex<BTreeMap<String, Kept>>,
}

/// What became of a rollback.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// Files put back, the ones removed that were not there before included.
    pub restored: Vec<String>,
    /// Files that somebody changed since, left as they are.
    pub kept: Vec<String>,
    /// Files that could not be put back.
    pub failed: Vec<String>,
}

/// A file's bytes and mode, or what else is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Absent,
    Folder,
    File { digest: [u8; 32], mode: u32 },
}

#[derive(Debug)]
struct Kept {
    path: PermittedPath,
    before: State,
    /// Where its bytes are, if there were any.
    backup: PathBuf,
    /// As the last call left it; unknown while one is changing it.
    after: Option<State>,
}

impl FileRollback {
    /// A rollback whose backups lie in a new private folder in `place`, which must not be beneath
    /// the working folder.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn new(place: &Path) -> io::Result<Self> {
        let random = getrandom::u64().map_err(io::Error::other)?;
        let backups = place.join(format!("harness-backups-{random:016x}"));
        DirBuilder::new().mode(0o700).create(&backups)?;
        Ok(Self {
            backups,
            kept: Mutex::new(BTreeMap::new()),
        })
    }

    /// Where the backups lie.
    pub(crate) fn place(&self) -> &Path {
        &self.backups
    }

    /// How many files are kept.
    pub fn len(&self) -> usize {
        self.held().len()
    }

    /// Which.
    pub(crate) fn changed(&self) -> Vec<String> {
        self.held().keys().cloned().collect()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.held().is_empty()
    }

    /// Keeps a file that is about to change. One that is kept already and was changed by somebody
    /// else since is kept anew: there is no way back behind what a user did.
    pub(crate) fn before(&self, path: &PermittedPath) -> io::Result<()> {
        let mut all = self.held();
        let name = path.canonical()?;
        let (state, bytes) = look(path)?;
        if let Some(kept) = all.get_mut(&name)
            && (kept.after == Some(state) || kept.before == state)
        {
            kept.after = None;
            return Ok(());
        }
        if all.len() >= MAX_FILES && !all.contains_key(&name) {
            return Err(io::Error::other("too many files are kept"));
        }
        let random = getrandom::u64().map_err(io::Error::other)?;
        let backup = self.backups.join(format!("{random:016x}"));
        if let Some(bytes) = bytes {
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&backup)?;
            file.write_all(&bytes)?;
        }
        let kept = Kept {
            path: path.clone(),
            before: state,
            backup,
            after: None,
        };
        if let Some(old) = all.insert(name, kept) {
            // Left behind where this fails; the folder goes as a whole.
            let _ = fs::remove_file(old.backup);
        }
        Ok(())
    }

    /// Notes how a call left a file.
    pub(crate) fn after(&self, path: &PermittedPath) {
        let Ok(name) = path.canonical() else { return };
        let state = look(path).ok().map(|(state, _)| state);
        if let Some(kept) = self.held().get_mut(&name) {
            kept.after = state;
        }
    }

    /// Puts back every file that is still as a call left it.
    pub fn restore(&self) -> RolledBack {
        let mut done = RolledBack::default();
        for (name, kept) in std::mem::take(&mut *self.held()) {
            match look(&kept.path).map(|(state, _)| state) {
                Ok(now) if now == kept.before => {}
                Ok(now) if Some(now) != kept.after => done.kept.push(name),
                Ok(_) => match put_back(&kept) {
                    Ok(()) => done.restored.push(name),
                    Err(_) => done.failed.push(name),
                },
                Err(_) => done.failed.push(name),
            }
        }
        done
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        // A panic elsewhere leaves whole entries behind.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for FileRollback {
    fn drop(&mut self) {
        // Private, of a name of our own; what cannot be removed is left to the system's cleaner.
        let _ = fs::remove_dir_all(&self.backups);
    }
}

fn look(path: &PermittedPath) -> io::Result<(State, Option<Vec<u8>>)> {
    let mode = match path.mode() {
        // A folder is made or left; there are no bytes of it to keep.
        Ok(Some(_)) if path.is_folder() => return Ok((State::Folder, None)),
        Ok(Some(mode)) => mode,
        Ok(None) => return Ok((State::Absent, None)),
        // Nor is the folder that it would be in.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((State::Absent, None)),
        Err(error) => return Err(error),
    };
    let bytes = path.read(MAX_FILE)?;
    let digest = sha256(&bytes);
    Ok((State::File { digest, mode }, Some(bytes)))
}

fn put_back(kept: &Kept) -> io::Result<()> {
    match kept.before {
        State::Absent => kept.path.remove(),
        State::Folder => Err(io::Error::other("a folder is not put back")),
        State::File { digest, mode } => {
            let bytes = fs::read(&kept.backup)?;
            if sha256(&bytes) != digest {
                return Err(io::Error::other("the backup was changed"));
            }
            kept.path.write_with_mode(&bytes, mode)
        }
    }
}
