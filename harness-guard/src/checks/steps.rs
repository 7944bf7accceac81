//! What each check said: for people who want to know why.

use crate::approval::Ask;
use crate::refusal::Refusal;

/// A check, in the order in which they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// The phase and the role have the tool.
    Grant,
    /// The arguments fit the schema.
    Schema,
    /// Paths stay beneath the working folder.
    Path,
    /// Commands are in the command policy.
    Command,
    /// URLs are in the web policy.
    Web,
    /// No secret leaves.
    Content,
    /// The call does what was asked for.
    Intent,
    /// The session has calls left.
    Budget,
    /// What the mode and the policy file say.
    Consent,
    /// What a person says.
    Person,
}

impl Check {
    /// Its name: lower case letters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Grant => "grant",
            Self::Schema => "schema",
            Self::Path => "path",
            Self::Command => "command",
            Self::Web => "web",
            Self::Content => "content",
            Self::Intent => "intent",
            Self::Budget => "budget",
            Self::Consent => "consent",
            Self::Person => "person",
        }
    }
}

/// What a check said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepVerdict {
    /// It let the call through.
    Passed,
    /// It let the call through to a person.
    Asks(Vec<Ask>),
    /// It refused.
    Refused(Refusal),
}

/// One check and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The check.
    pub check: Check,
    /// What it said.
    pub verdict: StepVerdict,
}

/// The steps so far; nothing is noted down where nobody wants to know.
pub(crate) struct Steps(Option<Vec<Step>>);

impl Steps {
    pub(crate) const fn unseen() -> Self {
        Self(None)
    }

    pub(crate) const fn seen() -> Self {
        Self(Some(Vec::new()))
    }

    pub(super) fn of<T>(&mut self, check: Check, said: Result<T, Refusal>) -> Result<T, Refusal> {
        let verdict = match &said {
            Ok(_) => StepVerdict::Passed,
            Err(refusal) if self.0.is_some() => StepVerdict::Refused(refusal.clone()),
            Err(_) => return said,
        };
        self.note(check, verdict);
        said
    }

    pub(crate) fn note(&mut self, check: Check, verdict: StepVerdict) {
        if let Some(steps) = &mut self.0 {
            steps.push(Step { check, verdict });
        }
    }

    pub(crate) fn into_steps(self) -> Vec<Step> {
        self.0.unwrap_or_default()
    }
}
