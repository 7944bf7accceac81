//! The findings of one text, as many as are kept.

use super::finding::{Finding, Level};

/// Most findings of one text: the first hard ones, then the first soft ones.
pub const MAX_FINDINGS: usize = 64;

/// Findings in the making. Each level has its own room, so that no number of soft ones hides a hard
/// one.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    hard: Vec<Finding>,
    soft: Vec<Finding>,
}

impl Gathered {
    pub(super) fn push(&mut self, finding: Finding) {
        let level = match finding.level() {
            Level::Hard => &mut self.hard,
            Level::Soft => &mut self.soft,
        };
        if level.len() < MAX_FINDINGS {
            level.push(finding);
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.hard.is_empty() && self.soft.is_empty()
    }

    /// Whether whatever else is found changes nothing.
    pub(super) const fn is_full(&self) -> bool {
        self.hard.len() >= MAX_FINDINGS
    }

    /// What is kept, in order of place.
    pub(super) fn into_findings(self) -> Vec<Finding> {
        let mut kept = self.hard;
        kept.extend(self.soft);
        kept.truncate(MAX_FINDINGS);
        kept.sort_by_key(|finding| (finding.start, finding.end));
        kept.dedup();
        kept
    }
}
