//! Reading a workspace: no lock, no write, also of a newer version's workspace.

use std::io;
use std::sync::Arc;

use harness_core::WorkspacePath;

use crate::anchor::{Head, Slot};
use crate::audit::{AuditReport, audit, verify_chain};
use crate::error::StoreError;
use crate::evalset::EvalSet;
use crate::follow::{Fold, Follower, line_of};
use crate::identity::{Identity, WorkspaceId};
use crate::journal::OpenCommit;
use crate::lines::{LineReader, start_of_last_lines};
use crate::paths::WorkspacePaths;
use crate::root::{Handle, Root};
use crate::scores::{self, Scores};
use crate::segments::{self, Opened};
use crate::wire::Line;
use crate::wire::score::{ScoreLine, ScoresLine};

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
    config: Option<Arc<Root>>,
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
            Ok(folder) => Some(Arc::new(folder)),
            Err(StoreError::Missing { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(Self::of(root, identity, config))
    }

    pub(crate) fn of(root: Arc<Root>, identity: Identity, config: Option<Arc<Root>>) -> Self {
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
        Follower::with_snapshots(
            Arc::clone(&self.shared.root),
            self.shared.config.clone(),
            fold,
        )
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

    /// Hands over every evaluated turn that reads, oldest first; memory stays that of one line. A
    /// turn comes again with the scores that came late, and with them alone.
    ///
    /// # Errors
    /// A segment cannot be read.
    pub fn each_evaluated_turn(&self, mut each: impl FnMut(ScoreLine)) -> Result<(), StoreError> {
        scores::each_line(self.root(), |line| {
            if let ScoresLine::Turn(turn) = line {
                each(turn);
            }
        })
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
        let root = self.root();
        // Newest first, and at the end the other way round.
        let mut found: Vec<Line> = Vec::new();
        for part in segments::parts(root, segments::growing(root)?)?
            .into_iter()
            .rev()
        {
            if found.len() >= count {
                break;
            }
            let shown = root.shown(part.path.as_str());
            let opened = part.open(root)?;
            let mut lines = newest_of(opened, count - found.len())
                .map_err(|error| StoreError::from_io(&error, "read", &shown))?;
            lines.reverse();
            found.append(&mut lines);
        }
        found.reverse();
        Ok(found)
    }

    /// The lines of the journal from the record `seq` on, in order, as far as it went at the call.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn records_from(
        &self,
        seq: u64,
    ) -> Result<impl Iterator<Item = Result<Line, StoreError>> + use<>, StoreError> {
        let root = Arc::clone(self.root());
        let mut parts = segments::parts(&root, segments::growing(&root)?)?;
        // What lies before the segment with that record need not be read.
        let from = parts
            .iter()
            .rposition(|part| part.first_seq.is_some_and(|first| first <= seq))
            .unwrap_or(0);
        parts.drain(..from);
        let mut number = parts.first().and_then(|part| part.first_seq).unwrap_or(0);
        let lines = parts.into_iter().flat_map(move |part| {
            let shown = root.shown(part.path.as_str());
            let (lines, error) = match part.open(&root) {
                Ok(opened) => (Some(Lines::new(opened.file, 0, opened.length)), None),
                Err(error) => (None, Some(Err(error))),
            };
            let lines = lines
                .into_iter()
                .flatten()
                .map(move |line| line.map_err(|error| StoreError::from_io(&error, "read", &shown)));
            error.into_iter().chain(lines)
        });
        Ok(lines.skip_while(move |_| {
            let before = number < seq;
            number += 1;
            before
        }))
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

    /// Verifies the chain and the anchor alone: what [`Reader::audit`] does before it looks at the
    /// mailbox.
    ///
    /// # Errors
    /// As for [`Reader::audit`].
    pub fn verify_chain(&self) -> Result<AuditReport, StoreError> {
        verify_chain(self)
    }

    /// Bytes of the journal, all files together.
    ///
    /// # Errors
    /// A file cannot be opened.
    pub fn journal_bytes(&self) -> Result<u64, StoreError> {
        let root = self.root();
        let mut bytes: u64 = 0;
        for part in segments::parts(root, segments::growing(root)?)? {
            bytes = bytes.saturating_add(part.open(root)?.length);
        }
        Ok(bytes)
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
}

/// The last `count` lines of complete commits of a file, oldest first.
fn newest_of(opened: Opened, count: usize) -> io::Result<Vec<Line>> {
    let Opened { file, length, .. } = opened;
    // What is torn or not complete lies behind what is wanted, so look for more at need.
    let mut look = count;
    loop {
        let from = start_of_last_lines(length, look, |buffer, at| file.read_at(buffer, at))?;
        let lines: Vec<Line> = Lines::new(file.clone(), from, length).collect::<io::Result<_>>()?;
        if lines.len() >= count || from == 0 {
            let surplus = lines.len().saturating_sub(count);
            return Ok(lines.into_iter().skip(surplus).collect());
        }
        look = look.saturating_add(count.max(1)).saturating_add(look);
    }
}

/// The lines of complete commits in a region of the journal.
pub(crate) struct Lines {
    file: Handle,
    at: u64,
    end: u64,
    /// Lines of a complete commit, still to be handed out, last first.
    ready: Vec<Line>,
}

impl Lines {
    pub(crate) const fn new(file: Handle, from: u64, end: u64) -> Self {
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
        let (mut commit, mut open) = (Vec::new(), OpenCommit::default());
        while self.ready.len() < HANDFUL {
            let Some(raw) = reader.next_line()? else {
                break;
            };
            let bytes = raw.end - raw.offset;
            let line = line_of(raw);
            let ends = open.ends_with(line.goes_on(), bytes);
            commit.push(line);
            if ends {
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
