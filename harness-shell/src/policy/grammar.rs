//! What the words of one binary mean: which flags there are, what they take, and what is denied.

use super::denial::Denial;

/// What becomes of the thing that a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Use {
    /// Nothing: it is no path.
    Text,
    /// The file or folder is read.
    Read,
    /// A new file or folder is made; what is there stays.
    Add,
    /// What is there is changed or replaced.
    Overwrite,
}

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A text attached to it, or nothing.
    Optional,
    /// One value, attached or as the next word.
    One(Use),
    /// A name as the next word, then a value as the next; never attached.
    Named(Use),
    /// A program, attached or as the next word; then no operand is one.
    Program,
    /// A file that holds the program, attached or as the next word; then no operand is one.
    ProgramFile,
    /// Nothing, but every operand behind it is text.
    RestIsText,
}

/// A language in which an operand may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// One that can do nothing but match.
    Pattern,
    /// jq.
    Jq,
    /// sed.
    Sed,
    /// awk.
    Awk,
}

/// What words are that belong to no flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// All alike.
    All(Use),
    /// A program, unless a flag gave one; then all alike.
    ProgramThen(Language, Use),
    /// The first, and the rest.
    Then {
        /// What becomes of the first.
        first: Use,
        /// What becomes of the rest.
        rest: Use,
    },
    /// The last one is where to; at least two.
    To {
        /// What becomes of the others.
        others: Use,
        /// What becomes of the last.
        last: Use,
    },
    /// They begin with one of these sequences of words, of which there may be none; the rest is
    /// text.
    Subcommands(&'static [&'static [&'static str]]),
}

/// The grammar of one binary.
///
/// A flag that it does not name is refused, abbreviations included: what a policy cannot read it
/// cannot judge.
#[derive(Clone, Debug)]
pub struct Grammar {
    name: &'static str,
    reason: &'static str,
    operands: Operands,
    flags: Vec<(&'static str, Takes)>,
    number_flags: bool,
    denied_flags: Vec<Denial>,
    denied_sequences: Vec<Denial>,
    response_files: bool,
    needs_credentials: bool,
    allows: Vec<&'static str>,
    denies: Vec<&'static str>,
}

impl Grammar {
    /// A binary by its bare name, and why a policy lists it.
    pub const fn new(name: &'static str, reason: &'static str, operands: Operands) -> Self {
        Self {
            name,
            reason,
            operands,
            flags: Vec::new(),
            number_flags: false,
            denied_flags: Vec::new(),
            denied_sequences: Vec::new(),
            response_files: false,
            needs_credentials: false,
            allows: Vec::new(),
            denies: Vec::new(),
        }
    }

    /// Flags, `-x` or `--long`, that take the same.
    #[must_use]
    pub fn flags(mut self, takes: Takes, names: &[&'static str]) -> Self {
        self.flags.extend(names.iter().map(|name| (*name, takes)));
        self
    }

    /// A number may stand for a flag: `-20`.
    #[must_use]
    pub const fn number_flags(mut self) -> Self {
        self.number_flags = true;
        self
    }

    /// A flag that is denied, with and without a value.
    #[must_use]
    pub fn deny_flag(mut self, denial: Denial) -> Self {
        self.denied_flags.push(denial);
        self
    }

    /// Words that are denied where each occurs, in this order, whatever stands between them.
    #[must_use]
    pub fn deny_sequence(mut self, denial: Denial) -> Self {
        self.denied_sequences.push(denial);
        self
    }

    /// A value or operand that starts with `@` names a file to read.
    #[must_use]
    pub const fn response_files(mut self) -> Self {
        self.response_files = true;
        self
    }

    /// The binary needs the credentials of the platform; no other gets them.
    #[must_use]
    pub const fn needs_credentials(mut self) -> Self {
        self.needs_credentials = true;
        self
    }

    /// Lines that must be allowed.
    #[must_use]
    pub fn allows(mut self, lines: &[&'static str]) -> Self {
        self.allows.extend(lines);
        self
    }

    /// Lines that must be denied.
    #[must_use]
    pub fn denies(mut self, lines: &[&'static str]) -> Self {
        self.denies.extend(lines);
        self
    }

    /// The binary's bare name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Why a policy lists it.
    pub const fn reason(&self) -> &'static str {
        self.reason
    }

    /// Whether its operands are text alone.
    pub(crate) const fn only_prints(&self) -> bool {
        matches!(self.operands, Operands::All(Use::Text))
    }

    pub(super) const fn operands(&self) -> Operands {
        self.operands
    }

    pub(super) fn takes(&self, flag: &str) -> Option<Takes> {
        let (_, takes) = self.flags.iter().find(|(name, _)| *name == flag)?;
        Some(*takes)
    }

    pub(super) const fn reads_number_flags(&self) -> bool {
        self.number_flags
    }

    pub(crate) fn denied_flags(&self) -> &[Denial] {
        &self.denied_flags
    }

    pub(super) fn denied_sequences(&self) -> &[Denial] {
        &self.denied_sequences
    }

    pub(super) const fn reads_response_files(&self) -> bool {
        self.response_files
    }

    pub(super) const fn sees_credentials(&self) -> bool {
        self.needs_credentials
    }

    pub(crate) fn allowed_lines(&self) -> &[&'static str] {
        &self.allows
    }

    pub(crate) fn denied_lines(&self) -> &[&'static str] {
        &self.denies
    }
}
