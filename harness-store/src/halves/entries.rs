//! The entry log: all that a task agent's tools can write.

use std::sync::Arc;

use super::{EntryEvent, half};
use crate::writer::Writer;

/// Records that a session entered a trial, before the answer that differs leaves.
#[derive(Clone, Debug)]
pub struct EntryLog {
    pub(super) writer: Arc<Writer>,
}

impl EntryLog {
    pub(crate) const fn new(writer: Arc<Writer>) -> Self {
        Self { writer }
    }
}

half!(EntryLog, EntryEvent);
