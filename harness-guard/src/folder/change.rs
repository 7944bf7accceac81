//! Changing a file in one step.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::open::{open_beneath, open_folder};

/// Mode of a file that was not there, before the process's mask.
const NEW_FILE: u32 = 0o666;
/// Mode of a folder that was not there, before the process's mask.
const NEW_FOLDER: u32 = 0o777;
/// The permission bits of a mode.
pub(crate) const PERMISSIONS: u32 = 0o7777;
/// Those that other content may have: whose name a program runs in was said of the old one.
const KEPT: u32 = 0o777;

/// The folder of a relative path, held, and the last name.
pub(crate) fn place<'p>(root: &OwnedFd, path: &'p str) -> io::Result<(OwnedFd, &'p str)> {
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    if name == "." {
        return Err(unfit("the folder itself"));
    }
    Ok((open_folder(root, folder)?, name))
}

/// What stands at a name, a link not followed; `None` if nothing does.
pub(crate) fn stat(folder: &OwnedFd, name: &str) -> io::Result<Option<Stat>> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// Puts `bytes` at `path`, with `mode` or the mode that the file had.
pub(crate) fn replace_file(
    root: &OwnedFd,
    path: &str,
    bytes: &[u8],
    mode: Option<u32>,
) -> io::Result<()> {
    make_folders(root, path)?;
    let (folder, name) = place(root, path)?;
    let there = stat(&folder, name)?;
    regular_or_nothing(there.as_ref())?;
    let temporary = format!(".{:016x}.tmp", random()?);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = open_beneath(
        &folder,
        &temporary,
        flags,
        Mode::from_raw_mode(mode.unwrap_or(NEW_FILE) & 0o666),
    )?;
    let mode = mode.or(there.map(|stat| stat.st_mode & KEPT));
    let mut file = File::from(file);
    let outcome = file
        .write_all(bytes)
        .and_then(|()| match mode {
            Some(mode) => Ok(rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?),
            None => Ok(()),
        })
        .and_then(|()| file.sync_all())
        .and_then(|()| Ok(rustix::fs::renameat(&folder, &temporary, &folder, name)?));
    if outcome.is_err() {
        // If this fails too, a temporary file is left beside the old one, which is whole.
        let _ = rustix::fs::unlinkat(&folder, &temporary, AtFlags::empty());
    }
    outcome
}

/// Removes the regular file at `path`.
pub(crate) fn remove_file(root: &OwnedFd, path: &str) -> io::Result<()> {
    let (folder, name) = place(root, path)?;
    regular_or_nothing(stat(&folder, name)?.as_ref())?;
    Ok(rustix::fs::unlinkat(&folder, name, AtFlags::empty())?)
}

/// Makes the folders that `path` needs and that are not there.
fn make_folders(root: &OwnedFd, path: &str) -> io::Result<()> {
    for (at, _) in path.match_indices('/') {
        let folder = path.get(..at).unwrap_or_default();
        if matches!(open_folder(root, folder), Err(Errno::NOENT)) {
            let (parent, name) = place(root, folder)?;
            match rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(NEW_FOLDER)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }
    Ok(())
}

fn regular_or_nothing(there: Option<&Stat>) -> io::Result<()> {
    match there.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        None | Some(FileType::RegularFile) => Ok(()),
        Some(FileType::Directory) => Err(unfit("a folder")),
        Some(_) => Err(unfit("a link, a pipe or a device")),
    }
}

fn unfit(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("at this place is {what}"),
    )
}

fn random() -> io::Result<u64> {
    getrandom::u64().map_err(io::Error::other)
}
