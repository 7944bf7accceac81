//! What a store operation fails with: one enum, each variant with its remedy in the message.

use std::path::Path;
use std::time::Duration;

use harness_core::Quoted;
use rustix::io::Errno;

/// What stands where a regular file of ours was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A symbolic link, at the end of the path or within it.
    Symlink,
    /// A file with a second name elsewhere.
    HardLink,
    /// A named pipe or a socket.
    Pipe,
    /// A device.
    Device,
    /// A folder.
    Folder,
    /// A file where a folder belongs.
    NotAFolder,
}

impl FileKind {
    /// The kind in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Symlink => "a symbolic link",
            Self::HardLink => "a file with a second hard link",
            Self::Pipe => "a pipe or socket",
            Self::Device => "a device",
            Self::Folder => "a folder",
            Self::NotAFolder => "no folder, or lies in something that is none",
        }
    }
}

/// Why the store did not do what it was asked. Nothing is acknowledged by an error; what was
/// acknowledged earlier is not touched by one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is no such file or workspace. The operator's to mend.
    #[error("{path} does not exist: run `harness init` for this root, or check `--root`")]
    Missing {
        /// What.
        path: String,
    },
    /// The file system or the file's mode forbids it. The operator's to mend.
    #[error("{path} cannot be written: make the folder writable for this user, or mount it so")]
    ReadOnly {
        /// What.
        path: String,
    },
    /// No space, quota or file size is left. The operator's to mend; the next write heals.
    #[error("no space left to write {path}: free some, nothing acknowledged is lost")]
    Full {
        /// What.
        path: String,
    },
    /// Another process held the lock, or the queue was full, until the deadline. Try again, or
    /// look for a writer that was stopped.
    #[error("the workspace was busy for {} ms: another writer holds it; try again", waited.as_millis())]
    Busy {
        /// How long the caller waited.
        waited: Duration,
    },
    /// The workspace belongs to a newer version of this program. It can still be read.
    #[error(
        "the workspace has format version {version}, newer than this program writes: update the program; reading still works"
    )]
    Newer {
        /// Its version.
        version: u64,
    },
    /// Something that is no regular file of one link stands in the way. Whoever put it there is
    /// at fault; nothing is read or written through it.
    #[error("{path} is {}: remove it, nothing is followed or written through it", kind.as_str())]
    Refused {
        /// Where.
        path: String,
        /// What.
        kind: FileKind,
    },
    /// A file or record is larger than its bound. The fault lies with whoever wrote it.
    #[error("{what} is larger than {limit}: make it smaller")]
    TooLarge {
        /// What.
        what: String,
        /// The bound, in bytes or items.
        limit: u64,
    },
    /// A file of ours does not read. Whoever edited it is at fault.
    #[error("{path} does not read: {reason}; restore it from a copy")]
    Malformed {
        /// Which.
        path: String,
        /// Why, without its content.
        reason: String,
    },
    /// An event or file could not be put into words on disk. Our fault or the caller's.
    #[error("a record cannot be written: {reason}")]
    Unwritable {
        /// Why.
        reason: String,
    },
    /// The operating system refused for another reason.
    #[error("could not {doing} {path}: {source}")]
    Io {
        /// The operation, as a verb.
        doing: &'static str,
        /// On what.
        path: String,
        /// What the system said.
        source: Errno,
    },
    /// The workspace is closed, or its writer could not be started. Open it again.
    #[error("the workspace is closed: open it again")]
    Closed,
    /// The job broke; the writer goes on. A bug of ours or of the caller's.
    #[error("the work handed to the writer broke off: this is a bug, please report it")]
    JobBroke,
    /// The folder of anchor and key lies in the root, where it could not catch an edit. The
    /// operator's to mend.
    #[error("the configuration folder {config} lies in the root {root}: choose one outside it")]
    Misplaced {
        /// The folder of anchor and key.
        config: String,
        /// The root.
        root: String,
    },
    /// A folder that is to be filled has something in it. The operator's to mend.
    #[error("{path} is not empty: choose a folder that is, or a new one")]
    NotEmpty {
        /// The folder.
        path: String,
    },
    /// This process has the workspace open already. The host's fault: pass the halves on instead.
    #[error(
        "this process has {path} open already: use the halves of that opening, or drop them first"
    )]
    AlreadyOpen {
        /// The root.
        path: String,
    },
}

impl StoreError {
    /// The error for what the system said of an operation on `path`.
    pub(crate) fn from_errno(errno: Errno, doing: &'static str, path: &Path) -> Self {
        let path = shown(path);
        let refused = |kind| Self::Refused {
            path: path.clone(),
            kind,
        };
        match errno {
            Errno::NOENT => Self::Missing { path },
            Errno::ROFS | Errno::ACCESS | Errno::PERM => Self::ReadOnly { path },
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => Self::Full { path },
            Errno::LOOP => refused(FileKind::Symlink),
            Errno::NXIO => refused(FileKind::Pipe),
            Errno::ISDIR => refused(FileKind::Folder),
            Errno::NOTDIR => refused(FileKind::NotAFolder),
            source => Self::Io {
                doing,
                path,
                source,
            },
        }
    }

    /// The same error for an operation of the standard library.
    pub(crate) fn from_io(error: &std::io::Error, doing: &'static str, path: &Path) -> Self {
        let errno = error
            .raw_os_error()
            .map_or(Errno::IO, Errno::from_raw_os_error);
        Self::from_errno(errno, doing, path)
    }
}

/// A path as it may be shown: escaped, in back-ticks, the end kept if it is long.
pub(crate) fn shown(path: &Path) -> String {
    const MAX_SHOWN: usize = 200;
    let text = path.to_string_lossy();
    let start = text
        .char_indices()
        .rev()
        .take(MAX_SHOWN)
        .last()
        .map_or(0, |(at, _)| at);
    let cut = if start > 0 { "…" } else { "" };
    let kept: String = text
        .get(start..)
        .unwrap_or_default()
        .chars()
        .flat_map(|character| match character {
            '`' => "\\u{60}".chars().collect::<Vec<_>>(),
            ' '..='~' => vec![character],
            other if other.is_alphanumeric() => vec![other],
            other => other.escape_default().collect(),
        })
        .collect();
    format!("`{cut}{kept}`")
}

/// Text from a file as it may be shown in a reason.
pub(crate) fn quoted(text: &str) -> String {
    Quoted(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_says_what_to_do() {
        let full = StoreError::from_errno(Errno::NOSPC, "append to", Path::new("/w/journal.jsonl"));
        assert_eq!(
            full.to_string(),
            "no space left to write `/w/journal.jsonl`: free some, nothing acknowledged is lost"
        );
        let link = StoreError::from_errno(Errno::LOOP, "open", Path::new("/w/a\u{1b}b"));
        assert_eq!(
            link.to_string(),
            "`/w/a\\u{1b}b` is a symbolic link: remove it, nothing is followed or written through it"
        );
    }

    #[test]
    fn a_long_path_keeps_its_end() {
        let path = format!("/{}/journal.jsonl", "x".repeat(400));
        let text = shown(Path::new(&path));
        assert!(
            text.starts_with("`…") && text.ends_with("/journal.jsonl`"),
            "{text}"
        );
    }
}
