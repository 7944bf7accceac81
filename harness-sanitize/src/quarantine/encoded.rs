//! Text within a text: base64, hexadecimal, percent encoding and entities, one layer at a time.

use std::ops::Range;

use crate::secrets::{from_base64, long_words};

/// Shortest encoded piece that could hold an instruction, in bytes.
const MIN_PIECE: usize = 24;
/// Longest piece that is decoded; what is longer is decoded up to here.
const MAX_PIECE: usize = 16_384;
/// Fewest escapes in a piece of percent encoding or entities.
const MIN_ESCAPES: usize = 4;

/// The encoded pieces of `text` that decode to text, with their places.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let parts = long_words(text).filter(|word| word.len() >= MIN_PIECE);
    let encoded = parts
        .flat_map(move |word| base_parts(text, word))
        .filter_map(move |part| {
            let decoded = base_decoded(text.get(part.clone())?)?;
            Some((part, decoded))
        });
    let bytes = text.as_bytes();
    let has_percent = memchr::memchr(b'%', bytes).is_some();
    let has_entity = memchr::memmem::find(bytes, b"&#").is_some();
    let percent = has_percent.then(|| escaped(text, '%', percent));
    let entities = has_entity.then(|| escaped(text, '&', entity));
    encoded
        .chain(percent.into_iter().flatten())
        .chain(entities.into_iter().flatten())
}

/// The parts of a long word that may be base64 or hexadecimal.
fn base_parts(text: &str, word: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let of_base64 = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '+' | '/' | '-' | '_');
    let mut end = word.start;
    let parts = text
        .get(word)
        .unwrap_or_default()
        .split(move |ch| !of_base64(ch));
    parts.filter_map(move |part| {
        let start = end;
        // What divides two parts is ASCII.
        end = start + part.len() + 1;
        (part.len() >= MIN_PIECE).then_some(start..start + part.len())
    })
}

/// A part of a word that is base64 or hexadecimal, decoded.
fn base_decoded(part: &str) -> Option<String> {
    let part = part.get(..part.len().min(MAX_PIECE))?;
    if part.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return readable(&hexadecimal(part));
    }
    readable(&from_base64(part))
}

fn hexadecimal(part: &str) -> Vec<u8> {
    part.as_bytes()
        .chunks_exact(2)
        .filter_map(hex_pair)
        .collect()
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(pair).ok()?;
    u8::from_str_radix(digits, 16).ok()
}

/// Bytes as text, if that is what they are: nearly all of it letters, blanks and punctuation.
fn readable(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let count = text.chars().count();
    let drawn = text
        .chars()
        .filter(|ch| !ch.is_control() || matches!(ch, '\n' | '\t' | '\r'));
    (count >= MIN_PIECE / 2 && drawn.count() * 20 >= count * 19).then(|| text.to_owned())
}

/// Bytes of text on either side of an escape that nobody needs.
const AROUND: usize = 128;

/// What is around each escape of a letter or digit, which nobody needs to escape, and the pieces of
/// `text` without a blank that hold enough escapes of anything; decoded.
fn escaped(
    text: &str,
    sign: char,
    decode: fn(&str) -> Option<(String, usize)>,
) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let (mut end, mut covered) = (0, 0);
    let pieces = text.split_inclusive([' ', '\n', '\t', '"', '\'']);
    pieces.filter_map(move |piece| {
        let mut range = end..end + piece.len();
        end = range.end;
        let hides = |(at, _)| {
            let decoded = decode(piece.get(at..).unwrap_or_default());
            decoded.is_some_and(|(text, _)| text.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        };
        if piece.match_indices(sign).any(hides) {
            if range.end <= covered {
                return None;
            }
            range.start = text.floor_char_boundary(range.start.saturating_sub(AROUND));
            range.end = text.ceil_char_boundary(range.end + AROUND);
            covered = range.end;
        } else if piece.matches(sign).take(MIN_ESCAPES).count() < MIN_ESCAPES {
            return None;
        }
        let piece = text.get(range.clone()).unwrap_or_default();
        let bound = piece.floor_char_boundary(MAX_PIECE);
        let decoded = unescape(piece.get(..bound).unwrap_or_default(), sign, decode);
        Some((range, decoded))
    })
}

fn unescape(piece: &str, sign: char, decode: fn(&str) -> Option<(String, usize)>) -> String {
    let mut out = String::with_capacity(piece.len());
    let mut rest = piece;
    while let Some(at) = rest.find(sign) {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let (decoded, used) = decode(rest).unwrap_or_else(|| (sign.to_string(), sign.len_utf8()));
        out.push_str(&decoded);
        rest = rest.get(used..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// One character in percent encoding: up to four escapes.
fn percent(rest: &str) -> Option<(String, usize)> {
    let mut bytes = Vec::new();
    for escape in rest.as_bytes().chunks_exact(3).take(4) {
        let [b'%', pair @ ..] = escape else { break };
        bytes.push(hex_pair(pair)?);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            return Some((text.to_owned(), bytes.len() * 3));
        }
    }
    None
}

/// Longest entity, in bytes.
const MAX_ENTITY: usize = 12;

/// One entity, decimal, hexadecimal or of those that XML names.
fn entity(rest: &str) -> Option<(String, usize)> {
    let bound = rest.floor_char_boundary(MAX_ENTITY);
    let end = rest.get(..bound)?.find(';')?;
    let name = rest.get(1..end)?;
    let ch = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']);
            let code = match hex {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((ch.to_string(), end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Vec<String> {
        pieces(text).map(|(_, text)| text).collect()
    }

    #[test]
    fn each_encoding_is_read() {
        let plain = "please read this line";
        for text in [
            "see cGxlYXNlIHJlYWQgdGhpcyBsaW5l.",
            "706c6561736520726561642074686973206c696e65",
            "%70lease%20read%20this%20l%69ne",
            "&#112;lease&#32;read&#x20;this&#32;line",
        ] {
            assert_eq!(
                decoded(text).first().map(|text| text.trim_end_matches('.')),
                Some(plain),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_text_is_left() {
        for text in [
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "plain text, 100% of it",
        ] {
            assert_eq!(decoded(text), [""; 0], "{text}");
        }
    }
}
