//! Secrets without a look of their own, told by the words before them.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::find::{SecretKind, SecretSpan};
use super::forms::{Fit, fit, names_service};
use super::look::{is_hex, is_issued, is_mixed, is_placeholder, looks_random, may_be_random};
use super::redact::is_replacement;
use super::tokens::is_claimed;
use super::vendors::names_vendor;

/// How far back a telling word is looked for, in bytes.
const MAX_BACK: usize = 64;
/// Most signs between a telling word and its value.
const MAX_GAP: usize = 10;
/// Shortest value that is told by its context alone.
const MIN_VALUE: usize = 15;
/// Longest one. What is longer is data.
const MAX_VALUE: usize = 512;
/// Shortest credential behind the scheme of an `Authorization` header.
const MIN_CREDENTIAL: usize = 16;
/// Longest one.
const MAX_CREDENTIAL: usize = 4096;

/// What a telling word ends with.
const TELLING: &[&str] = &[
    "secret",
    "token",
    "passwd",
    "password",
    "access",
    "private",
    "key",
    "auth",
    "code",
    "license",
    "credential",
    "credentials",
    "apikey",
    "pat",
];

/// Those of them before which nothing but a secret stands.
const SECRET: &[&str] = &[
    "secret",
    "token",
    "passwd",
    "password",
    "credential",
    "apikey",
];

/// The schemes of an `Authorization` header.
const SCHEMES: &[&str] = &["bearer", "basic", "bot"];

/// Adds the secret in `word`, a long word of `text`, if its context tells of one.
pub(super) fn in_context(text: &str, word: &Range<usize>, found: &mut Vec<SecretSpan>) {
    let Some(piece) = text.get(word.clone()) else {
        return;
    };
    if !may_be_random(piece) || piece.len() > MAX_CREDENTIAL || piece.contains("://") {
        return;
    }
    // Where the word goes on with signs that no token holds, it is something else.
    let behind = text.get(word.end..).and_then(|rest| rest.chars().next());
    if behind.is_some_and(|ch| ch.is_ascii_punctuation() && !"\"'`,;)]}<>\\{&".contains(ch)) {
        return;
    }
    if is_claimed(piece) {
        return;
    }
    let told = after_other_words(text, word, piece).or_else(|| glued(piece));
    let Some((kind, value)) = told else { return };
    let start = word.start + value.start;
    let end = word.start + value.end;
    let Some(token) = piece.get(value) else {
        return;
    };
    let has_form =
        || is_issued(token) && !is_claimed(token) && fit(text, start, token) != Fit::NoKey;
    if kind == SecretKind::AUTHORIZATION || has_form() {
        found.push(SecretSpan { kind, start, end });
    }
}

/// `service SECRET 1a2b…`, `Bearer 1a2b…`: the telling word stands before this one.
fn after_other_words(
    text: &str,
    word: &Range<usize>,
    piece: &str,
) -> Option<(SecretKind, Range<usize>)> {
    let before = telling_word(text, word.start)?;
    let before = before.as_str();
    let scheme = SCHEMES.contains(&before);
    // What a shell puts in: `$NAME`.
    if piece.starts_with('$') {
        return None;
    }
    let told = TELLING.iter().any(|telling| before.ends_with(telling)) || names_vendor(before);
    if !scheme && !told {
        return None;
    }
    // A token may repeat the name of its service.
    let named = piece.find(['_', '-', '.']).filter(|&at| {
        let name = Plain::of(piece.get(..at).unwrap_or_default());
        names_vendor(name.as_str())
    });
    let value = value_within(piece, named.unwrap_or_default());
    let token = piece.get(value.clone())?;
    let assigns = token.trim_end_matches('=').contains('=');
    if token.len() < MIN_VALUE || assigns {
        return None;
    }
    let random = looks_random(token);
    let mixed = || is_mixed(token) && !is_placeholder(token);
    if scheme && token.len() >= MIN_CREDENTIAL && (random || mixed()) {
        return Some((SecretKind::AUTHORIZATION, value));
    }
    if !told || token.len() > MAX_VALUE || !random {
        return None;
    }
    // A word by itself may stand before any digest.
    let word_alone = TELLING.contains(&before) && !SECRET.contains(&before);
    (!word_alone || !is_hex(token) || names_service(text, word.start))
        .then_some((SecretKind::ASSIGNED, value))
}

/// `serviceSECRET-1a2b…`, `service_key=1a2b…`: the telling word is part of this one.
fn glued(piece: &str) -> Option<(SecretKind, Range<usize>)> {
    if piece.len() > MAX_BACK + MAX_VALUE {
        return None;
    }
    let head = piece.get(..piece.floor_char_boundary(MAX_BACK))?;
    let told = SEARCH.as_ref()?.find_iter(head).last();
    let after = told.map(|telling| telling.end()).or_else(|| {
        let end = piece.find([':', '='])?;
        let name = Plain::of(piece.get(..end)?);
        names_vendor(name.as_str()).then_some(end)
    });
    let value = value_within(piece, after?);
    let token = piece.get(value.clone())?;
    ((MIN_VALUE..=MAX_VALUE).contains(&token.len()) && looks_random(token))
        .then_some((SecretKind::ASSIGNED, value))
}

static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true)
        .build(TELLING)
        .ok()
});

/// A piece from byte `from` on, without the signs at both ends that join it to others.
fn value_within(piece: &str, from: usize) -> Range<usize> {
    let rest = piece.get(from..).unwrap_or_default();
    let inner = rest.trim_start_matches(|ch: char| !ch.is_ascii_alphanumeric());
    let start = from + (rest.len() - inner.len());
    start..start + inner.trim_end_matches(['.', ':', '%', '$', '|', '!']).len()
}

/// The word before byte `at`: on the same line, or alone at the end of the line before.
fn telling_word(text: &str, at: usize) -> Option<Plain> {
    let before = text.as_bytes().get(at.saturating_sub(MAX_BACK)..at)?;
    let gap = before
        .iter()
        .rev()
        .take_while(|byte| !byte.is_ascii_alphanumeric())
        .count();
    let (word, gap) = before.split_at_checked(before.len() - gap)?;
    let divides = |byte: &u8| matches!(byte, b'.' | b'/' | b';' | b'#' | b'@' | 0x80..);
    let is_ruled = gap.windows(2).any(|pair| pair == b"--");
    // The end of a line before speaks for what follows if it is a word, not the end of a sentence.
    let is_broken = gap.contains(&b'\n') && !gap.iter().all(u8::is_ascii_whitespace);
    if gap.len() > MAX_GAP || gap.iter().any(divides) || is_ruled || is_broken {
        return None;
    }
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let length = word.iter().rev().take_while(|byte| in_word(byte)).count();
    let start = at - gap.len() - length;
    if is_replacement(text, start) {
        return None;
    }
    Some(Plain::of(text.get(start..at - gap.len())?)).filter(|word| word.length > 0)
}

/// A word in lower case and without signs, as far as [`MAX_BACK`] letters go.
struct Plain {
    letters: [u8; MAX_BACK],
    length: usize,
}

impl Plain {
    fn of(word: &str) -> Self {
        let mut plain = Self {
            letters: [0; MAX_BACK],
            length: 0,
        };
        let letters = word.bytes().filter(u8::is_ascii_alphanumeric);
        for (slot, letter) in plain.letters.iter_mut().zip(letters) {
            *slot = letter.to_ascii_lowercase();
            plain.length += 1;
        }
        plain
    }

    fn as_str(&self) -> &str {
        let letters = self.letters.get(..self.length).unwrap_or_default();
        std::str::from_utf8(letters).unwrap_or_default()
    }
}
