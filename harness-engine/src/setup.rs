//! What a harness is made of, and why one could not be opened.

use std::sync::Arc;

use harness_repair::{ModelChoice, TraceSink};
use harness_rules::DeskError;
use harness_sanitize::Redactor;
use harness_store::{Clock, StoreError, WorkspacePaths};

use crate::config::Config;
use crate::ports::{Evaluator, Verifier};

/// Whether, and with which model, failures are repaired. There is no default: nobody is billed by
/// silence.
#[derive(Clone)]
pub enum Repair {
    /// Failures are noticed and left.
    Off,
    /// This model repairs.
    With(ModelChoice),
    /// This model repairs, and the trace of each attempt goes to a sink. The task's own traces are
    /// the same either way.
    Traced(ModelChoice, Arc<dyn TraceSink>),
}

/// What a harness is made of.
pub struct Setup {
    /// Where the workspace lies.
    pub paths: WorkspacePaths,
    /// The settings.
    pub config: Config,
    /// Who scores.
    pub evaluator: Arc<dyn Evaluator>,
    /// Who checks outcomes, where somebody does.
    pub verifier: Option<Arc<dyn Verifier>>,
    /// Who repairs.
    pub repair: Repair,
    /// Cuts secrets out of everything that is written or shown.
    pub redactor: Redactor,
    /// The clock; `None` for the system's.
    pub clock: Option<Clock>,
}

/// Why a harness could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It was not called inside a Tokio runtime. The host's fault.
    #[error("a harness is opened inside a Tokio runtime")]
    NoRuntime,
    /// The workspace cannot be used; the error says why and what to do.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The files of the rules could not be compared with the journal.
    #[error(transparent)]
    Desk(#[from] DeskError),
}
