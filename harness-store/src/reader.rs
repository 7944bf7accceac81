//! Reading a workspace: no lock, no write, also of a newer version's workspace.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use harness_core::{WorkspacePath, layout};

use crate::anchor::{Head, Slot};
use crate::audit::{AuditReport, audit};
use crate::error::StoreError;
use crate::evalset::EvalSet;
use crate::follow::{Fold, Follower, line_of};
use crate::identity::{Identity, WorkspaceId};
use crate::journal::MAX_COMMIT;
use crate::lines::{LineReader, start_of_last_lines};
use crate::paths::WorkspacePaths;
use crate::root::Root;
use crate::scores::Scores;
use crate::wire::Line;

/// Lines that [`Reader::newest`] returns at most.
pub const MAX_NEWEST: usize = 10_000;
/// Bytes of a file that [`Reader::file`] reads at most.
pub const MAX_FILE: u64 = 64 << 20;

/// A workspace, for reading. Clones share one held handle of the root.
#[derive(Clone, Debug)]
pub struct Reader {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    root: Arc<Root>,
    identity: Identity,
    /// The workspace's folder outside the root, where there is one.
    config: Option<Root>,
}

impl Reader {
    /// Opens a workspace for reading alone.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is no workspace.
    pub fn open(paths: &WorkspacePaths) -> Result<Self, StoreError> {
        let root = Arc::new(Root::open(&paths.root)?);
        let identity = Identity::read(&root)?;
        let config = match Root::open(&paths.config_dir.join(identity.id.as_str())) {
            Ok(folder) => Some(folder),
            Err(StoreError::Missing { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(Self::of(root, identity, config))
    }

    pub(crate) fn of(root: Arc<Root>, identity: Identity, config: Option<Root>) -> Self {
        Self {
            shared: Arc::new(Shared {
                root,
                identity,
                config,
            }),
        }
    }

    /// The workspace's id.
    pub fn workspace(&self) -> &WorkspaceId {
        &self.shared.identity.id
    }

    /// The workspace's format version; one above [`crate::FORMAT_VERSION`] can only be read.
    pub fn version(&self) -> u64 {
        self.shared.identity.version
    }

    /// A follower of the journal; refresh it before the first look.
    pub fn follow<F: Fold>(&self, fold: F) -> Follower<F> {
        Follower::new(Arc::clone(&self.shared.root), fold)
    }

    /// The scores and gate states, as of the call; refresh them before a later look.
    ///
    /// # Errors
    /// A segment cannot be read.
    pub fn scores(&self) -> Result<Scores, StoreError> {
        let mut scores = Scores::new(Arc::clone(&self.shared.root));
        scores.refresh()?;
        Ok(scores)
    }

    /// The eval set, as of the call.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn eval_set(&self) -> Result<EvalSet, StoreError> {
        EvalSet::read(&self.shared.root)
    }

    /// The newest `count` lines of the journal, oldest first, at most [`MAX_NEWEST`]; lines of a
    /// commit that is not complete are left out.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn newest(&self, count: usize) -> Result<Vec<Line>, StoreError> {
        let count = count.min(MAX_NEWEST);
        let Some((file, length)) = self.journal()? else {
            return Ok(Vec::new());
        };
        let failed = |error| self.failed(&error);
        // What is torn or not complete lies behind what is wanted, so look for more at need.
        let mut look = count;
        loop {
            let from = start_of_last_lines(length, look, |buffer, at| file.read_at(buffer, at))
                .map_err(failed)?;
            let mut lines = Vec::new();
            for line in Lines::new(file.try_clone().map_err(failed)?, from, length) {
                lines.push(line.map_err(failed)?);
            }
            if lines.len() >= count || from == 0 {
                return Ok(lines.split_off(lines.len().saturating_sub(count)));
            }
            look = look.saturating_add(count.max(1)).saturating_add(look);
        }
    }

    /// The lines of the journal from the record `seq` on, in order, as far as it went at the call.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn records_from(
        &self,
        seq: u64,
    ) -> Result<impl Iterator<Item = Result<Line, StoreError>> + use<>, StoreError> {
        let reader = self.clone();
        let lines = self
            .journal()?
            .map(|(file, length)| Lines::new(file, 0, length));
        let mut number = 0u64;
        let lines = lines.into_iter().flatten().skip_while(move |_| {
            let before = number < seq;
            number += 1;
            before
        });
        Ok(lines.map(move |line| line.map_err(|error| reader.failed(&error))))
    }

    /// The bytes of a file of the workspace, `None` if there is none; at most [`MAX_FILE`].
    ///
    /// # Errors
    /// The file is too large, cannot be read, or is not a regular file of one link.
    pub fn file(&self, path: &WorkspacePath) -> Result<Option<Vec<u8>>, StoreError> {
        self.shared.root.read(path.as_str(), MAX_FILE)
    }

    /// The names in a folder of the workspace, sorted.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn list(&self, folder: &WorkspacePath) -> Result<Vec<String>, StoreError> {
        self.shared.root.list(folder.as_str())
    }

    /// Verifies the chain, the anchors and the mailbox.
    ///
    /// # Errors
    /// Something cannot be read at all; what reads wrongly is in the report.
    pub fn audit(&self) -> Result<AuditReport, StoreError> {
        audit(self)
    }

    /// The head that the anchor outside the root confirms; `None` without an anchor.
    ///
    /// # Errors
    /// The anchor cannot be read.
    pub fn anchored_head(&self) -> Result<Option<Head>, StoreError> {
        Ok(self.slot()?.map(|slot| slot.confirmed))
    }

    pub(crate) fn slot(&self) -> Result<Option<Slot>, StoreError> {
        match &self.shared.config {
            Some(folder) => Slot::read(folder),
            None => Ok(None),
        }
    }

    pub(crate) fn root(&self) -> &Arc<Root> {
        &self.shared.root
    }

    /// The journal and its length; `None` if there is none.
    pub(crate) fn journal(&self) -> Result<Option<(File, u64)>, StoreError> {
        let Some(file) = self.shared.root.open_if_there(layout::journal().as_str())? else {
            return Ok(None);
        };
        let length = file.metadata().map_err(|error| self.failed(&error))?.len();
        Ok(Some((file, length)))
    }

    pub(crate) fn failed(&self, error: &io::Error) -> StoreError {
        let path = self.shared.root.shown(layout::journal().as_str());
        StoreError::from_io(error, "read", &path)
    }
}

/// The lines of complete commits in a region of the journal.
pub(crate) struct Lines {
    file: File,
    at: u64,
    end: u64,
    /// Lines of a complete commit, still to be handed out, last first.
    ready: Vec<Line>,
}

impl Lines {
    pub(crate) const fn new(file: File, from: u64, end: u64) -> Self {
        Self {
            file,
            at: from,
            end,
            ready: Vec::new(),
        }
    }

    /// Reads complete commits until there is a good handful of lines.
    fn fill(&mut self) -> io::Result<()> {
        const HANDFUL: usize = 512;
        let mut reader = LineReader::new(&self.file, self.at, self.end);
        let mut commit = Vec::new();
        while self.ready.len() < HANDFUL {
            let Some(raw) = reader.next_line()? else {
                break;
            };
            let line = line_of(raw);
            let complete = !line.goes_on() || commit.len() >= MAX_COMMIT;
            commit.push(line);
            if complete {
                self.ready.append(&mut commit);
                self.at = reader.consumed();
            }
        }
        self.ready.reverse();
        Ok(())
    }
}

impl Iterator for Lines {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.is_empty()
            && let Err(error) = self.fill()
        {
            // Nothing more comes after an error.
            self.at = self.end;
            self.ready.clear();
            return Some(Err(error));
        }
        self.ready.pop().map(Ok)
    }
}
