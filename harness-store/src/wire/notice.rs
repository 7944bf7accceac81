//! A notice as it lies in the mailbox and in its `notice` event.

use std::collections::BTreeMap;

use harness_core::layout;
use harness_core::{
    Applicability, CleanString, Condition, MetricFinding, MetricName, Notice, NoticeId, Principal,
    Resolution, ResolutionKind, RuleId, Scope, ScopeHint, Score, SessionId, Severity, Signature,
    Tier, Timestamp, TraceId,
};
use serde::{Deserialize, Serialize};

use super::as_text::{list, one, optional};
use super::by_metric::{breakdown_from_doc, breakdown_to_doc, score};

const PENDING: &str = "pending";
const ACKNOWLEDGED: &str = "acknowledged";

/// What a notice says of one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingDoc {
    /// The metric.
    #[serde(with = "one")]
    pub name: MetricName,
    /// Its score in [0, 1].
    pub value: Option<f64>,
    /// Below this is a breach.
    pub threshold: f64,
    /// Why the evaluator scored so.
    #[serde(with = "optional", default)]
    pub reason: Option<CleanString>,
    /// What happened to it.
    #[serde(with = "list", default)]
    pub conditions: Vec<Condition>,
    /// The trace that was scored.
    #[serde(with = "optional", default)]
    pub trace_id: Option<TraceId>,
    /// The metric's tier, 0 to 3.
    pub tier: u8,
}

/// A name that a rule might be filed under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeHintDoc {
    /// The name.
    #[serde(with = "one")]
    pub key: Scope,
    /// What it stands for.
    #[serde(with = "one")]
    pub description: CleanString,
    /// How widely rules of this name apply.
    #[serde(with = "one")]
    pub applicability: Applicability,
    /// Whether the host would choose it.
    #[serde(default)]
    pub recommended: bool,
}

/// When, how and by what a notice was resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolutionDoc {
    /// When.
    #[serde(with = "one")]
    pub acked_at: Timestamp,
    /// The rule that was added or that covers it.
    #[serde(with = "optional", default)]
    pub rule_id: Option<RuleId>,
    /// A remark.
    #[serde(with = "optional", default)]
    pub note: Option<CleanString>,
    /// How; 0.9 leaves it out where an operator acknowledged by hand.
    #[serde(with = "optional", default)]
    pub kind: Option<ResolutionKind>,
}

/// A notice on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoticeDoc {
    /// Its id.
    #[serde(with = "one")]
    pub id: NoticeId,
    /// When it was posted.
    #[serde(with = "one")]
    pub created_at: Timestamp,
    /// The conversation.
    #[serde(with = "one")]
    pub session_id: SessionId,
    /// The turn.
    pub turn_index: u32,
    /// `trend`, `breach` or `needs_human`; anything else reads as `breach`.
    pub severity: String,
    /// `relative`, which 0.9 does not know and which is written as `trend`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_severity: Option<String>,
    /// What was measured.
    pub metrics: Vec<FindingDoc>,
    /// The traces to look at.
    #[serde(with = "list", default)]
    pub flagged_traces: Vec<TraceId>,
    /// The scores of each trace.
    #[serde(default)]
    pub signal_breakdown: BTreeMap<String, BTreeMap<String, f64>>,
    /// Where the evaluation dump lies. Written for people; never followed: paths come from ids.
    #[serde(default)]
    pub dump_path: String,
    /// One line for a person.
    #[serde(with = "one")]
    pub summary: CleanString,
    /// What happened.
    #[serde(with = "list", default)]
    pub signatures: Vec<Signature>,
    /// The scope a reader of 0.9 looks at: the recommended one, else `global`.
    #[serde(with = "one", default)]
    pub scope_hint: Scope,
    /// Names a rule might be filed under.
    #[serde(default)]
    pub scope_hints: Vec<ScopeHintDoc>,
    /// The name the host would choose.
    #[serde(with = "optional", default)]
    pub recommended_scope: Option<Scope>,
    /// How widely a rule might apply.
    #[serde(with = "one", default)]
    pub applicability_hint: Applicability,
    /// `pending` or `acknowledged`; whether there is a resolution decides.
    #[serde(default)]
    pub status: String,
    /// How it was resolved.
    #[serde(default)]
    pub resolution: Option<ResolutionDoc>,
    /// Whose conversation it was.
    #[serde(with = "optional", default, skip_serializing_if = "Option::is_none")]
    pub x_principal: Option<Principal>,
    /// What the host calls itself.
    #[serde(with = "list", default, skip_serializing_if = "Vec::is_empty")]
    pub x_host_labels: Vec<Scope>,
    /// What the task was, in the host's words.
    #[serde(with = "optional", default, skip_serializing_if = "Option::is_none")]
    pub x_task_summary: Option<CleanString>,
    /// Rules the session had been shown.
    #[serde(with = "list", default, skip_serializing_if = "Vec::is_empty")]
    pub x_shown_rules: Vec<RuleId>,
}

impl NoticeDoc {
    /// The document of a notice.
    pub fn from_domain(notice: &Notice) -> Self {
        let relative = notice.severity == Severity::Relative;
        let on_disk = if relative {
            Severity::Trend
        } else {
            notice.severity
        };
        let status = if notice.is_pending() {
            PENDING
        } else {
            ACKNOWLEDGED
        };
        Self {
            id: notice.id.clone(),
            created_at: notice.created_at,
            session_id: notice.session.clone(),
            turn_index: notice.turn_index,
            severity: on_disk.as_str().to_owned(),
            x_severity: relative.then(|| notice.severity.as_str().to_owned()),
            metrics: notice.metrics.iter().map(FindingDoc::from_domain).collect(),
            flagged_traces: notice.flagged_traces.clone(),
            signal_breakdown: breakdown_to_doc(&notice.signal_breakdown),
            dump_path: layout::dump(&notice.id).as_str().to_owned(),
            summary: notice.summary.clone(),
            signatures: notice.signatures.clone(),
            scope_hint: notice.recommended_scope.clone().unwrap_or_default(),
            scope_hints: notice
                .scope_hints
                .iter()
                .map(ScopeHintDoc::from_domain)
                .collect(),
            recommended_scope: notice.recommended_scope.clone(),
            applicability_hint: notice.applicability_hint,
            status: status.to_owned(),
            resolution: notice.resolution.as_ref().map(ResolutionDoc::from_domain),
            x_principal: notice.principal.clone(),
            x_host_labels: notice.host_labels.clone(),
            x_task_summary: notice.task_summary.clone(),
            x_shown_rules: notice.shown_rules.clone(),
        }
    }

    /// The notice of a document.
    ///
    /// # Errors
    /// A score or tier out of range, or a trace or metric in the breakdown that has no such name.
    pub fn try_into_domain(self) -> Result<Notice, String> {
        let stored = self.x_severity.as_deref().unwrap_or(&self.severity);
        Ok(Notice {
            severity: Severity::from_stored(stored),
            metrics: self
                .metrics
                .into_iter()
                .map(FindingDoc::try_into_domain)
                .collect::<Result<_, _>>()?,
            signal_breakdown: breakdown_from_doc(self.signal_breakdown)?,
            scope_hints: self
                .scope_hints
                .into_iter()
                .map(ScopeHintDoc::into_domain)
                .collect(),
            resolution: self.resolution.map(ResolutionDoc::into_domain),
            id: self.id,
            created_at: self.created_at,
            session: self.session_id,
            turn_index: self.turn_index,
            flagged_traces: self.flagged_traces,
            signatures: self.signatures,
            summary: self.summary,
            recommended_scope: self.recommended_scope,
            applicability_hint: self.applicability_hint,
            host_labels: self.x_host_labels,
            task_summary: self.x_task_summary,
            principal: self.x_principal,
            shown_rules: self.x_shown_rules,
        })
    }
}

impl FindingDoc {
    fn from_domain(finding: &MetricFinding) -> Self {
        Self {
            name: finding.name.clone(),
            value: finding.value.map(Score::get),
            threshold: finding.threshold.get(),
            reason: finding.reason.clone(),
            conditions: finding.conditions.clone(),
            trace_id: finding.trace.clone(),
            tier: finding.tier.number(),
        }
    }

    fn try_into_domain(self) -> Result<MetricFinding, String> {
        Ok(MetricFinding {
            value: self.value.map(score).transpose()?,
            threshold: score(self.threshold)?,
            tier: Tier::from_number(self.tier)
                .ok_or_else(|| format!("{} is no tier: 0 to 3", self.tier))?,
            name: self.name,
            reason: self.reason,
            conditions: self.conditions,
            trace: self.trace_id,
        })
    }
}

impl ScopeHintDoc {
    fn from_domain(hint: &ScopeHint) -> Self {
        Self {
            key: hint.key.clone(),
            description: hint.description.clone(),
            applicability: hint.applicability,
            recommended: hint.recommended,
        }
    }

    fn into_domain(self) -> ScopeHint {
        ScopeHint {
            key: self.key,
            description: self.description,
            applicability: self.applicability,
            recommended: self.recommended,
        }
    }
}

impl ResolutionDoc {
    fn from_domain(resolution: &Resolution) -> Self {
        Self {
            acked_at: resolution.acked_at,
            rule_id: resolution.rule.clone(),
            note: resolution.note.clone(),
            kind: Some(resolution.kind),
        }
    }

    /// Without a kind, a rule says that one was added for the notice, and none that nothing was.
    fn into_domain(self) -> Resolution {
        let by_rule = if self.rule_id.is_some() {
            ResolutionKind::Candidate
        } else {
            ResolutionKind::NoProposal
        };
        Resolution {
            acked_at: self.acked_at,
            kind: self.kind.unwrap_or(by_rule),
            rule: self.rule_id,
            note: self.note,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_core::CleanText;
    use serde_json::{Value, json};

    fn doc(severity: &str) -> Value {
        json!({
            "id": "n-1", "created_at": "2026-11-30T11:26:14.500145+00:00", "session_id": "s",
            "turn_index": 1, "severity": severity, "summary": "calls failed",
            "metrics": [{"name": "m", "value": 0.25, "threshold": 0.5, "tier": 2}],
            "signatures": ["breach:m"], "dump_path": "/etc/passwd", "unheard_of": 1,
        })
    }

    fn read(value: Value) -> Result<Notice, String> {
        serde_json::from_value::<NoticeDoc>(value)
            .map_err(|error| error.to_string())?
            .try_into_domain()
    }

    #[test]
    fn a_notice_reads_what_it_writes() {
        let mut notice = read(doc("breach")).unwrap();
        notice.severity = Severity::Relative;
        notice.task_summary = Some(CleanText::new("find an order").unwrap());
        let written = serde_json::to_value(NoticeDoc::from_domain(&notice)).unwrap();
        assert_eq!(written["severity"], "trend", "0.9 knows no `relative`");
        assert_eq!(written["x_severity"], "relative");
        assert_eq!(
            written["dump_path"], "traces/n-1.json",
            "a path comes from the id"
        );
        assert_eq!(read(written), Ok(notice));
    }

    #[test]
    fn an_unknown_severity_reads_as_breach() {
        assert_eq!(read(doc("catastrophe")).unwrap().severity, Severity::Breach);
        assert_eq!(read(doc("trend")).unwrap().severity, Severity::Trend);
    }

    #[test]
    fn a_wrong_type_costs_the_notice() {
        for (key, value) in [
            ("turn_index", Value::Null),
            ("id", json!("../x")),
            ("metrics", json!(1)),
        ] {
            let mut bad = doc("breach");
            bad[key] = value;
            assert!(read(bad).is_err(), "{key}");
        }
        let mut bad = doc("breach");
        bad["metrics"][0]["value"] = json!(1.5);
        assert!(read(bad).is_err());
    }
}
