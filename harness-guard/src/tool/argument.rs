//! What an argument means to the checks.

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentKind {
    /// A path beneath the working folder.
    Path,
    /// A pattern of relative paths.
    Pattern,
    /// A URL.
    Url,
    /// A command line.
    Command,
    /// Text that is written to a file.
    Content,
    /// Where reading starts.
    Offset,
    /// How many of something.
    Count,
}

impl ArgumentKind {
    /// Its name: lower case letters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Pattern => "pattern",
            Self::Url => "url",
            Self::Command => "command",
            Self::Content => "content",
            Self::Offset => "offset",
            Self::Count => "count",
        }
    }

    /// The kind of a name.
    pub fn parse(name: &str) -> Option<Self> {
        [
            Self::Path,
            Self::Pattern,
            Self::Url,
            Self::Command,
            Self::Content,
            Self::Offset,
            Self::Count,
        ]
        .into_iter()
        .find(|kind| kind.name() == name)
    }
}
