//! An evaluation dump: `traces/<notice id>.json` and `traces/latest_eval.json`, and the mailbox
//! in three numbers, `mailbox/status.json`.

use std::collections::BTreeMap;

use harness_core::{CleanString, MetricName, NoticeId, SessionId, Timestamp, TraceId};
use serde::{Deserialize, Serialize};

use super::as_text::{list, one, optional};
use super::trace::TraceDoc;

/// What an evaluation said of one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DumpScore {
    /// The metric.
    #[serde(with = "one")]
    pub metric: MetricName,
    /// Its score in [0, 1].
    pub value: Option<f64>,
    /// Below this is a breach; 0.9 may leave it out.
    #[serde(default = "usual_threshold")]
    pub threshold: f64,
    /// Whether it breached, where its tier may.
    #[serde(default)]
    pub breached: bool,
    /// Whether it is below the threshold, whatever its tier.
    #[serde(default)]
    pub below_threshold: bool,
    /// Whether it stalled.
    #[serde(default)]
    pub stalled: bool,
    /// Whether it regressed.
    #[serde(default)]
    pub regressed: bool,
    /// Whether a score was asked for and is missing.
    #[serde(default)]
    pub pending: bool,
    /// Why it was scored so.
    #[serde(with = "optional", default)]
    pub reason: Option<CleanString>,
    /// The trace that was scored.
    #[serde(with = "optional", default)]
    pub trace_id: Option<TraceId>,
    /// The metric's tier, 0 to 3; a diagnosis where 0.9 leaves it out.
    #[serde(default = "usual_tier")]
    pub tier: u8,
    /// The traces to look at.
    #[serde(with = "list", default)]
    pub flagged_traces: Vec<TraceId>,
    /// How the scores of several traces became one, `last` where only one counts.
    #[serde(default)]
    pub aggregation: String,
}

const fn usual_threshold() -> f64 {
    0.5
}

const fn usual_tier() -> u8 {
    2
}

/// One evaluation, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DumpDoc {
    /// The conversation.
    #[serde(with = "one")]
    pub session_id: SessionId,
    /// The turn.
    pub turn_index: u32,
    /// Whether any metric breached.
    #[serde(default)]
    pub any_breach: bool,
    /// Whether any condition fired.
    #[serde(default)]
    pub any_alert: bool,
    /// Whether a metric of tier 1 fired.
    #[serde(default)]
    pub gate_breached: bool,
    /// The traces to look at.
    #[serde(with = "list", default)]
    pub flagged_traces: Vec<TraceId>,
    /// The scores of each trace.
    #[serde(default)]
    pub signal_breakdown: BTreeMap<String, BTreeMap<String, f64>>,
    /// Metric by metric.
    #[serde(default)]
    pub scores: Vec<DumpScore>,
    /// Ours: the flagged traces themselves, for the repair agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub x_traces: Vec<TraceDoc>,
}

/// The mailbox in three numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusDoc {
    /// Notices that wait.
    pub pending_count: u64,
    /// The gravest of them, in the words of a notice on disk.
    pub max_severity: Option<String>,
    /// The newest of them.
    #[serde(with = "optional")]
    pub latest_id: Option<NoticeId>,
    /// When this was written.
    #[serde(with = "one")]
    pub updated_at: Timestamp,
}
