//! How much a reader takes in.

/// Bounds of a [`Reader`](crate::Reader), all in bytes but `messages`. What is over a bound is
/// reported or, where it is one text, cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A document that is read whole; where it is gzip, what it holds too.
    pub document: usize,
    /// One line of JSON lines.
    pub line: usize,
    /// Messages of one conversation; later ones are reported and left out.
    pub messages: usize,
    /// A request, a reply or a tool's result.
    pub text: usize,
    /// One leaf of a call's arguments.
    pub value: usize,
}

impl Limits {
    /// A document: 64 MiB.
    pub const DOCUMENT: usize = 64 << 20;
    /// A line: 16 MiB.
    pub const LINE: usize = 16 << 20;
    /// Messages of a conversation.
    pub const MESSAGES: usize = 10_000;
    /// A text.
    pub const TEXT: usize = 8192;
    /// A leaf of arguments.
    pub const VALUE: usize = 2048;
    /// A name: of a model, a tool, an argument's path.
    pub const NAME: usize = 128;
    /// Spans that are put together in one go; later ones are counted as dropped.
    pub const SPANS: usize = 100_000;
    /// What the inputs and outputs of those spans weigh together, in bytes: 256 MiB.
    pub const HELD: usize = 256 << 20;
    /// Reports a document carries, and dropped spans an account lists; further ones are counted.
    pub const REPORTS: usize = 1000;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document: Self::DOCUMENT,
            line: Self::LINE,
            messages: Self::MESSAGES,
            text: Self::TEXT,
            value: Self::VALUE,
        }
    }
}
