//! A structured diagnosis of a bad trajectory, as it lies in the mailbox.

use crate::condition::{Condition, Severity, Signature};
use crate::id::{NoticeId, Principal, RuleId, SessionId, TraceId};
use crate::metric::{MetricName, Score, Tier};
use crate::scope::{Applicability, Scope};
use crate::text::CleanString;
use crate::time::Timestamp;
use crate::turn::ScopeHint;

/// What a notice says of one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricFinding {
    /// The metric.
    pub name: MetricName,
    /// Its score, if there is one.
    pub value: Option<Score>,
    /// Below this is a breach.
    pub threshold: Score,
    /// Why the evaluator scored so.
    pub reason: Option<CleanString>,
    /// What happened to it; empty for a metric that only explains.
    pub conditions: Vec<Condition>,
    /// The trace that was scored.
    pub trace: Option<TraceId>,
    /// The metric's tier.
    pub tier: Tier,
}

/// The scores of one trace, side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceSignals {
    /// The trace.
    pub trace: TraceId,
    /// Its scores, in order of metric.
    pub scores: Vec<(MetricName, Score)>,
}

/// How a notice left the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResolutionKind {
    /// A candidate rule was added for it.
    Candidate,
    /// An active rule covers it.
    Duplicate,
    /// A candidate rule covers it.
    AlreadyCovered,
    /// Nothing worth a rule.
    NoProposal,
    /// Nothing an agent could do about it.
    Unactionable,
}

impl ResolutionKind {
    /// All values.
    pub const ALL: [Self; 5] = [
        Self::Candidate,
        Self::Duplicate,
        Self::AlreadyCovered,
        Self::NoProposal,
        Self::Unactionable,
    ];

    /// The name on disk.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Candidate => "candidate",
            Self::Duplicate => "duplicate",
            Self::AlreadyCovered => "already_covered",
            Self::NoProposal => "no_proposal",
            Self::Unactionable => "unactionable",
        }
    }

    /// Reads a name as [`Self::as_str`] writes it.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.as_str() == text)
    }
}

/// When, how and by what a notice was resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// When.
    pub acked_at: Timestamp,
    /// How.
    pub kind: ResolutionKind,
    /// The rule that was added or that covers it.
    pub rule: Option<RuleId>,
    /// A remark of whoever resolved it.
    pub note: Option<CleanString>,
}

/// A diagnostic notice.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Its id, from which its file's name is derived.
    pub id: NoticeId,
    /// When it was posted.
    pub created_at: Timestamp,
    /// The conversation it speaks of.
    pub session: SessionId,
    /// The turn it speaks of.
    pub turn_index: u32,
    /// How grave it is.
    pub severity: Severity,
    /// What was measured.
    pub metrics: Vec<MetricFinding>,
    /// The traces to look at.
    pub flagged_traces: Vec<TraceId>,
    /// The scores of each trace.
    pub signal_breakdown: Vec<TraceSignals>,
    /// What happened, in order and each once.
    pub signatures: Vec<Signature>,
    /// One line for a person.
    pub summary: CleanString,
    /// Names a rule might be filed under.
    pub scope_hints: Vec<ScopeHint>,
    /// The name the host would choose.
    pub recommended_scope: Option<Scope>,
    /// How widely a rule might apply.
    pub applicability_hint: Applicability,
    /// What the host calls itself; no rule is filed under these.
    pub host_labels: Vec<Scope>,
    /// What the task was, in the host's words.
    pub task_summary: Option<CleanString>,
    /// Whose conversation it was.
    pub principal: Option<Principal>,
    /// Rules the session had been shown.
    pub shown_rules: Vec<RuleId>,
    /// How it was resolved; `None` while it is pending.
    pub resolution: Option<Resolution>,
}

impl Notice {
    /// Whether it still waits for a resolution.
    pub const fn is_pending(&self) -> bool {
        self.resolution.is_none()
    }

    /// Whether the repair agent may take it: pending, and not for a person only.
    pub fn is_repairable(&self) -> bool {
        self.is_pending() && self.severity != Severity::NeedsHuman
    }

    /// Whether two notices speak of one failure: same session and turn, and a shared trace or
    /// signature.
    pub fn is_related_to(&self, other: &Self) -> bool {
        self.session == other.session
            && self.turn_index == other.turn_index
            && (self
                .flagged_traces
                .iter()
                .any(|trace| other.flagged_traces.contains(trace))
                || self
                    .signatures
                    .iter()
                    .any(|signature| other.signatures.contains(signature)))
    }
}
