//! A path that was judged.

use std::io::{self, Read as _};
use std::os::fd::AsRawFd as _;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::io::Errno;

use super::Folder;
use super::change::{PERMISSIONS, place, remove_file, replace_file, stat};
use super::open::{open_file, open_folder};

/// Entries of a folder that are listed at most.
const MAX_LISTED: usize = 10_000;

/// A path beneath the working folder, as the checks left it. Every use goes from the folder's
/// handle, so that a link that is swapped in later leads nowhere.
// INVARIANT: `relative` is plain names joined by `/`, or `.`.
#[derive(Clone, Debug)]
pub struct PermittedPath {
    folder: Arc<Folder>,
    argument: String,
    relative: String,
}

impl PermittedPath {
    pub(super) const fn new(folder: Arc<Folder>, argument: String, relative: String) -> Self {
        Self {
            folder,
            argument,
            relative,
        }
    }

    /// The argument that named it.
    pub fn argument(&self) -> &str {
        &self.argument
    }

    /// The path from the working folder on.
    pub fn relative(&self) -> &str {
        &self.relative
    }

    /// The path for messages. Whoever opens this instead of using the methods here can be led
    /// elsewhere by whoever can change the folder meanwhile.
    pub fn shown(&self) -> PathBuf {
        self.folder.path().join(&self.relative)
    }

    /// Reads a regular file of at most `max` bytes.
    ///
    /// # Errors
    /// What the system says; a pipe, a device, or more bytes than that.
    pub fn read(&self, max: u64) -> io::Result<Vec<u8>> {
        let file = open_file(&self.folder.handle, &self.relative)?;
        let mut bytes = Vec::new();
        file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > max {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("the file has more than {max} bytes"),
            ));
        }
        Ok(bytes)
    }

    /// Writes a file whole: a temporary file beside it, then a rename, so that a reader sees the
    /// old one or the new one. Folders that are missing are made; an existing file keeps its mode.
    ///
    /// # Errors
    /// What the system says; a link or a folder at that place.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        replace_file(&self.folder.handle, &self.relative, bytes, None)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// What the system says; anything but a regular file.
    pub fn remove(&self) -> io::Result<()> {
        remove_file(&self.folder.handle, &self.relative)
    }

    /// The names in a folder, in order.
    ///
    /// # Errors
    /// What the system says; more than 10,000 names.
    pub fn list(&self) -> io::Result<Vec<String>> {
        let folder = open_folder(&self.folder.handle, &self.relative)?;
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::new(folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name == "." || name == ".." {
                continue;
            }
            if names.len() >= MAX_LISTED {
                return Err(io::Error::other(format!(
                    "the folder has more than {MAX_LISTED} entries"
                )));
            }
            names.push(name);
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Writes a file whole, with this mode.
    pub(crate) fn write_with_mode(&self, bytes: &[u8], mode: u32) -> io::Result<()> {
        replace_file(&self.folder.handle, &self.relative, bytes, Some(mode))
    }

    /// The permission bits of what stands there; `None` where nothing does.
    pub(crate) fn mode(&self) -> io::Result<Option<u32>> {
        let (folder, name) = place(&self.folder.handle, &self.relative)?;
        Ok(stat(&folder, name)?.map(|stat| stat.st_mode & PERMISSIONS))
    }

    /// Whether a folder stands there.
    pub(crate) fn is_folder(&self) -> bool {
        open_folder(&self.folder.handle, &self.relative).is_ok()
    }

    /// One spelling for one file: links in its folders resolved, as far as those are there.
    pub(crate) fn canonical(&self) -> io::Result<String> {
        let root = &self.folder.handle;
        let (mut folder, name) = self
            .relative
            .rsplit_once('/')
            .unwrap_or((".", &self.relative));
        let mut missing = vec![name];
        loop {
            match open_folder(root, folder) {
                Ok(held) => {
                    let link = format!("/proc/self/fd/{}", held.as_raw_fd());
                    let mut path = std::fs::read_link(link)?;
                    path.extend(missing.iter().rev());
                    let beneath = path.strip_prefix(self.folder.path()).unwrap_or(&path);
                    return Ok(beneath.to_string_lossy().into_owned());
                }
                Err(Errno::NOENT) if folder != "." => {
                    let (above, last) = folder.rsplit_once('/').unwrap_or((".", folder));
                    missing.push(last);
                    folder = above;
                }
                Err(errno) => return Err(errno.into()),
            }
        }
    }
}
