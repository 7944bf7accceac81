//! Events of trials: opening, entry, outcome, verdict. Every verdict can be derived again from
//! these alone.

use std::borrow::Cow;
use std::fmt;

use harness_core::{
    Applicability, CleanString, CleanText, MetricName, Notice, NoticeId, RuleId, Scope, SessionId,
    Severity,
};
use serde::{Deserialize, Serialize};

use crate::wire::Record;
use crate::wire::as_text::{TextForm, list, one, optional};
use crate::wire::rule::RuleDoc;

/// Which process an opening belongs to; its text is part of the key's derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrialKind {
    /// A candidate's trial.
    Trial,
    /// An active rule's holdout.
    Holdout,
}

impl TrialKind {
    /// The text in names and in key derivation.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Holdout => "holdout",
        }
    }
}

/// One opening of one rule: `trial.1`, `holdout.2`. The number counts this rule's openings of
/// either kind, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrialName {
    /// Trial or holdout.
    pub kind: TrialKind,
    /// How often the rule was opened, this one included.
    pub opening: u32,
}

impl fmt::Display for TrialName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.kind.as_str(), self.opening)
    }
}

impl TextForm for TrialName {
    fn to_text(&self) -> Cow<'_, str> {
        self.to_string().into()
    }

    fn from_text(text: &str) -> Result<Self, String> {
        let parts = text.split_once('.').and_then(|(kind, opening)| {
            let kind = [TrialKind::Trial, TrialKind::Holdout]
                .into_iter()
                .find(|value| value.as_str() == kind)?;
            let opening: u32 = opening.parse().ok()?;
            (opening > 0).then_some(Self { kind, opening })
        });
        parts
            .filter(|name| name.to_string() == text)
            .ok_or_else(|| format!("{} is no trial's name", harness_core::Quoted(text)))
    }
}

/// How evidence is gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Path {
    /// Over new sessions, assigned at random.
    Forward,
    /// By running captured cases with and without the rule.
    Replay,
}

/// A trial or holdout begins. Only sessions opened after this line take part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialOpened {
    /// The rule.
    #[serde(with = "one")]
    pub rule: RuleId,
    /// Which opening.
    #[serde(with = "one")]
    pub trial: TrialName,
    /// Forward or replay.
    pub path: Path,
    /// The metric whose conditions count; `None` for any.
    #[serde(with = "optional")]
    pub target: Option<MetricName>,
    /// SHA-256 of the assignment key, in hex; the verdict reveals the key.
    pub commitment: String,
    /// The evaluator that scores, by name.
    #[serde(with = "one")]
    pub evaluator: CleanString,
    /// Its version.
    #[serde(with = "one")]
    pub evaluator_version: CleanString,
    /// The e-value it starts with: 1, or an undecided replay's.
    pub starting_e: f64,
    /// The error rate for each rule.
    pub alpha: f64,
    /// The false discovery rate for the workspace.
    pub phi: f64,
}

/// A session entered a trial: its next answer differs between the arms. Never says the arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialAssigned {
    /// The rule.
    #[serde(with = "one")]
    pub rule: RuleId,
    /// Which opening.
    #[serde(with = "one")]
    pub trial: TrialName,
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The probability with which this session was assigned to be treated.
    pub pi: f64,
    /// The trial's number in the workspace, on its first entry only (trials, not holdouts).
    pub t: Option<u64>,
    /// The turn of entry; conditions of earlier turns do not count.
    pub turn_index: u32,
}

/// What settled an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialObservedCause {
    /// A target condition: y = 1.
    Condition,
    /// The session closed without one: y = 0.
    Closed,
    /// The session closed with a score missing: y = 1 in either arm.
    Missing,
    /// The session had a turn inside an outage: dropped, y = null.
    Outage,
}

/// A session's outcome in a trial: at most one for each (rule, trial, session).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialObserved {
    /// The rule.
    #[serde(with = "one")]
    pub rule: RuleId,
    /// Which opening.
    #[serde(with = "one")]
    pub trial: TrialName,
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// 1 failed, 0 fine, null dropped.
    pub y: Option<u8>,
    /// What settled it.
    pub cause: TrialObservedCause,
    /// The turn that settled it, where one did.
    pub turn_index: Option<u32>,
}

/// A session called `read` or `search` while a rule was active, so that it is a unit of what all
/// rules together are worth. Never says whether it is one that is shown none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorthAssigned {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// The turn of entry; conditions of earlier turns do not count.
    pub turn_index: u32,
}

/// A unit's outcome: at most one a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorthObserved {
    /// The session.
    #[serde(with = "one")]
    pub session: SessionId,
    /// 1 failed, 0 fine, null dropped.
    pub y: Option<u8>,
    /// What settled it.
    pub cause: TrialObservedCause,
}

/// A rule became active. Holds the whole rule and every number the verdict rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulePromote {
    /// The rule as it is from now on.
    #[serde(flatten)]
    pub rule: RuleDoc,
    /// A sentence for people.
    pub reason: String,
    /// What decided: `forward_trial` or `replay`.
    pub validator: String,
    /// The trial that was decided; `trial` is taken by the rule's own record.
    #[serde(rename = "trial_name", with = "one")]
    pub trial: TrialName,
    /// The assignment key, revealed, in hex.
    pub key: String,
    /// The trial's number.
    pub t: u64,
    /// The e-value at the verdict.
    pub e_value: f64,
    /// What it had to reach.
    pub threshold: f64,
    /// Promotions before this one.
    pub promotions: u64,
    /// SHA-256 of the rule's text, in hex, as recorded when it was proposed.
    pub text_sha256: String,
}

/// The numbers behind a retirement by evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleRetireEvidence {
    /// The trial or holdout that was decided.
    #[serde(with = "one")]
    pub trial: TrialName,
    /// The assignment key, revealed, in hex.
    pub key: String,
    /// The trial's number; `None` for a holdout or a trial nobody entered.
    pub t: Option<u64>,
    /// The e-value for benefit at the verdict.
    pub e_value: f64,
    /// The e-value for harm at the verdict.
    pub e_harm: f64,
    /// What the deciding one had to reach, or the horizon's threshold for `unproven`.
    pub threshold: f64,
    /// Sessions that had entered.
    pub entered: u64,
}

/// A rule was retired.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleRetire {
    /// The rule.
    #[serde(with = "one")]
    pub id: RuleId,
    /// `harmful`, `unproven` or `operator`.
    #[serde(with = "one")]
    pub reason: harness_core::Retirement,
    /// What decided: `forward_trial`, `holdout`, `replay`, `operator` or `superseded`.
    pub validator: String,
    /// The numbers, where evidence decided.
    pub evidence: Option<RuleRetireEvidence>,
    /// An operator's words, gated; or who judged, or which rule took its place.
    #[serde(with = "optional", default)]
    pub note: Option<CleanString>,
}

/// Active rules went back to candidate because a parent was proven harmful.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quarantine {
    /// The rule that was retired.
    #[serde(with = "one")]
    pub because: RuleId,
    /// Its descendants.
    #[serde(with = "list")]
    pub rules: Vec<RuleId>,
}

/// A scope has come to have as many active rules as it may: once for each time that it fills up. In
/// the mailbox it is a notice for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeFull {
    /// The scope.
    #[serde(with = "one")]
    pub scope: Scope,
    /// Its active rules.
    pub active: u64,
}

impl ScopeFull {
    /// The notice that this line of the journal is. It speaks of no conversation, so its session is
    /// the harness itself. `None` only if the words here were no clean text.
    pub fn notice(&self, record: &Record) -> Option<Notice> {
        let summary = format!(
            "the scope {} has {} active rules, as many as it may: a rule that proves itself waits \
             until one of them is retired or superseded; an operator consolidates them",
            self.scope, self.active
        );
        Some(Notice {
            // No two lines have one number; an id has room for its low half.
            id: NoticeId::from_parts(record.ts, (record.seq & u64::from(u32::MAX)) as u32),
            created_at: record.ts,
            session: SessionId::parse("harness").ok()?,
            turn_index: 0,
            severity: Severity::NeedsHuman,
            metrics: Vec::new(),
            flagged_traces: Vec::new(),
            signal_breakdown: Vec::new(),
            signatures: Vec::new(),
            summary: CleanText::new(summary).ok()?,
            scope_hints: Vec::new(),
            recommended_scope: Some(self.scope.clone()),
            applicability_hint: Applicability::Topical,
            host_labels: Vec::new(),
            task_summary: None,
            principal: None,
            shown_rules: Vec::new(),
            resolution: None,
        })
    }
}
