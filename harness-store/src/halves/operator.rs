//! The operator's half, which the desk of that name wraps.

use std::sync::Arc;

use super::{OperatorEvent, half};
use crate::writer::Writer;

/// Records an operator's own acts.
#[derive(Debug)]
pub struct OperatorLog {
    pub(super) writer: Arc<Writer>,
}

impl OperatorLog {
    pub(crate) const fn new(writer: Arc<Writer>) -> Self {
        Self { writer }
    }
}

half!(OperatorLog, OperatorEvent);
