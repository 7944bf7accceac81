//! Rules made up for this crate's own unit tests.

use harness_core::{Applicability, CleanText, Paragraph, Rule, RuleId, Scope, Tags, Timestamp};

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
