//! Something that an entry denies by name, with its grounds and the lines that show it.

/// A flag by its names, or words that must all occur, in order.
///
/// Every part is mandatory: a denial that cannot say whom it is there for, or that no line of its
/// own runs into, does not load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The names of one flag (`-f`, `--from-file`), or the words of one sequence.
    pub words: &'static [&'static str],
    /// Why; it follows the quoted word in a refusal.
    pub reason: &'static str,
    /// What to do instead.
    pub instead: &'static str,
    /// Lines that this denial must refuse.
    pub matches: &'static [&'static str],
    /// Lines close to those that it must not refuse.
    pub spares: &'static [&'static str],
}
