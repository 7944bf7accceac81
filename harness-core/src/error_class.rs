//! The closed set of ways in which a tool call fails: all that a rule may say about an error.

use std::fmt;

/// What kind of failure a tool reported. Rule text may name these, never the error's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorClass {
    /// The thing asked for does not exist.
    NotFound,
    /// An argument was present but not acceptable.
    InvalidArgument,
    /// A required argument was absent.
    MissingArgument,
    /// The arguments were not readable at all.
    MalformedCall,
    /// No tool has that name.
    UnknownTool,
    /// The caller may not do this.
    PermissionDenied,
    /// The caller is not known.
    Unauthenticated,
    /// The state of the world forbids it: already done, taken, cancelled, not eligible.
    Conflict,
    /// Too little of something: balance, seats, quota, space.
    Insufficient,
    /// Too many requests.
    RateLimited,
    /// It took too long.
    Timeout,
    /// The service could not be reached or is down.
    Unavailable,
    /// The tool broke by itself.
    Internal,
    /// A failure of none of these kinds.
    Other,
}

impl ErrorClass {
    /// All values.
    pub const ALL: [Self; 14] = [
        Self::NotFound,
        Self::InvalidArgument,
        Self::MissingArgument,
        Self::MalformedCall,
        Self::UnknownTool,
        Self::PermissionDenied,
        Self::Unauthenticated,
        Self::Conflict,
        Self::Insufficient,
        Self::RateLimited,
        Self::Timeout,
        Self::Unavailable,
        Self::Internal,
        Self::Other,
    ];

    /// The name in rules, traces and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::InvalidArgument => "invalid_argument",
            Self::MissingArgument => "missing_argument",
            Self::MalformedCall => "malformed_call",
            Self::UnknownTool => "unknown_tool",
            Self::PermissionDenied => "permission_denied",
            Self::Unauthenticated => "unauthenticated",
            Self::Conflict => "conflict",
            Self::Insufficient => "insufficient",
            Self::RateLimited => "rate_limited",
            Self::Timeout => "timeout",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
            Self::Other => "other",
        }
    }

    /// Reads a name as [`Self::as_str`] writes it.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.as_str() == text)
    }

    /// Whether the caller's arguments were at fault, rather than the world or the tool.
    pub const fn blames_arguments(self) -> bool {
        matches!(
            self,
            Self::InvalidArgument | Self::MissingArgument | Self::MalformedCall
        )
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorClass;

    #[test]
    fn each_class_reads_what_it_writes() {
        for class in ErrorClass::ALL {
            assert_eq!(ErrorClass::parse(class.as_str()), Some(class));
        }
        assert_eq!(ErrorClass::parse("kaput"), None);
    }
}
