//! The operator's half, which the desk of that name wraps.

use std::sync::Arc;
use std::time::Duration;

use harness_core::layout;

use super::{OperatorEvent, half};
use crate::error::StoreError;
use crate::wire::alert_model::AlertModelDoc;
use crate::wire::event::AlertModelFitted;
use crate::wire::{Event, sha256_hex};
use crate::writer::{Tx, Writer};

/// Records an operator's own acts.
#[derive(Debug)]
pub struct OperatorLog {
    pub(super) writer: Arc<Writer>,
}

impl OperatorLog {
    pub(crate) const fn new(writer: Arc<Writer>) -> Self {
        Self { writer }
    }

    /// Keeps an alert model: its event, which `fitted` makes of the file's hash, then its file. A
    /// file that was not written in time has not the hash, and is no model.
    ///
    /// # Errors
    /// [`StoreError::Unwritable`] for a number that is not finite; as for [`Self::commit`], and
    /// whatever the system says of a write.
    pub fn keep_alert_model(
        &self,
        deadline: Duration,
        model: &AlertModelDoc,
        fitted: impl FnOnce(String) -> AlertModelFitted + Send + 'static,
    ) -> Result<(), StoreError> {
        if !model.is_finite() {
            return Err(StoreError::Unwritable {
                reason: "a number of the alert model is not finite".to_owned(),
            });
        }
        let model = model.clone();
        self.commit(deadline, move |tx: &mut Tx<'_, OperatorEvent>| {
            let core = tx.core();
            let bytes = core.sink.document(&model)?;
            core.commit(vec![Event::AlertModelFitted(fitted(sha256_hex(&bytes)))])?;
            core.root.replace(layout::alert_model().as_str(), &bytes)
        })?
    }
}

half!(OperatorLog, OperatorEvent);
