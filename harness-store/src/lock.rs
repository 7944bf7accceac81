//! The writers' lock: a kernel lock on a file that holds nothing, freed by the kernel whatever
//! becomes of its holder.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::StoreError;
use crate::root::{Access, FileId, Handle, Root};

/// First pause between two tries.
const FIRST_PAUSE: Duration = Duration::from_micros(200);
/// Longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_millis(5);
/// How often the file is opened anew where another stands in its place after each opening.
const REOPENINGS: usize = 4;

/// A lock file. Who removes it, because it looks like one that somebody left behind, or puts
/// another in its place, or another folder in the place of its own, makes no second lock of it: what
/// counts is the file that stands there.
#[derive(Debug)]
pub(crate) struct LockFile {
    root: Arc<Root>,
    path: String,
    file: Mutex<Standing>,
}

/// The file as it was opened, in the folder that stood at its place.
#[derive(Debug)]
struct Standing {
    folder: Root,
    folder_id: FileId,
    file: Handle,
    id: FileId,
}

/// The lock, held until this is dropped.
#[derive(Debug)]
pub(crate) struct Held(Handle);

/// Pauses that double.
#[derive(Debug)]
pub(crate) struct BackOff(Duration);

impl LockFile {
    /// Opens (and makes) the lock file at `path`.
    pub(crate) fn open(root: &Arc<Root>, path: &str) -> Result<Self, StoreError> {
        Ok(Self {
            root: Arc::clone(root),
            path: path.to_owned(),
            file: Mutex::new(Standing::open(root, path)?),
        })
    }

    /// Takes the lock if nobody holds it, not even this process through another opening.
    pub(crate) fn try_lock(&self) -> Result<Option<Held>, StoreError> {
        for _ in 0..REOPENINGS {
            let mut standing = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            if !standing
                .file
                .try_lock()
                .map_err(|error| self.failed(&error))?
            {
                return Ok(None);
            }
            let held = Held(standing.file.clone());
            if standing.still_is(&self.root, &self.path)? {
                return Ok(Some(held));
            }
            *standing = Standing::open(&self.root, &self.path)?;
        }
        Ok(None)
    }

    /// Takes the lock, trying until `wait` has gone by.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if somebody held it all the while.
    pub(crate) fn lock_within(&self, wait: Duration) -> Result<Held, StoreError> {
        let began = Instant::now();
        let mut back_off = BackOff::new();
        loop {
            if let Some(held) = self.try_lock()? {
                return Ok(held);
            }
            if began.elapsed() >= wait {
                return Err(StoreError::Busy {
                    waited: began.elapsed(),
                });
            }
            std::thread::sleep(back_off.next_pause());
        }
    }

    fn failed(&self, error: &std::io::Error) -> StoreError {
        failed(&self.path, error)
    }
}

impl Standing {
    fn open(root: &Root, path: &str) -> Result<Self, StoreError> {
        let (folder, name) = parted(path);
        let folder = root.beneath(folder)?;
        let file = folder.open_file(name, Access::InPlace)?;
        let (id, _) = file.standing().map_err(|error| failed(path, &error))?;
        Ok(Self {
            folder_id: folder.id()?,
            folder,
            file,
            id,
        })
    }

    /// Whether both still stand there. Held handles spare the way along the path.
    fn still_is(&self, root: &Root, path: &str) -> Result<bool, StoreError> {
        let (folder, name) = parted(path);
        Ok(root.file_id(folder)? == Some(self.folder_id)
            && self.folder.file_id(name)? == Some(self.id))
    }
}

/// The folder and the name within it.
fn parted(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}

fn failed(path: &str, error: &std::io::Error) -> StoreError {
    StoreError::from_io(error, "lock", Path::new(path))
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.unlock();
    }
}

impl BackOff {
    pub(crate) const fn new() -> Self {
        Self(FIRST_PAUSE)
    }

    /// The next pause.
    pub(crate) fn next_pause(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(LONGEST_PAUSE);
        pause
    }
}
