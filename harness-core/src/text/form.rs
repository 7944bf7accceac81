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
    let mut attachment = Attachment::default();
    let mut at = 0;
    while let Some(ch) = text.get(at..).and_then(|rest| rest.chars().next()) {
        // Most text: nothing but ASCII that is drawn, line feeds and tabs.
        let plain = plain_ascii(text.as_bytes().get(at..).unwrap_or_default());
        if let Some(last) = plain.last() {
            attachment.accepts(char::from(*last), None);
            at += plain.len();
            continue;
        }
        let end = at + ch.len_utf8();
        let next = text.get(end..).and_then(|rest| rest.chars().next());
        let attached = attachment.accepts(ch, next);
        if is_control(ch) {
            return Err(TextError::Control { at, ch });
        }
        if !attached {
            return Err(TextError::Joiner { at, ch });
        }
        if hidden(ch) && !Attachment::concerns(ch) {
            return Err(TextError::Hidden { at, ch });
        }
        at = end;
    }
    Ok(())
}

/// The start of `bytes` that is ASCII that is drawn, line feeds or tabs. Without a branch within a
/// block, so that many bytes are judged at once.
fn plain_ascii(bytes: &[u8]) -> &[u8] {
    const BLOCK: usize = 64;
    let is_plain = |byte: u8| (byte.wrapping_sub(b' ') < 0x5F) | (byte == b'\n') | (byte == b'\t');
    let blocks = bytes
        .chunks_exact(BLOCK)
        .take_while(|block| block.iter().fold(true, |all, byte| all & is_plain(*byte)))
        .count();
    let after = bytes.get(blocks * BLOCK..).unwrap_or_default();
    let more = after.iter().take_while(|byte| is_plain(**byte)).count();
    bytes.get(..blocks * BLOCK + more).unwrap_or_default()
}

/// Whether `ch` is a control character that clean text may not hold.
pub fn is_control(ch: char) -> bool {
    ch.is_control() && ch != '\n' && ch != '\t'
}
