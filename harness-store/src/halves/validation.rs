//! The validation half, which the desk of that name wraps.

use std::sync::Arc;

use super::{ValidationEvent, half};
use crate::writer::Writer;

/// Records openings and verdicts of trials.
#[derive(Debug)]
pub struct ValidationLog {
    pub(super) writer: Arc<Writer>,
}

impl ValidationLog {
    pub(crate) const fn new(writer: Arc<Writer>) -> Self {
        Self { writer }
    }
}

half!(ValidationLog, ValidationEvent);
