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
    let mut at = part.start;
    // What is behind the last character that was judged. Of those passed over since, what may
    // attach depends on the last alone.
    let mut judged = 0;
    loop {
        let rest = text.get(at..part.end).unwrap_or_default();
        let Some(ch) = rest.chars().next() else {
            return Ok(());
        };
        let end = at + ch.len_utf8();
        if is_calm(ch) {
            at = if ch.is_ascii() {
                at + drawn_at_start(rest.as_bytes())
            } else {
                end
            };
            continue;
        }
        if is_control(ch) {
            return Err(TextError::Control { at, ch });
        }
        let before = || text.get(..at).and_then(|before| before.chars().next_back());
        if let Some(last) = (judged < at).then(before).flatten() {
            attachment.accepts(last, None);
        }
        let next = text.get(end..).and_then(|rest| rest.chars().next());
        if !attachment.accepts(ch, next) {
            return Err(TextError::Joiner { at, ch });
        }
        if hidden(ch) && !Attachment::concerns(ch) {
            return Err(TextError::Hidden { at, ch });
        }
        (at, judged) = (end, end);
    }
}

/// How many bytes at the start are ASCII that is drawn, line feeds and tabs.
///
/// Eight at a time: a byte is marked in its top bit if it is above `~`, or below a space (the
/// difference borrows). What a carry or borrow marks beyond that lies above a mark that is right,
/// and the lowest mark counts.
#[inline]
pub fn drawn_at_start(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOP: u64 = ONES << 7;
    let mut at = 0;
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*word);
        let low = word.wrapping_sub(ONES * u64::from(b' '));
        let high = word | word.wrapping_add(ONES);
        let marks = (low | high) & TOP;
        at += marks.trailing_zeros() as usize / 8;
        if marks != 0 {
            if !bytes.get(at).is_some_and(|byte| is_line(*byte)) {
                return at;
            }
            at += 1;
        }
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let is_drawn = |byte: &&u8| matches!(byte, b' '..=b'~') || is_line(**byte);
    at + rest.iter().take_while(is_drawn).count()
}

/// Whether a byte ends a line or is a tab.
const fn is_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\t')
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

        /// Eight at a time or one by one.
        #[test]
        fn what_is_drawn_at_the_start_is_told_by_its_bytes(
            bytes in proptest::collection::vec(
                prop_oneof![8 => b' '..=b'~', 2 => Just(b'\n'), 1 => any::<u8>()], 0..40,
            ),
        ) {
            let drawn = bytes.iter().take_while(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'));
            prop_assert_eq!(drawn_at_start(&bytes), drawn.count());
        }

        /// The quick way and the whole way say the same.
        #[test]
        fn what_passes_quickly_would_pass_whole(text in any_text(), pad in 0..130usize) {
            let text = format!("{}{text}", "word ".repeat(pad).get(..pad).unwrap_or_default());
            prop_assert_eq!(check(&text, usize::MAX), check_whole(&text));
        }
    }
}
