//! The validation half, which the desk of that name wraps.

use std::sync::Arc;

use harness_core::layout;

use super::{ValidationEvent, half};
use crate::error::StoreError;
use crate::lock::{Held, LockFile};
use crate::root::Root;
use crate::writer::Writer;

/// Records openings and verdicts of trials.
#[derive(Debug)]
pub struct ValidationLog {
    pub(super) writer: Arc<Writer>,
    root: Arc<Root>,
}

/// The right to run a round of replay: one in a workspace, in whatever process, until this is
/// dropped or its process ends.
#[derive(Debug)]
#[must_use = "the round ends when this is dropped"]
pub struct ReplayFlight(#[expect(dead_code, reason = "held for its drop")] Held);

impl ValidationLog {
    pub(crate) const fn new(writer: Arc<Writer>, root: Arc<Root>) -> Self {
        Self { writer, root }
    }

    /// Takes the right to run a round of replay; `None` while somebody else has it.
    ///
    /// # Errors
    /// The lock file cannot be opened.
    pub fn take_off(&self) -> Result<Option<ReplayFlight>, StoreError> {
        let file = LockFile::open(&self.root, layout::replay_lock().as_str())?;
        Ok(file.try_lock()?.map(ReplayFlight))
    }
}

half!(ValidationLog, ValidationEvent);
