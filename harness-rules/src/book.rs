//! The rules as everyone reads them: one ledger a process, brought up to date at each look.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harness_core::{Condition, MetricName, SessionId};
use harness_store::{EntryLog, Follower, Reader, StoreError, WatchEvent};

use crate::evidence::MasterKey;
use crate::ledger::Ledger;
use crate::outcome;
use crate::settings::Settings;
use crate::toolset::{RuleReader, Sees, TaskSession, TaskToolset};
use crate::worth::{self, Worth};

/// A shared view of the rules. Reading takes no lock of the workspace and follows what was
/// appended, by this process or another.
#[derive(Clone)]
pub struct RuleBook(Arc<Inner>);

struct Inner {
    follower: Mutex<Follower<Ledger>>,
    entries: Option<EntryLog>,
    settings: Settings,
}

/// The ledger as of now. Never hold one across a commit: the job of a commit takes it too.
pub struct LedgerView<'a>(MutexGuard<'a, Follower<Ledger>>);

impl Deref for LedgerView<'_> {
    type Target = Ledger;

    fn deref(&self) -> &Ledger {
        self.0.get()
    }
}

impl RuleBook {
    /// A book over a workspace that is open for writing. Without the key no trial takes entries.
    pub(crate) fn new(
        reader: &Reader,
        entries: EntryLog,
        key: Option<MasterKey>,
        settings: Settings,
    ) -> Self {
        Self::over(reader, Some(entries), key, settings)
    }

    /// A book that only reads; its toolsets see active rules and enter nothing.
    pub fn read_only(reader: &Reader, settings: Settings) -> Self {
        Self::over(reader, None, None, settings)
    }

    fn over(
        reader: &Reader,
        entries: Option<EntryLog>,
        key: Option<MasterKey>,
        settings: Settings,
    ) -> Self {
        Self(Arc::new(Inner {
            follower: Mutex::new(reader.follow(Ledger::new(key))),
            entries,
            settings,
        }))
    }

    /// The ledger, brought up to date.
    ///
    /// # Errors
    /// The journal cannot be read; the error says why.
    pub fn ledger(&self) -> Result<LedgerView<'_>, StoreError> {
        let mut follower = self
            .0
            .follower
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        follower.refresh()?;
        Ok(LedgerView(follower))
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The toolset of a session.
    pub fn task_tools(&self, session: Arc<TaskSession>) -> TaskToolset {
        TaskToolset::new(self.clone(), session)
    }

    /// The four tools for a reader without a session: active rules only.
    pub fn unassigned_reader(&self) -> RuleReader {
        RuleReader::new(self.clone(), Sees::Active)
    }

    /// The four tools for the repair agent and for operators: every live rule, labelled.
    pub fn full_reader(&self) -> RuleReader {
        RuleReader::new(self.clone(), Sees::Live)
    }

    /// The outcomes that a scored turn settles: y = 1 for each waiting entry whose target is among
    /// the turn's conditions or whose trial is by another evaluator than this host's, dropped for
    /// each waiting entry if the turn fell into an outage.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn outcomes_of_turn(
        &self,
        session: &SessionId,
        turn_index: u32,
        conditions: &[(Condition, MetricName)],
    ) -> Result<Vec<WatchEvent>, StoreError> {
        Ok(outcome::of_turn(
            &*self.ledger()?,
            self.settings(),
            session,
            turn_index,
            conditions,
        ))
    }

    /// The outcomes that the end of a session settles: y = 0, or y = 1 where a score that was asked
    /// for never came.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn outcomes_at_close(
        &self,
        session: &SessionId,
        scores: outcome::Scores,
    ) -> Result<Vec<WatchEvent>, StoreError> {
        Ok(outcome::at_close(&*self.ledger()?, session, scores))
    }

    /// What all rules together change, as far as sessions have shown.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn worth(&self) -> Result<Worth, StoreError> {
        Ok(worth::of(&*self.ledger()?))
    }

    pub(crate) fn entries(&self) -> Option<&EntryLog> {
        self.0.entries.as_ref()
    }
}
