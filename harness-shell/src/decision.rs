//! What a policy answers: a value, whichever way it goes.

use std::borrow::Cow;
use std::fmt;

use harness_core::Quoted;
use harness_sanitize::Redactor;

/// How strict an answer is. The maximum of two is the stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It may run.
    Allow,
    /// It may run once a person has said so.
    Confirm,
    /// It may not run.
    Deny,
}

impl Verdict {
    /// As programs read it: `allow`, `confirm` or `deny`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Confirm => "confirm",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An answer with its grounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    verdict: Verdict,
    rule: &'static str,
    reason: Cow<'static, str>,
    instead: Option<&'static str>,
}

impl Decision {
    /// The answer.
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Whether it may run without a person.
    pub fn is_allowed(&self) -> bool {
        self.verdict == Verdict::Allow
    }

    /// The rule that decided, by its stable name: `area.what`.
    pub const fn rule(&self) -> &'static str {
        self.rule
    }

    /// Why. What it quotes of the input is escaped, shortened and without secrets of known shape.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// What to do instead, where there is something.
    pub const fn instead(&self) -> Option<&'static str> {
        self.instead
    }

    /// The stricter of two; of equals the first.
    #[must_use]
    pub fn or_stricter(self, other: Self) -> Self {
        if other.verdict > self.verdict {
            other
        } else {
            self
        }
    }

    pub(crate) fn new(
        verdict: Verdict,
        rule: &'static str,
        reason: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            verdict,
            rule,
            reason: reason.into(),
            instead: None,
        }
    }

    /// About a piece of input: `reason` follows the quotation.
    pub(crate) fn about(verdict: Verdict, rule: &'static str, input: &str, reason: &str) -> Self {
        Self::new(verdict, rule, format!("{} {reason}", quoted(input)))
    }

    pub(crate) const fn or_rather(mut self, instead: &'static str) -> Self {
        self.instead = Some(instead);
        self
    }
}

/// A piece of input as a refusal may quote it: redacted first, so that no cut leaves half a secret.
pub(crate) fn quoted(input: &str) -> String {
    /// Bytes that are looked at; a quotation shows far fewer.
    const LOOKED_AT: usize = 4096;
    let mut end = input.len().min(LOOKED_AT);
    while !input.is_char_boundary(end) {
        end -= 1;
    }
    let start = input.get(..end).unwrap_or_default();
    Quoted(&Redactor::patterns_only().redact(start)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximum_is_the_strictest() {
        assert!(Verdict::Allow < Verdict::Confirm && Verdict::Confirm < Verdict::Deny);
        let allow = Decision::new(Verdict::Allow, "a.a", "x");
        let deny = Decision::new(Verdict::Deny, "b.b", "y");
        assert_eq!(allow.clone().or_stricter(deny.clone()), deny);
        assert_eq!(deny.clone().or_stricter(allow), deny);
    }

    #[test]
    fn a_refusal_does_not_echo_a_secret() {
        let secret = concat!("ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        assert!(!quoted(secret).contains("a1B2c3"));
        assert_eq!(quoted("notes.txt"), "`notes.txt`");
    }
}
