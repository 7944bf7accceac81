//! A rule as it stands in `rules.jsonl` and in the events that carry it whole.

use harness_core::{
    Applicability, CleanString, MetricName, NoticeId, Quoted, Retirement, Rule, RuleId, RuleStatus,
    Scope, SessionId, Signature, Tags, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::as_text::{list, one, optional};

/// What 0.9 keeps of a rule's trial; filled in truthfully from the treated arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialDoc {
    /// Sessions with a breach before the rule.
    #[serde(default)]
    pub baseline_breached_sessions: u64,
    /// Sessions before the rule.
    #[serde(default)]
    pub baseline_sessions: u64,
    /// How many sessions before the rule were looked at.
    #[serde(default)]
    pub baseline_window: u64,
    /// When the trial began.
    #[serde(with = "optional", default)]
    pub trial_started_at: Option<Timestamp>,
    /// Treated sessions with an outcome, at most [`TrialDoc::MAX_SESSIONS`].
    #[serde(with = "list", default)]
    pub observed_sessions: Vec<SessionId>,
    /// Those of them that failed, at most [`TrialDoc::MAX_SESSIONS`].
    #[serde(with = "list", default)]
    pub breached_sessions: Vec<SessionId>,
    /// How many failed.
    #[serde(default)]
    pub observed_breaches: u64,
    /// Replays tried.
    #[serde(default)]
    pub replay_attempts: u64,
    /// The verdict, empty while there is none.
    #[serde(default)]
    pub verdict: String,
}

impl TrialDoc {
    /// Sessions that either list holds at most; the full record is in the journal.
    pub const MAX_SESSIONS: usize = 1_000;
}

/// A rule on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleDoc {
    /// Its id.
    #[serde(with = "one")]
    pub id: RuleId,
    /// When it was proposed.
    #[serde(with = "one")]
    pub created_at: Timestamp,
    /// The advice.
    #[serde(with = "one")]
    pub rule: CleanString,
    /// Why it was proposed.
    #[serde(with = "one")]
    pub rationale: CleanString,
    /// The notice it answers.
    #[serde(with = "optional", default)]
    pub source_notice_id: Option<NoticeId>,
    /// The metric its trial looks at.
    #[serde(with = "optional", default)]
    pub metric: Option<MetricName>,
    /// `candidate`, `active` or `retired`; 0.9 reads any other as active, so we never write one,
    /// and a document with one does not become a rule.
    pub status: String,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What 0.9 knows of its trial.
    #[serde(default)]
    pub trial: Option<TrialDoc>,
    /// Where it is filed.
    #[serde(with = "one", default)]
    pub scope: Scope,
    /// How widely it applies.
    #[serde(with = "one", default)]
    pub applicability: Applicability,
    /// The failures it answers.
    #[serde(with = "list", default)]
    pub failure_signatures: Vec<Signature>,
    /// Ours: arms, counts, e-values, horizon, state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_trial: Option<Value>,
    /// Ours: hashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_evidence: Option<Value>,
    /// Rules the failing session had been shown.
    #[serde(with = "list", default, skip_serializing_if = "Vec::is_empty")]
    pub x_parents: Vec<RuleId>,
    /// The rule it corrects.
    #[serde(with = "optional", default, skip_serializing_if = "Option::is_none")]
    pub x_supersedes: Option<RuleId>,
    /// Why it was retired.
    #[serde(with = "optional", default, skip_serializing_if = "Option::is_none")]
    pub x_retirement: Option<Retirement>,
    /// Whether its status is another program's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub x_imported: bool,
}

impl RuleDoc {
    /// The document of a rule, without what its trial says.
    pub fn from_domain(rule: &Rule, status: RuleStatus) -> Self {
        Self {
            id: rule.id.clone(),
            created_at: rule.created_at,
            rule: rule.text.as_clean().clone(),
            rationale: rule.rationale.clone(),
            source_notice_id: rule.source_notice.clone(),
            metric: rule.metric.clone(),
            status: status.as_str().to_owned(),
            tags: rule
                .tags
                .iter()
                .map(|tag| tag.as_str().to_owned())
                .collect(),
            trial: None,
            scope: rule.scope.clone(),
            applicability: rule.applicability,
            failure_signatures: rule.failure_signatures.clone(),
            x_trial: None,
            x_evidence: None,
            x_parents: rule.parents.clone(),
            x_supersedes: rule.supersedes.clone(),
            x_retirement: match status {
                RuleStatus::Retired(retirement) => Some(retirement),
                RuleStatus::Candidate | RuleStatus::Active => None,
            },
            x_imported: false,
        }
    }

    /// Where the document says that the rule stands. A retirement without a reason refutes
    /// nothing: `unproven`.
    ///
    /// # Errors
    /// An unknown status: it must not become an active rule.
    pub fn status(&self) -> Result<RuleStatus, String> {
        match self.status.as_str() {
            "candidate" => Ok(RuleStatus::Candidate),
            "active" => Ok(RuleStatus::Active),
            "retired" => Ok(RuleStatus::Retired(
                self.x_retirement.unwrap_or(Retirement::Unproven),
            )),
            other => Err(format!(
                "{} is no status: `candidate`, `active` or `retired`",
                Quoted(other)
            )),
        }
    }

    /// The rule and where the document says that it stands.
    ///
    /// # Errors
    /// An unknown status, a text that is not one paragraph or too long, or unfit tags.
    pub fn try_into_domain(self) -> Result<(Rule, RuleStatus), String> {
        let status = self.status()?;
        if self.rule.len() > Rule::MAX_TEXT || self.rationale.len() > Rule::MAX_RATIONALE {
            return Err(format!(
                "a rule has at most {} bytes of text and {} of rationale",
                Rule::MAX_TEXT,
                Rule::MAX_RATIONALE
            ));
        }
        if self.x_parents.len() > Rule::MAX_PARENTS {
            return Err(format!("a rule has at most {} parents", Rule::MAX_PARENTS));
        }
        let rule = Rule {
            text: self.rule.paragraph().map_err(|error| error.to_string())?,
            tags: Tags::new(self.tags.iter().map(String::as_str))
                .map_err(|error| error.to_string())?,
            id: self.id,
            created_at: self.created_at,
            rationale: self.rationale,
            source_notice: self.source_notice_id,
            metric: self.metric,
            scope: self.scope,
            applicability: self.applicability,
            failure_signatures: self.failure_signatures,
            supersedes: self.x_supersedes,
            parents: self.x_parents,
        };
        Ok((rule, status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn doc(status: &str) -> RuleDoc {
        serde_json::from_value(json!({
            "id": "r-1", "created_at": "2026-11-30T11:26:14.500145+00:00",
            "rule": "Look the order up before you answer.", "rationale": "three calls failed",
            "status": status, "tags": ["orders"], "scope": "orders", "applicability": "topical",
        }))
        .unwrap()
    }

    #[test]
    fn a_rule_reads_what_it_writes() {
        for status in ["candidate", "active", "retired"] {
            let (rule, stands) = doc(status).try_into_domain().unwrap();
            let again = RuleDoc::from_domain(&rule, stands).try_into_domain();
            assert_eq!(again, Ok((rule, stands)));
        }
    }

    #[test]
    fn an_unknown_status_never_becomes_a_rule() {
        for status in ["", "Active", "enabled"] {
            assert!(doc(status).try_into_domain().is_err(), "{status:?}");
        }
    }

    #[test]
    fn a_retirement_without_a_reason_refutes_nothing() {
        let stands = RuleStatus::Retired(Retirement::Unproven);
        assert_eq!(doc("retired").status(), Ok(stands));
    }

    #[test]
    fn a_text_of_two_paragraphs_is_no_rule() {
        let mut two = doc("candidate");
        two.rule = harness_core::CleanText::new("One.\nTwo.").unwrap();
        assert!(two.try_into_domain().is_err());
    }
}
