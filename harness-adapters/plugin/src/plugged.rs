//! What the ports ask of a plugin, whichever way it is plugged in.

use async_trait::async_trait;
use harness_core::CleanString;
use harness_engine::EvaluationError;
use harness_sanitize::Intake;
use serde_json::Value;

use crate::answer::Declared;

/// A plugin that can be asked. Closed: a loaded library and a process are all that there are.
#[async_trait]
pub trait Plugged: sealed::Sealed + Send + Sync + 'static {
    /// What it declares.
    #[doc(hidden)]
    fn declared(&self) -> &Declared;

    /// What its texts go through.
    #[doc(hidden)]
    fn intake(&self) -> &Intake;

    /// Its version, as scores are recorded under it.
    fn version(&self) -> CleanString;

    /// One call.
    #[doc(hidden)]
    async fn ask(&self, asked: Value) -> Result<Value, EvaluationError>;
}

pub(crate) mod sealed {
    /// Implemented in this crate alone.
    pub trait Sealed {}
}
