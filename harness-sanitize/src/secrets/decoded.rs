//! A text as a decoder would read it, each byte with its place: where an encoding leaves its writer
//! a choice, no list of forms is complete.

use std::ops::Range;

use super::words::long_words;

/// Bytes of a text that are decoded at once.
const WINDOW: usize = 65_536;

/// Bytes that one window shares with the next: more than the longest known value takes, each of its
/// bytes written with three.
const OVERLAP: usize = 16_384;

/// A part of a text, decoded.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// Where in the text each byte comes from.
    places: Vec<usize>,
    /// Where the part ends.
    end: usize,
}

impl Decoded {
    fn push(&mut self, byte: u8, place: usize) {
        self.bytes.push(byte);
        self.places.push(place);
    }

    /// The place in the text of a range of the decoded bytes.
    pub(super) fn place(&self, range: Range<usize>) -> Range<usize> {
        let at = |index: usize| self.places.get(index).copied().unwrap_or(self.end);
        at(range.start)..at(range.end)
    }
}

/// The parts of `text` with percent encoding in them, decoded. Which characters are escaped, and
/// in which case, is up to whoever encodes.
pub(super) fn percent(text: &str) -> impl Iterator<Item = Decoded> {
    let mut end = 0;
    let parts = text.split_inclusive(|ch: char| ch.is_ascii_whitespace());
    let parts = parts.filter_map(move |part| {
        let start = end;
        end += part.len();
        part.contains('%').then_some(start..end)
    });
    let windows = parts.flat_map(|part| {
        let starts = part.clone().step_by(WINDOW - OVERLAP);
        starts.map(move |start| start..part.end.min(start + WINDOW))
    });
    windows.filter_map(|window| {
        let part = text.as_bytes().get(window.clone())?;
        Some(unescaped(part, window.start))
    })
}

fn unescaped(part: &[u8], start: usize) -> Decoded {
    let mut decoded = Decoded {
        end: start + part.len(),
        ..Decoded::default()
    };
    let mut at = 0;
    while let Some(&byte) = part.get(at) {
        let escaped = part.get(at..at + 3).and_then(escape);
        decoded.push(escaped.unwrap_or(byte), start + at);
        at += if escaped.is_some() { 3 } else { 1 };
    }
    decoded
}

fn escape(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    match *bytes {
        [b'%', high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
        _ => None,
    }
}

/// The words of `text` that go on over ends of lines, put together: programs wrap base64 and
/// hexadecimal. Within JSON, a line ends with an escape.
pub(super) fn unwrapped(text: &str) -> impl Iterator<Item = Decoded> {
    let mut read = 0;
    long_words(text).filter_map(move |word| {
        if word.start < read {
            return None;
        }
        let mut decoded = Decoded::default();
        let first = word.start.max(word.end.saturating_sub(OVERLAP))..word.end;
        let mut line = first.clone();
        let next = loop {
            let bytes = text.as_bytes().get(line.clone())?;
            for (at, &byte) in line.clone().zip(bytes) {
                decoded.push(byte, at);
            }
            match next_line(text.as_bytes(), line.end) {
                Some(next) if decoded.bytes.len() < WINDOW => line = next,
                next => break next,
            }
        };
        decoded.end = line.end;
        // The last line may be the first of the next part.
        let again = decoded.bytes.len().saturating_sub(OVERLAP);
        let again = next.and_then(|_| decoded.places.get(again).copied());
        read = again.unwrap_or(line.start);
        (line != first).then_some(decoded)
    })
}

/// What a word that ends at `end` goes on with in the next line.
fn next_line(bytes: &[u8], end: usize) -> Option<Range<usize>> {
    let behind = bytes.get(end..)?;
    let start = line_end(behind);
    let encoded = behind.get(start..)?.iter().take(OVERLAP);
    let length = encoded.take_while(|byte| is_encoded(**byte)).count();
    (start > 0 && length > 0).then_some(end + start..end + start + length)
}

/// The bytes of a line's end, and of what the next line is indented with; none where no line ends.
fn line_end(bytes: &[u8]) -> usize {
    let blanks = bytes.iter().take_while(|byte| byte.is_ascii_whitespace());
    let blanks = blanks.count();
    match bytes {
        [b'\\', b'n', ..] => 2,
        [b'\\', b'r', b'\\', b'n', ..] => 4,
        _ if bytes
            .get(..blanks)
            .is_some_and(|blanks| blanks.contains(&b'\n')) =>
        {
            blanks
        }
        _ => 0,
    }
}

/// Whether a byte is a digit of base64 or hexadecimal.
pub(super) const fn is_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(parts: impl Iterator<Item = Decoded>) -> Vec<String> {
        let text = |part: Decoded| String::from_utf8_lossy(&part.bytes).into_owned();
        parts.map(text).collect()
    }

    #[test]
    fn percent_encoding_is_read_in_any_spelling() {
        let text = "a x%2fy%C3%a9%zz b";
        assert_eq!(read(percent(text)), ["x/y\u{e9}%zz "]);
        let part = percent(text).next().unwrap();
        assert_eq!(part.place(1..2), 3..6);
        assert_eq!(part.place(0..part.bytes.len()), 2..text.len() - 1);
    }

    #[test]
    fn a_word_goes_on_behind_the_end_of_its_line() {
        let line = "QWERTYUIOPASDFGHJKLZ";
        for end in ["\n", "\r\n", "\n  ", "\\n", "\\r\\n"] {
            let text = format!("x: {line}{end}{line}{end}ab= y");
            assert_eq!(
                read(unwrapped(&text)),
                [format!("{line}{line}ab=")],
                "{end:?}"
            );
        }
        assert_eq!(unwrapped(&format!("{line} {line}")).count(), 0);
    }

    #[test]
    fn what_is_decoded_at_once_is_bounded_and_no_value_is_cut() {
        let value = "QWERTYUIOP".repeat(409);
        let (start, rest) = value.split_at(2000);
        for pad in [0, 100, WINDOW - 3000, WINDOW + 1, 2 * WINDOW] {
            let before = "x".repeat(pad);
            let wrapped = format!("{before}{start}\n{rest}{before}\nmore");
            let escaped = format!("{before}%2F{value}{before}");
            let all = format!("{before}{value}{before}");
            let lines = all.as_bytes().chunks(76).map(String::from_utf8_lossy);
            let lines = lines.collect::<Vec<_>>().join("\n");
            for parts in [
                unwrapped(&wrapped).collect::<Vec<_>>(),
                unwrapped(&lines).collect(),
                percent(&escaped).collect(),
            ] {
                let holds = |part: &Decoded| String::from_utf8_lossy(&part.bytes).contains(&value);
                assert!(parts.iter().any(holds), "{pad}");
                assert!(
                    parts
                        .iter()
                        .all(|part| part.bytes.len() <= WINDOW + OVERLAP)
                );
            }
        }
    }
}
