//! The files that make up the journal: closed segments, oldest first, then the one that grows.
//!
//! A segment is closed by renaming the growing file to `state/segments/<number of its first
//! line>.jsonl`; the next append makes a new one. Between the two there is none, which reads as an
//! empty one, so at no moment is the journal anything but all its lines in order. A closed segment
//! keeps its inode, so whoever was reading it knows it again.

use harness_core::{WorkspacePath, layout};

use crate::error::StoreError;
use crate::root::{Access, FileId, Handle, Root};

/// What the name of a closed segment ends in.
const SUFFIX: &str = ".jsonl";
/// Digits of a closed segment's name.
const DIGITS: usize = 16;

/// A file of the journal.
#[derive(Debug)]
pub(crate) struct Part {
    /// Where it lies.
    pub(crate) path: WorkspacePath,
    /// The number of its first line, as its name says; `None` for the one that grows.
    pub(crate) first_seq: Option<u64>,
    /// It, where it is open already.
    opened: Option<Opened>,
}

/// A file of the journal, open.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) file: Handle,
    pub(crate) id: FileId,
    /// Its length when it was opened.
    pub(crate) length: u64,
}

impl Part {
    fn closed(first_seq: u64) -> Self {
        Self {
            path: layout::journal_segment(first_seq),
            first_seq: Some(first_seq),
            opened: None,
        }
    }

    /// Whether it is open and is that file.
    pub(crate) fn is(&self, id: Option<FileId>) -> bool {
        self.opened
            .as_ref()
            .is_some_and(|opened| Some(opened.id) == id)
    }

    /// Opens it.
    ///
    /// # Errors
    /// It cannot be opened; a closed segment that is gone is [`StoreError::Missing`].
    pub(crate) fn open(&self, root: &Root) -> Result<Opened, StoreError> {
        let path = self.path.as_str();
        match &self.opened {
            Some(opened) => Ok(opened.clone()),
            None => Opened::of(root.open_file(path, Access::Read)?, root, path),
        }
    }
}

impl Opened {
    fn of(file: Handle, root: &Root, path: &str) -> Result<Self, StoreError> {
        let (id, length) = file
            .standing()
            .map_err(|error| StoreError::from_io(&error, "look at", &root.shown(path)))?;
        Ok(Self { file, id, length })
    }
}

/// The numbers of the first lines of the closed segments, in order. Names that are none of ours
/// are left out.
pub(crate) fn closed(root: &Root) -> Result<Vec<u64>, StoreError> {
    let names = root.list(layout::segments_folder().as_str())?;
    Ok(names.iter().filter_map(|name| first_seq(name)).collect())
}

/// The file that grows, open; `None` while there is none.
pub(crate) fn growing(root: &Root) -> Result<Option<Part>, StoreError> {
    let path = layout::journal();
    let Some(file) = root.open_if_there(path.as_str())? else {
        return Ok(None);
    };
    Ok(Some(Part {
        opened: Some(Opened::of(file, root, path.as_str())?),
        first_seq: None,
        path,
    }))
}

/// The files of the journal as of now, oldest first; `growing` was looked for just before.
pub(crate) fn parts(root: &Root, growing: Option<Part>) -> Result<Vec<Part>, StoreError> {
    let mut parts: Vec<Part> = closed(root)?.into_iter().map(Part::closed).collect();
    // It may have been closed meanwhile, and then it is among them.
    if let Some(part) = growing
        && let Some(opened) = &part.opened
        && position(root, &parts, opened.id)?.is_none()
    {
        parts.push(part);
    }
    Ok(parts)
}

/// Which of `parts` is that file.
pub(crate) fn position(
    root: &Root,
    parts: &[Part],
    id: FileId,
) -> Result<Option<usize>, StoreError> {
    // It was closed last, if it was.
    for (at, part) in parts.iter().enumerate().rev() {
        if root.file_id(part.path.as_str())? == Some(id) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn first_seq(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(SUFFIX)?;
    let fits = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_known_by_its_name_and_nothing_else_is() {
        let named = layout::journal_segment(17);
        let (_, name) = named.as_str().rsplit_once('/').unwrap();
        assert_eq!(first_seq(name), Some(17));
        for other in ["17.jsonl", "0000000000000017", "000000000000001x.jsonl", ""] {
            assert_eq!(first_seq(other), None, "{other:?}");
        }
    }
}
