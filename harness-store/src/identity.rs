//! The workspace's own id and format version: `state/workspace.json`.

use std::fmt;

use harness_core::layout;
use serde::{Deserialize, Serialize};

use crate::error::{StoreError, quoted, shown};
use crate::follow::line_of;
use crate::lines::LineReader;
use crate::random;
use crate::root::Root;
use crate::segments;
use crate::wire::{Event, Line, json};

/// The format version that this program writes.
pub const FORMAT_VERSION: u64 = 1;
/// Bytes the file has at most.
const MAX_IDENTITY: u64 = 4096;

/// `w-<16 hex>`: one safe path component, which names the workspace's folder outside the root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspaceId(Box<str>);

impl WorkspaceId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn random() -> Result<Self, StoreError> {
        Ok(Self(format!("w-{:016x}", random::bits()?).into()))
    }

    fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix("w-")?;
        let fits = hex.len() == 16
            && hex
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        fits.then(|| Self(text.into()))
    }
}

impl fmt::Display for WorkspaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) id: WorkspaceId,
    pub(crate) version: u64,
}

#[derive(Serialize, Deserialize)]
struct IdentityDoc {
    id: String,
    version: u64,
}

impl Identity {
    /// Reads the file.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is no workspace.
    pub(crate) fn read(root: &Root) -> Result<Self, StoreError> {
        let path = layout::identity();
        let bytes = root
            .read(path.as_str(), MAX_IDENTITY)?
            .ok_or_else(|| StoreError::Missing {
                path: shown(&root.shown(path.as_str())),
            })?;
        let malformed = |reason| StoreError::Malformed {
            path: shown(&root.shown(path.as_str())),
            reason,
        };
        let doc: IdentityDoc =
            serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
        let id = WorkspaceId::parse(&doc.id)
            .ok_or_else(|| malformed(format!("{} is no workspace id", quoted(&doc.id))))?;
        Ok(Self {
            id,
            version: doc.version,
        })
    }

    /// Reads the file, or makes it: for the workspace whose journal is there, else for a new one.
    /// The caller holds the lock.
    pub(crate) fn read_or_create(root: &Root) -> Result<Self, StoreError> {
        match Self::read(root) {
            Err(StoreError::Missing { .. }) => {}
            other => return other,
        }
        let known = journal_of(root)?.and_then(|id| WorkspaceId::parse(&id));
        let identity = Self {
            id: known.map_or_else(WorkspaceId::random, Ok)?,
            version: FORMAT_VERSION,
        };
        let doc = IdentityDoc {
            id: identity.id.as_str().to_owned(),
            version: identity.version,
        };
        let bytes = json::to_pretty(&doc).map_err(|error| StoreError::Unwritable {
            reason: error.to_string(),
        })?;
        root.replace(layout::identity().as_str(), &bytes)?;
        Ok(identity)
    }

    /// The identity, if this program may write the workspace: it is of no newer version, and the
    /// journal's first line, which is that of its creation, names no other. With another's name its
    /// writer would use that one's anchor and key.
    pub(crate) fn writable(self, root: &Root) -> Result<Self, StoreError> {
        if self.version > FORMAT_VERSION {
            return Err(StoreError::Newer {
                version: self.version,
            });
        }
        match journal_of(root)? {
            Some(other) if other != self.id.as_str() => Err(StoreError::Malformed {
                path: shown(&root.shown(layout::identity().as_str())),
                reason: format!("the journal is that of {}", quoted(&other)),
            }),
            _ => Ok(self),
        }
    }
}

/// The workspace that the journal's first line names.
fn journal_of(root: &Root) -> Result<Option<String>, StoreError> {
    let parts = segments::parts(root, segments::growing(root)?)?;
    let Some(part) = parts.first() else {
        return Ok(None);
    };
    let opened = part.open(root)?;
    let line = LineReader::new(&opened.file, 0, opened.length).next_line();
    let line =
        line.map_err(|error| StoreError::from_io(&error, "read", &root.shown(part.path.as_str())))?;
    Ok(match line.map(line_of).as_ref().and_then(Line::event) {
        Some((_, Event::Config(config))) => Some(config.workspace.clone()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_id_is_one_safe_component() {
        for bad in [
            "w-",
            "w-../../x",
            "w-0123456789ABCDEF",
            "x-0123456789abcdef",
            "",
        ] {
            assert!(WorkspaceId::parse(bad).is_none(), "{bad:?}");
        }
        assert!(WorkspaceId::parse("w-0123456789abcdef").is_some());
        let made = WorkspaceId::random().unwrap();
        assert_eq!(WorkspaceId::parse(made.as_str()), Some(made));
    }
}
