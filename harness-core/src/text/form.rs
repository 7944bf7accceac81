//! The postcondition of the sanitiser, in one function.

use super::error::TextError;
use super::hidden::{Attachment, hidden};
use super::markers::{MARKERS, Markers};
use super::runs::runs;

/// Checks that `text` is clean: within `max` bytes; no control or escape character but `\n` and
/// `\t`; nothing invisible; joiners and variation selectors only where they act on something; no
/// decorative run; no built-in marker.
///
/// # Errors
/// The first thing found that clean text never holds.
pub fn check(text: &str, max: usize) -> Result<(), TextError> {
    if text.len() > max {
        return Err(TextError::TooLong {
            bytes: text.len(),
            max,
        });
    }
    check_characters(text)?;
    if let Some(run) = runs(text).next() {
        return Err(TextError::Run { at: run.start });
    }
    match Markers::built_in().find(text, 0) {
        Some(found) => {
            let marker = MARKERS.get(found.index).copied().unwrap_or_default();
            Err(TextError::Marker {
                at: found.start,
                marker,
            })
        }
        None => Ok(()),
    }
}

fn check_characters(text: &str) -> Result<(), TextError> {
    // Most text: nothing but ASCII that is drawn, line feeds and tabs.
    if text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
    {
        return Ok(());
    }
    let mut attachment = Attachment::default();
    let mut rest = text.char_indices().peekable();
    while let Some((at, ch)) = rest.next() {
        let attached = attachment.accepts(ch, rest.peek().map(|&(_, next)| next));
        if is_control(ch) {
            return Err(TextError::Control { at, ch });
        }
        if !attached {
            return Err(TextError::Joiner { at, ch });
        }
        if hidden(ch) && !Attachment::concerns(ch) {
            return Err(TextError::Hidden { at, ch });
        }
    }
    Ok(())
}

/// Whether `ch` is a control character that clean text may not hold.
pub fn is_control(ch: char) -> bool {
    ch.is_control() && ch != '\n' && ch != '\t'
}
