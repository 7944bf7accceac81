//! A rule: one paragraph of advice, where it came from and what became of it.

use crate::condition::Signature;
use crate::id::{IdError, NoticeId, RuleId};
use crate::metric::MetricName;
use crate::scope::{Applicability, Scope};
use crate::text::{CleanString, CleanText, Paragraph};
use crate::time::Timestamp;

/// Why a rule was retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Retirement {
    /// Its trial showed that it harms; it blocks its own return.
    Harmful,
    /// Its trial ended without a proof, or a proven rule supersedes it; that refutes nothing.
    Unproven,
    /// An operator decided.
    Operator,
}

impl Retirement {
    /// The name on disk.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Harmful => "harmful",
            Self::Unproven => "unproven",
            Self::Operator => "operator",
        }
    }

    /// Reads a name as [`Self::as_str`] writes it.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Harmful, Self::Unproven, Self::Operator]
            .into_iter()
            .find(|value| value.as_str() == text)
    }
}

/// Where a rule stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleStatus {
    /// On trial: visible only in the sessions assigned to it.
    Candidate,
    /// Proven; visible to all but its holdout.
    Active,
    /// Out of use.
    Retired(Retirement),
}

impl RuleStatus {
    /// The name on disk, without the reason of a retirement.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Candidate => "candidate",
            Self::Active => "active",
            Self::Retired(_) => "retired",
        }
    }

    /// Whether a session can be shown the rule at all.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Candidate | Self::Active)
    }
}

/// The tags of a rule: clean one-line texts, each once, bounded in number and length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<CleanString>);

impl Tags {
    /// Tags a rule has at most.
    pub const MAX: usize = 16;
    /// Characters a tag has at most.
    pub const MAX_CHARS: usize = 48;

    /// Takes the tags as they are.
    ///
    /// # Errors
    /// More than [`Self::MAX`] tags, or a tag that is empty, longer than [`Self::MAX_CHARS`]
    /// characters, has a line break, or is not clean text.
    pub fn new<'a>(tags: impl IntoIterator<Item = &'a str>) -> Result<Self, IdError> {
        let mut kept: Vec<CleanString> = Vec::new();
        for tag in tags {
            let clean = (!tag.trim().is_empty()
                && tag.chars().count() <= Self::MAX_CHARS
                && !tag.contains(['\n', '\t']))
            .then(|| CleanText::new(tag.trim().to_owned()).ok())
            .flatten()
            .ok_or_else(|| {
                IdError::new("tag", tag, "a tag is 1 to 48 clean characters on one line")
            })?;
            if kept.contains(&clean) {
                continue;
            }
            if kept.len() == Self::MAX {
                return Err(IdError::new(
                    "set of tags",
                    tag,
                    "a rule has at most 16 tags",
                ));
            }
            kept.push(clean);
        }
        Ok(Self(kept))
    }

    /// The tags, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = &CleanString> {
        self.0.iter()
    }
}

/// A rule and its provenance. Where it stands is not part of it: that is derived from the
/// journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: RuleId,
    /// When it was proposed.
    pub created_at: Timestamp,
    /// The advice: one paragraph.
    pub text: Paragraph,
    /// Why it was proposed.
    pub rationale: CleanString,
    /// The notice it answers; `None` where it was imported without one.
    pub source_notice: Option<NoticeId>,
    /// The metric its trial looks at; `None` for any.
    pub metric: Option<MetricName>,
    /// Words to find it by.
    pub tags: Tags,
    /// Where it is filed.
    pub scope: Scope,
    /// How widely it applies.
    pub applicability: Applicability,
    /// The failures it answers, taken from its notices.
    pub failure_signatures: Vec<Signature>,
    /// The rule it corrects.
    pub supersedes: Option<RuleId>,
    /// Rules the failing session had been shown.
    pub parents: Vec<RuleId>,
}

impl Rule {
    /// Bytes of a rule's text at most.
    pub const MAX_TEXT: usize = 2000;
    /// Bytes of a rationale at most.
    pub const MAX_RATIONALE: usize = 2000;
    /// Parents kept at most.
    pub const MAX_PARENTS: usize = 32;
}

#[cfg(test)]
mod tests {
    use super::Tags;

    #[test]
    fn tags_are_bounded_and_each_stands_once() {
        let tags = Tags::new(["orders", "lookup", "orders"]).unwrap();
        assert_eq!(tags.iter().count(), 2);
        let many: Vec<String> = (0..17).map(|n| format!("t{n}")).collect();
        assert!(Tags::new(many.iter().map(String::as_str)).is_err());
        assert!(Tags::new(many.iter().take(16).map(String::as_str)).is_ok());
        for bad in ["", "a\nb", "a\u{202e}", &"x".repeat(49)] {
            assert!(Tags::new([bad]).is_err(), "{bad:?}");
        }
    }
}
