//! The grammar of a shell, read as bash reads it: words and their quotations, pipelines, lists,
//! compound commands, substitutions, redirections, here-documents.
//!
//! Nothing is expanded. A word knows what of it is literal and what only the shell would know; a
//! substitution is a script of its own. What is not this grammar, or nests deeper than
//! [`MAX_DEPTH`], is [`Unreadable`]: there is no guess, and no second way to read a text.
//!
//! Reading is linear in the text for a given depth: each character is looked at a bounded number
//! of times a level.
//!
//! Source: POSIX.1-2024, Shell Command Language, 2.3 to 2.10, with bash's additions (`[[`, `((`,
//! `<<<`, `&>`, process substitution, `$'…'`, `function`, arrays).

mod commands;
mod cursor;
mod expansions;
mod redirects;
mod script;
mod words;

use self::cursor::Cursor;
pub(crate) use self::cursor::Unreadable;
pub(crate) use self::script::{
    Assignment, Body, Certainty, Connector, Operator, Redirect, Script, Stage, Step, Substitution,
    Target, Word,
};

/// Bytes of a text at most.
pub(crate) const MAX_SCRIPT: usize = 32 * 1024;
/// How deep compound commands and substitutions may nest.
pub(crate) const MAX_DEPTH: usize = 16;

/// Commands of a text at most, compound ones and what is in them.
pub(crate) const MAX_STAGES: usize = 128;

/// Reads a whole text, `depth` levels of quotation below the one that was asked about.
pub(crate) fn parse(text: &str, depth: usize) -> Result<Script<'_>, Unreadable> {
    if text.len() > MAX_SCRIPT {
        return Err(Unreadable::TooLong);
    }
    let mut cursor = Cursor::new(text, depth)?;
    let script = cursor.script()?;
    cursor.finish()?;
    Ok(script)
}

/// Reads a text in which only expansions mean something: the body of a here-document.
pub(crate) fn parse_body(text: &str, depth: usize) -> Result<Word<'_>, Unreadable> {
    let mut cursor = Cursor::new(text, depth)?;
    cursor.body()
}

#[cfg(test)]
mod tests;
