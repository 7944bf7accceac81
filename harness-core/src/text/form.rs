//! The postcondition of the sanitiser, in one function.

use std::ops::Range;

use super::error::TextError;
use super::hidden::{Attachment, hidden, is_calm};
use super::markers::{MARKERS, Markers};
use super::quick::{Doubt, MARGIN, doubtful};
use super::runs::runs;

/// Longest text that is checked character by character at once, in bytes.
const SHORT: usize = 64;

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
    if text.len() > SHORT && doubtful(text).all(|doubt| is_clean(text, &doubt)) {
        return Ok(());
    }
    check_whole(text)
}

/// Whether a part of `text` that is not plainly clean is clean all the same.
fn is_clean(text: &str, doubt: &Doubt) -> bool {
    let Doubt { part, of } = doubt;
    // Around a part is ASCII, so that no character is cut.
    let start = part.start.saturating_sub(MARGIN);
    let around = text.get(start..(part.end + MARGIN).min(text.len()));
    let free_of_runs = || around.is_some_and(|around| runs(around).next().is_none());
    let free_of_markers = || {
        let found = Markers::built_in().find_before(text, start, part.end);
        found.is_none()
    };
    (!of.characters || check_characters(text, part.clone()).is_ok())
        && (!of.runs || free_of_runs())
        && (!of.markers || free_of_markers())
}

/// The same for every character of `text`: the first thing that is wrong, by kind.
fn check_whole(text: &str) -> Result<(), TextError> {
    check_characters(text, 0..text.len())?;
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

fn check_characters(text: &str, part: Range<usize>) -> Result<(), TextError> {
    let mut attachment = Attachment::default();
    // The last of the characters that are passed over; what may attach depends on no other.
    let mut last = text
        .get(..part.start)
        .and_then(|before| before.chars().next_back());
    let inside = text.get(part.clone()).unwrap_or_default();
    for (at, ch) in inside.char_indices() {
        if is_calm(ch) {
            last = Some(ch);
            continue;
        }
        let at = part.start + at;
        if is_control(ch) {
            return Err(TextError::Control { at, ch });
        }
        if let Some(last) = last.take() {
            attachment.accepts(last, None);
        }
        let next = text
            .get(at + ch.len_utf8()..)
            .and_then(|rest| rest.chars().next());
        if !attachment.accepts(ch, next) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_text() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            3 => "[a-zA-Z0-9 ,.\n]{0,80}",
            2 => "[ -~]{0,20}",
            1 => "\\PC{0,4}",
            1 => "[\\s\\S]{0,2}",
            3 => proptest::sample::select(vec![
                "=", "- ", " -", "=== ", "- - -", "**", "|||", "harness:", "hamess;", "HARNESS", "PANDAPROBE",
                "SYSTEM", "ALERT", "<|", "im_start|>", "[INST]", " ", "   ", "\n", "\u{301}", "1\u{FE0F}\u{20E3}",
                "é", "а", "\u{200D}",
            ]).prop_map(str::to_owned),
        ];
        proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// The quick way and the whole way say the same.
        #[test]
        fn what_passes_quickly_would_pass_whole(text in any_text(), pad in 0..130usize) {
            let text = format!("{}{text}", "word ".repeat(pad).get(..pad).unwrap_or_default());
            prop_assert_eq!(check(&text, usize::MAX), check_whole(&text));
        }
    }
}
