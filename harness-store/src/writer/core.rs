//! What the writer thread owns.

use std::sync::Arc;
use std::time::Instant;

use harness_core::{CleanText, Timestamp};

use crate::error::StoreError;
use crate::folds::State;
use crate::follow::Follower;
use crate::journal::{Committed, Journal};
use crate::lock::LockFile;
use crate::mailbox_files;
use crate::redaction::Sink;
use crate::root::Root;
use crate::scores::Scores;
use crate::settled;
use crate::snapshot;
use crate::wire::Event;
use crate::wire::event::RecordSkipped;

/// Where the time comes from.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The journal, its projections and what is derived from them. It is used only with the lock
/// held.
pub(crate) struct Core {
    pub(crate) root: Arc<Root>,
    /// The workspace's folder outside the root.
    pub(crate) config: Arc<Root>,
    pub(crate) sink: Sink,
    pub(crate) clock: Clock,
    pub(crate) lock: Arc<LockFile>,
    pub(crate) journal: Journal,
    pub(crate) state: Follower<State>,
    pub(crate) scores: Scores,
    /// When the caller of the work in hand stops waiting for a write to begin.
    pub(super) deadline: Option<(Instant, Instant)>,
    /// Whether files may lag behind the journal.
    pub(crate) files_lag: bool,
}

impl Core {
    pub(crate) fn new(
        root: Arc<Root>,
        config: Arc<Root>,
        sink: Sink,
        clock: Clock,
        lock: Arc<LockFile>,
        journal: Journal,
    ) -> Self {
        Self {
            state: Follower::with_snapshots(
                Arc::clone(&root),
                Some(Arc::clone(&config)),
                State::default(),
            ),
            scores: Scores::new(Arc::clone(&root)),
            root,
            config,
            sink,
            clock,
            lock,
            journal,
            deadline: None,
            files_lag: true,
        }
    }

    /// The time.
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Appends events, all or nothing.
    pub(crate) fn commit(&mut self, events: Vec<Event>) -> Result<Vec<Committed>, StoreError> {
        if let Some((began, deadline)) = self.deadline
            && Instant::now() > deadline
        {
            return Err(StoreError::Busy {
                waited: began.elapsed(),
            });
        }
        let now = self.now();
        // It is a notice too, and whoever appends it writes no files of the mailbox.
        let posts = events
            .iter()
            .any(|event| matches!(event, Event::ScopeFull(_)));
        let done = self.journal.append(&[events], now)?;
        self.files_lag |= posts;
        Ok(done.into_iter().flatten().collect())
    }

    /// Brings what is derived from the journal up to date.
    pub(crate) fn refreshed(&mut self) -> Result<&State, StoreError> {
        self.state.refresh()?;
        if let Some(reason) = self.state.take_dropped() {
            self.snapshot_was_dropped(&reason)?;
        }
        Ok(self.state.get())
    }

    /// Says in the journal that there was a snapshot that nobody could believe.
    fn snapshot_was_dropped(&mut self, reason: &str) -> Result<(), StoreError> {
        let reason = format!("the snapshot was dropped: {reason}");
        self.commit(vec![Event::RecordSkipped(RecordSkipped {
            path: snapshot::FILE.to_owned(),
            offset: 0,
            reason: CleanText::new(reason).unwrap_or_else(|_| CleanText::empty()),
        })])?;
        // If this fails it is dropped again.
        let _ = self.config.remove(snapshot::FILE);
        self.state.refresh()
    }

    /// Whether `every` lines were added since the last snapshot.
    pub(crate) fn is_snapshot_due(&self, every: u64) -> bool {
        let lines = self.journal.lines();
        self.state.has_begun() && lines.saturating_sub(self.state.snapshot_at()) >= every
    }

    /// Leaves a snapshot if `every` lines were added since the last one.
    pub(crate) fn leave_snapshot(&mut self, every: u64) -> Result<(), StoreError> {
        if !self.is_snapshot_due(every) {
            return Ok(());
        }
        self.state.refresh()?;
        self.state.leave_snapshot()
    }

    /// Leaves a note that nothing is left to be done, if that is so and known without reading the
    /// journal for it. Another process may have been killed between its record and its files, so
    /// they are looked at before.
    pub(crate) fn leave_settled(&mut self) -> Result<(), StoreError> {
        if !self.state.has_begun() {
            return Ok(());
        }
        if self.refreshed()?.attempts.iter().next().is_some() {
            return Ok(());
        }
        let head = *self.journal.head();
        if !self.files_lag && settled::holds(&self.config, &self.root, &head)? {
            return Ok(());
        }
        self.files_lag = true;
        self.redo_files()?;
        settled::leave(&self.config, &self.root, &head)
    }

    /// Does what an earlier failure left undone in the mailbox's files.
    pub(crate) fn redo_files(&mut self) -> Result<(), StoreError> {
        if self.files_lag {
            let now = self.now();
            self.state.refresh()?;
            mailbox_files::redo(&self.root, &self.sink, &self.state.get().mailbox, now)?;
            self.files_lag = false;
        }
        Ok(())
    }
}
