//! Programs in a command's words: what in them does more than work on the command's own input.
//!
//! Each answer errs on the side of a refusal: a program is let pass only where nothing in it could
//! read another file, write one, run a command or see the environment.

mod awk;
mod jq;
mod sed;

use super::grammar::Language;

/// What in `program` reaches beyond its input, if there is something.
pub(super) fn reaches_out(language: Language, program: &str) -> Option<&'static str> {
    match language {
        Language::Pattern => None,
        Language::Jq => jq::reaches_out(program),
        Language::Sed => sed::reaches_out(program),
        Language::Awk => awk::reaches_out(program),
    }
}

/// The words of a program that are names: letters, digits and `_`.
fn is_word(ch: char) -> bool {
    ch.is_ascii_alphanumeric() || ch == '_'
}
