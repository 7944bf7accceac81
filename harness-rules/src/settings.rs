//! What a host may choose about rules.

use crate::evidence::Levels;

/// Whether sessions ever see candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provisional {
    /// In the sessions assigned to them.
    #[default]
    Trial,
    /// Never; then no forward trial gathers evidence.
    Never,
}

/// Settings of this crate.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The error rates of promotion.
    pub levels: Levels,
    /// Whether sessions ever see candidates.
    pub provisional: Provisional,
    /// Whether rendered files hold the text of candidates; only for hosts without trials, as a file
    /// has no session and would undo the assignment.
    pub provisional_text_in_files: bool,
}
