//! Where a rule belongs: its scope, and how widely it applies.

use std::fmt;

use crate::id::IdError;

/// Characters a scope has at most.
const MAX_SCOPE: usize = 48;

/// The context a rule is filed under: `[a-z0-9][a-z0-9._-]{0,47}` without `..`.
///
/// A path-shaped scope is rejected with a reason a model can act on, never repaired into a name
/// that nobody chose.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(Box<str>);

impl Scope {
    /// The scope of broadly reusable rules, and the default.
    pub const GLOBAL: &'static str = "global";
    /// The scope of rules that are specific but have no better name; never chosen by silence.
    pub const SCOPED: &'static str = "scoped";

    /// Checks `text` and keeps it as it is.
    ///
    /// # Errors
    /// Text of another form, with the form in the message.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let starts = text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let plain = text.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'-')
        });
        if starts && plain && text.len() <= MAX_SCOPE && !text.contains("..") {
            Ok(Self(text.into()))
        } else {
            Err(IdError::new(
                "scope",
                text,
                "a scope is a name, not a path: 1 to 48 characters of a-z 0-9 . _ - that start \
                 with a letter or digit and do not contain `..`",
            ))
        }
    }

    /// The scope `global`.
    pub fn global() -> Self {
        Self(Self::GLOBAL.into())
    }

    /// The scope `scoped`.
    pub fn scoped() -> Self {
        Self(Self::SCOPED.into())
    }

    /// The scope as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is `global`.
    pub fn is_global(&self) -> bool {
        self.as_str() == Self::GLOBAL
    }
}

impl Default for Scope {
    fn default() -> Self {
        Self::global()
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How widely a rule applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// To any task; forces scope `global`.
    #[default]
    Global,
    /// To an application, workflow or domain.
    Topical,
    /// To one kind of task.
    Task,
}

impl Applicability {
    /// All values, in the order in which messages list them.
    pub const ALL: [Self; 3] = [Self::Global, Self::Topical, Self::Task];

    /// The name on disk and in tool arguments.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Topical => "topical",
            Self::Task => "task",
        }
    }

    /// Reads a name as [`Self::as_str`] writes it.
    ///
    /// # Errors
    /// Any other text, with the valid names in the message.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        Self::ALL
            .into_iter()
            .find(|value| value.as_str() == text)
            .ok_or_else(|| {
                IdError::new("applicability", text, "one of `global`, `topical`, `task`")
            })
    }
}

impl fmt::Display for Applicability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_shaped_scopes_are_rejected_and_plain_names_taken() {
        for bad in [
            "", ".", "..", "../x", "a/b", "a..b", "-a", "A", "é", " a", "a\n",
        ] {
            assert!(Scope::parse(bad).is_err(), "{bad:?}");
        }
        for good in ["global", "a", "0", "my-app_v1.2", &"x".repeat(48)] {
            assert!(Scope::parse(good).is_ok(), "{good:?}");
        }
        assert!(Scope::parse(&"x".repeat(49)).is_err());
    }

    #[test]
    fn applicability_reads_what_it_writes() {
        for value in Applicability::ALL {
            assert_eq!(Applicability::parse(value.as_str()), Ok(value));
        }
        assert!(Applicability::parse("Global").is_err());
    }
}
