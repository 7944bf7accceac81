//! The repair half, which the repair desk wraps.

use std::sync::Arc;
use std::time::Duration;

use harness_core::{Notice, NoticeId, RepairStatus, Timestamp, layout};

use super::events::ended;
use super::{RepairEvent, half};
use crate::error::StoreError;
use crate::folds::mailbox::resolution;
use crate::lock::{Held, LockFile};
use crate::mailbox_files;
use crate::root::Root;
use crate::wire::Event;
use crate::wire::event::{RepairEnd, RepairNoticeResolved};
use crate::wire::notice::NoticeDoc;
use crate::writer::{Core, Tx, Writer};

/// Records attempts at repair and resolves notices.
#[derive(Debug)]
pub struct RepairLog {
    pub(super) writer: Arc<Writer>,
    root: Arc<Root>,
}

/// The right to run a repair: one in a workspace, in whatever process, until this is dropped or
/// its process ends.
#[derive(Debug)]
#[must_use = "the flight ends when this is dropped"]
pub struct RepairFlight(#[expect(dead_code, reason = "held for its drop")] Held);

/// What became of a resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The notices are resolved. If their files could not be moved, that is done later.
    Done {
        /// How the moving of the files went.
        files: Result<(), StoreError>,
    },
    /// These notices do not wait, so nothing was written.
    NotPending(Vec<NoticeId>),
}

impl RepairLog {
    pub(crate) const fn new(writer: Arc<Writer>, root: Arc<Root>) -> Self {
        Self { writer, root }
    }

    /// Takes the right to run a repair; `None` while somebody else has it.
    ///
    /// # Errors
    /// The lock file cannot be opened.
    pub fn take_off(&self) -> Result<Option<RepairFlight>, StoreError> {
        let file = LockFile::open(&self.root, layout::repair_lock().as_str())?;
        Ok(file.try_lock()?.map(RepairFlight))
    }

    /// Resolves all notices of an episode and ends its attempt in one commit: see
    /// [`Tx::resolve`].
    ///
    /// # Errors
    /// As for [`Self::commit`].
    pub fn resolve(
        &self,
        deadline: Duration,
        resolved: RepairNoticeResolved,
        end: RepairEnd,
    ) -> Result<Resolved, StoreError> {
        self.commit(deadline, move |tx| tx.resolve(resolved, end))?
    }
}

half!(RepairLog, RepairEvent);

impl Tx<'_, RepairEvent> {
    /// Resolves all notices of an episode and ends its attempt with the status that follows from
    /// the kind. The journal's records are the one commit point; files are moved after it, and
    /// moved again at the next opening if that was cut short.
    ///
    /// # Errors
    /// As for [`Tx::commit`]; then nothing is resolved.
    pub fn resolve(
        &mut self,
        resolved: RepairNoticeResolved,
        end: RepairEnd,
    ) -> Result<Resolved, StoreError> {
        let core = self.core();
        let mailbox = &core.refreshed()?.mailbox;
        let notices = resolved.context.notices.clone();
        let gone: Vec<NoticeId> = notices
            .iter()
            .filter(|id| mailbox.get(id).is_none())
            .cloned()
            .collect();
        if !gone.is_empty() || notices.is_empty() {
            return Ok(Resolved::NotPending(gone));
        }
        let mut moved: Vec<Notice> = notices
            .iter()
            .filter_map(|id| mailbox.get(id))
            .cloned()
            .collect();
        let status = RepairStatus::from(resolved.kind);
        let lagged = core.files_lag;
        let committed = core.commit(vec![
            Event::RepairNoticeResolved(resolved.clone()),
            ended(status, end),
        ])?;
        core.files_lag = true;
        if lagged {
            // More than these files lag behind, and all of them are looked at.
            return Ok(Resolved::Done {
                files: core.redo_files(),
            });
        }
        let at = committed.first().map_or(Timestamp::EPOCH, |first| first.ts);
        for notice in &mut moved {
            notice.resolution = Some(resolution(&resolved, at));
        }
        Ok(Resolved::Done {
            files: move_files(core, &moved),
        })
    }
}

fn move_files(core: &mut Core, notices: &[Notice]) -> Result<(), StoreError> {
    core.state.refresh()?;
    let mailbox = &core.state.get().mailbox;
    for notice in notices {
        mailbox_files::resolve(&core.root, &core.sink, &NoticeDoc::from_domain(notice))?;
    }
    mailbox_files::write_status(&core.root, &core.sink, mailbox, core.now())?;
    core.files_lag = false;
    Ok(())
}
