//! Events of the repair desk. Never prompts, replies or credentials: hashes, sizes and ids.

use harness_core::{CleanString, EpisodeId, MetricName, NoticeId, ResolutionKind, RuleId, Scope};
use serde::{Deserialize, Serialize};

use crate::wire::as_text::{list, one, optional};
use crate::wire::rule::RuleDoc;

/// What every event of an episode carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairContext {
    /// The episode.
    #[serde(rename = "repair_episode_id", with = "one")]
    pub episode: EpisodeId,
    /// Its notices, sorted.
    #[serde(rename = "notice_ids", with = "list")]
    pub notices: Vec<NoticeId>,
    /// The attempt at this episode, from 1.
    pub attempt: u32,
    /// The repair session, `repair-<16 hex>`.
    pub repair_session: String,
    /// The scope the host would choose.
    #[serde(with = "optional", default)]
    pub recommended_scope: Option<Scope>,
    /// The scope the model chose.
    #[serde(with = "optional", default)]
    pub selected_scope: Option<Scope>,
    /// Why, gated.
    #[serde(with = "optional", default)]
    pub scope_rationale: Option<CleanString>,
    /// Rules the model was shown.
    #[serde(rename = "considered_rule_ids", with = "list", default)]
    pub considered_rules: Vec<RuleId>,
    /// Why a proposal was refused, if one was.
    #[serde(rename = "candidate_suppression_reason", with = "optional", default)]
    pub suppression: Option<CleanString>,
}

/// An attempt at an episode began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairStarted {
    /// The episode.
    #[serde(flatten)]
    pub context: RepairContext,
    /// The model's name, gated; `builtin` for ours.
    #[serde(with = "one")]
    pub model: CleanString,
}

/// The model replied once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairModelTurn {
    /// The episode.
    #[serde(flatten)]
    pub context: RepairContext,
    /// The reply's number in the attempt, from 1.
    pub turn: u32,
    /// Tool calls in it.
    pub tool_calls: u32,
    /// Tokens counted for it; the worst case where the model did not say.
    pub output_tokens: u64,
}

/// A tool of the episode was called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairToolCall {
    /// The episode.
    #[serde(flatten)]
    pub context: RepairContext,
    /// The tool's name, gated.
    #[serde(with = "one")]
    pub tool: CleanString,
    /// Whether the call did what it was for.
    pub ok: bool,
    /// SHA-256 of the arguments, in hex.
    pub arguments_sha256: String,
    /// Bytes of the answer.
    pub result_bytes: u64,
}

/// A rule was proposed and is a candidate now; holds the whole rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleAdd {
    /// The rule.
    #[serde(flatten)]
    pub rule: RuleDoc,
    /// The episode that proposed it.
    #[serde(rename = "repair_episode_id", with = "optional", default)]
    pub episode: Option<EpisodeId>,
    /// SHA-256 of its text, in hex; what is shown later must have it.
    pub text_sha256: String,
}

/// An episode's proposal was accepted as a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairCandidateAdded {
    /// The episode.
    #[serde(flatten)]
    pub context: RepairContext,
    /// The rule.
    #[serde(rename = "rule_id", with = "one")]
    pub rule: RuleId,
    /// The metric its trial looks at.
    #[serde(with = "optional", default)]
    pub metric: Option<MetricName>,
}

/// All notices of an episode were resolved. This line is the one commit point of a resolution;
/// files are moved after it and moved again at open if that was cut short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairNoticeResolved {
    /// The episode.
    #[serde(flatten)]
    pub context: RepairContext,
    /// How.
    #[serde(with = "one")]
    pub kind: ResolutionKind,
    /// The rule that was added or that covers the failure.
    #[serde(rename = "rule_id", with = "optional", default)]
    pub rule: Option<RuleId>,
    /// A remark, gated.
    #[serde(with = "optional", default)]
    pub note: Option<CleanString>,
}

/// The terminal event of an attempt; there is exactly one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairEnd {
    /// The episode.
    #[serde(flatten)]
    pub context: RepairContext,
    /// The rule that was added or that covers the failure.
    #[serde(rename = "rule_id", with = "optional", default)]
    pub rule: Option<RuleId>,
    /// What kind of failure ended it, from a closed set; `None` where nothing failed.
    #[serde(default)]
    pub category: Option<String>,
    /// Model turns used.
    pub turns: u32,
    /// Tool calls made.
    pub tool_calls: u32,
    /// Output tokens counted.
    pub output_tokens: u64,
    /// Milliseconds from start to end.
    pub elapsed_ms: u64,
}
