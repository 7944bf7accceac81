//! The guard's half: what became of tool calls.

use std::sync::Arc;

use super::{GuardEvent, half};
use crate::writer::Writer;

/// Records what a guard decided and what came of it. One workspace may have several guards, one a
/// session.
#[derive(Clone, Debug)]
pub struct GuardLog {
    pub(super) writer: Arc<Writer>,
}

impl GuardLog {
    pub(crate) const fn new(writer: Arc<Writer>) -> Self {
        Self { writer }
    }
}

half!(GuardLog, GuardEvent);
