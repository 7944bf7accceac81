//! The file of a plugin: pinned, read once through one handle, sealed.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use harness_core::Quoted;
use rustix::fs::{
    FileType, MemfdFlags, Mode, OFlags, SealFlags, Stat, fcntl_add_seals, fstat, memfd_create,
    open, openat,
};
use rustix::process::geteuid;
use sha2::{Digest as _, Sha256};

/// Bytes of a library at most.
const MAX_FILE: u64 = 256 << 20;
/// Mode bits with which others than the owner write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The SHA-256 of the one file that is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin([u8; 32]);

impl Pin {
    /// Reads 64 hexadecimal digits.
    ///
    /// # Errors
    /// [`FileError::BadPin`].
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let digits = text.as_bytes();
        let mut pin = [0; 32];
        let pairs = digits.chunks_exact(2);
        if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(FileError::BadPin(Quoted(text).to_string()));
        }
        for (byte, pair) in pin.iter_mut().zip(pairs) {
            let pair = std::str::from_utf8(pair).unwrap_or_default();
            *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
        }
        Ok(Self(pin))
    }

    /// The pin of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl std::fmt::Display for Pin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut digits = String::with_capacity(64);
        for byte in self.0 {
            write!(digits, "{byte:02x}")?;
        }
        f.write_str(&digits)
    }
}

/// Why a file was not taken. The operator's fault, but for what the system refuses.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A pin that is none.
    #[error("{0} is no pin: 64 hexadecimal digits of a SHA-256 are")]
    BadPin(String),
    /// It cannot be opened or read.
    #[error("the plugin's {what} cannot be opened: {source}")]
    Io {
        /// The file or its folder.
        what: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// It is no regular file with one name.
    #[error("the plugin is no regular file with one name")]
    NotAFile,
    /// Somebody else could change it.
    #[error("the plugin's {what} can be written by others than its owner, or its owner is another")]
    NotOurs {
        /// The file or its folder.
        what: &'static str,
    },
    /// More than is read.
    #[error("the plugin has more than {MAX_FILE} bytes")]
    TooLarge,
    /// It is another file than the one that is pinned.
    #[error("the plugin is not the one that is pinned: its SHA-256 is {found}")]
    WrongHash {
        /// What it is.
        found: Pin,
    },
    /// The system does not seal memory.
    #[error("the plugin cannot be sealed in memory: {0}")]
    Seal(io::Error),
}

/// The bytes of a pinned file, sealed: nobody can change them any more, this process included.
#[derive(Debug)]
pub struct PinnedFile {
    sealed: OwnedFd,
    pin: Pin,
}

impl PinnedFile {
    /// Reads the file at `path` through one handle, and seals a copy of what was read if its SHA-256
    /// is `pin`. Links are not followed.
    ///
    /// # Errors
    /// See [`FileError`].
    pub fn open(path: &Path, pin: Pin) -> Result<Self, FileError> {
        let bytes = read(path)?;
        let found = Pin::of(&bytes);
        if found != pin {
            return Err(FileError::WrongHash { found });
        }
        let sealed = seal(&bytes).map_err(FileError::Seal)?;
        Ok(Self { sealed, pin })
    }

    /// Where the loader finds the sealed bytes, as long as this value is.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.sealed.as_raw_fd()))
    }

    /// Which file it is.
    pub const fn pin(&self) -> Pin {
        self.pin
    }
}

fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let (folder, name) = match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if folder.as_os_str().is_empty() => (Path::new("."), name),
        (Some(folder), Some(name)) => (folder, name),
        _ => return Err(FileError::NotAFile),
    };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let folder = open(folder, flags | OFlags::DIRECTORY, Mode::empty()).map_err(io("folder"))?;
    check("folder", &status("folder", &folder)?)?;
    // A pipe by that name must not be waited for.
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = openat(&folder, name, flags, Mode::empty()).map_err(io("file"))?;
    let stat = status("file", &file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || stat.st_nlink != 1 {
        return Err(FileError::NotAFile);
    }
    check("file", &stat)?;
    let mut bytes = Vec::new();
    File::from(file)
        .take(MAX_FILE + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| FileError::Io {
            what: "file",
            source,
        })?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(FileError::TooLarge);
    }
    Ok(bytes)
}

fn status(what: &'static str, of: impl AsFd) -> Result<Stat, FileError> {
    fstat(of).map_err(io(what))
}

/// Whether only this user, or the superuser, can write it.
fn check(what: &'static str, stat: &Stat) -> Result<(), FileError> {
    let is_ours = stat.st_uid == geteuid().as_raw() || stat.st_uid == 0;
    if is_ours && stat.st_mode & WRITABLE_BY_OTHERS == 0 {
        Ok(())
    } else {
        Err(FileError::NotOurs { what })
    }
}

fn io(what: &'static str) -> impl Fn(rustix::io::Errno) -> FileError {
    move |error| FileError::Io {
        what,
        source: error.into(),
    }
}

fn seal(bytes: &[u8]) -> io::Result<OwnedFd> {
    let memory = memfd_create(
        "harness-plugin",
        MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING,
    )?;
    let mut file = File::from(memory);
    file.write_all(bytes)?;
    let all = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    fcntl_add_seals(&file, all)?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_read_as_it_is_written() {
        let pin = Pin::of(b"a box");
        assert_eq!(Pin::parse(&pin.to_string()).unwrap(), pin);
        for bad in [
            "",
            "abc",
            &"g".repeat(64),
            &"é".repeat(32),
            &format!("{pin}0"),
        ] {
            assert!(
                matches!(Pin::parse(bad), Err(FileError::BadPin(_))),
                "{bad}"
            );
        }
    }

    #[test]
    fn sealed_bytes_cannot_be_changed() {
        let sealed = seal(b"a box").unwrap();
        let mut file = File::options()
            .write(true)
            .open(format!("/proc/self/fd/{}", sealed.as_raw_fd()))
            .unwrap();
        assert!(file.write_all(b"x").is_err());
        assert!(file.set_len(0).is_err());
        let path = format!("/proc/self/fd/{}", sealed.as_raw_fd());
        assert_eq!(std::fs::read(path).unwrap(), b"a box");
    }
}
