//! Rules made up for this crate's own unit tests.

use harness_core::{
    Applicability, CleanText, Paragraph, Rule, RuleId, RuleStatus, Scope, Tags, Timestamp,
};

use crate::ledger::RuleRecord;
use crate::search::Slot;

pub(crate) fn rule(id: &str, text: &str) -> Rule {
    tagged_rule(id, text, &[])
}

pub(crate) fn tagged_rule(id: &str, text: &str, tags: &[&str]) -> Rule {
    Rule {
        id: RuleId::parse(id).unwrap(),
        created_at: Timestamp::EPOCH,
        text: Paragraph::new(CleanText::new(text.to_owned()).unwrap()).unwrap(),
        rationale: CleanText::empty(),
        source_notice: None,
        metric: None,
        tags: Tags::new(tags.iter().copied()).unwrap(),
        scope: Scope::global(),
        applicability: Applicability::Global,
        failure_signatures: Vec::new(),
        supersedes: None,
        parents: Vec::new(),
    }
}

pub(crate) fn record(rule: Rule, status: RuleStatus) -> RuleRecord {
    RuleRecord {
        text_sha256: String::new(),
        status,
        quarantined: false,
        imported: false,
        episode: None,
        added_seq: 0,
        trials: Vec::new(),
        changed_at: rule.created_at,
        slot: Slot::default(),
        rule,
    }
}
