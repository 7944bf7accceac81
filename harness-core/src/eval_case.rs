//! A captured scenario: a failure to fix, or a win to protect.

use crate::condition::Signature;
use crate::id::{CaseId, SessionId};
use crate::metric::{MetricName, Score};
use crate::text::CleanString;
use crate::time::Timestamp;

/// What a case is kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CaseKind {
    /// To be fixed.
    Failure,
    /// To be protected.
    Win,
}

impl CaseKind {
    /// The name on disk.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Failure => "failure",
            Self::Win => "win",
        }
    }

    /// Reads a name as [`Self::as_str`] writes it.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Failure, Self::Win]
            .into_iter()
            .find(|value| value.as_str() == text)
    }
}

/// One case of the eval set.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalCase {
    /// Its id, from which its file's name is derived.
    pub id: CaseId,
    /// When it was captured.
    pub created_at: Timestamp,
    /// The conversation it comes from.
    pub session: SessionId,
    /// Failure or win.
    pub kind: CaseKind,
    /// What had happened.
    pub signatures: Vec<Signature>,
    /// The scores of then.
    pub baseline: Vec<(MetricName, Score)>,
    /// What replays it; `None` if the host gave none or a secret was cut out of it.
    pub replay_input: Option<CleanString>,
    /// A remark.
    pub notes: CleanString,
}

impl EvalCase {
    /// Cases an eval set holds at most.
    pub const MAX_CASES: usize = 200;
}
