//! The parts of a text that could be a value: identifiers, numbers, paths, hosts, addresses.

use harness_core::text::fold;
use unicode_normalization::UnicodeNormalization as _;

/// What an atom looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Url,
    Address,
    Path,
    Host,
    Number,
    /// An identifier, code or proper name: something that words of prose are not.
    Value,
    /// A word.
    Word,
}

/// A part of a text without white space.
#[derive(Clone, Debug)]
pub(super) struct Atom<'a> {
    pub(super) at: usize,
    pub(super) text: &'a str,
    pub(super) shape: Shape,
}

/// The atoms of a text, and the parts of those that are put together: the host of a URL, the
/// names of a path, the numbers of a date.
pub(super) fn atoms(text: &str) -> Vec<Atom<'_>> {
    let mut found = Vec::new();
    for (at, token) in split(text, 0, |ch| {
        ch.is_whitespace() || "\"'`(){}[]<>;|=".contains(ch)
    }) {
        add(&mut found, at, token);
    }
    found
}

fn add<'a>(found: &mut Vec<Atom<'a>>, at: usize, token: &'a str) {
    let shape = shape(token);
    found.push(Atom {
        at,
        text: token,
        shape,
    });
    if shape == Shape::Word {
        return;
    }
    for (at, part) in split(token, at, |ch| "/\\:@?&#%,".contains(ch)) {
        add_part(found, at, part, token);
        for (at, piece) in split(part, at, |ch| !ch.is_alphanumeric()) {
            add_part(found, at, piece, part);
        }
    }
}

/// A part counts for itself; but a number of one or two digits within something else says nothing.
fn add_part<'a>(found: &mut Vec<Atom<'a>>, at: usize, part: &'a str, whole: &str) {
    let shape = shape(part);
    if part.len() < whole.len() && (shape != Shape::Number || part.chars().count() >= MIN_PART) {
        found.push(Atom {
            at,
            text: part,
            shape,
        });
    }
}

/// Fewest digits of a number that counts as part of something else.
const MIN_PART: usize = 3;

/// Parts of `text` with their offsets, trimmed of punctuation.
fn split(
    text: &str,
    base: usize,
    separates: impl Fn(char) -> bool,
) -> impl Iterator<Item = (usize, &str)> {
    let mut at = base;
    text.split_inclusive(separates).filter_map(move |piece| {
        let start = at;
        at += piece.len();
        let from_left = piece.trim_start_matches(|ch: char| !is_edge(ch, true));
        let offset = start + piece.len() - from_left.len();
        let token = from_left.trim_end_matches(|ch: char| !is_edge(ch, false));
        (!token.is_empty()).then_some((offset, token))
    })
}

/// Whether an atom may start (or end) with this character.
fn is_edge(ch: char, start: bool) -> bool {
    ch.is_alphanumeric() || ch == '_' || (start && matches!(ch, '/' | '\\' | '~' | '.' | '$'))
}

fn shape(token: &str) -> Shape {
    let plain: String = token.nfkc().collect();
    if plain.contains("://") || plain.starts_with("www.") {
        return Shape::Url;
    }
    let digits = plain.chars().any(|ch| ch.is_numeric());
    let letters = plain.chars().any(char::is_alphabetic);
    if plain.contains('@') || is_ip(&plain) {
        return Shape::Address;
    }
    if plain.contains(['/', '\\']) {
        return Shape::Path;
    }
    if digits && !letters {
        return Shape::Number;
    }
    if is_host(&plain) {
        return Shape::Host;
    }
    let inner_capital = plain.chars().skip(1).any(char::is_uppercase);
    let joined = plain.contains(['_', '.', ',', ':', '$', '~']);
    if digits || inner_capital || joined || plain.starts_with(char::is_uppercase) {
        return Shape::Value;
    }
    Shape::Word
}

fn is_ip(text: &str) -> bool {
    let bare = text.split(['/', '%']).next().unwrap_or_default();
    bare.parse::<std::net::IpAddr>().is_ok() || bare.parse::<std::net::SocketAddr>().is_ok()
}

/// Labels with dots between and a last one of letters, with or without a port.
fn is_host(text: &str) -> bool {
    let name = text.split(':').next().unwrap_or_default();
    let labels: Vec<&str> = name.split('.').collect();
    let last_is_letters = labels
        .last()
        .is_some_and(|last| last.len() >= 2 && last.chars().all(char::is_alphabetic));
    labels.len() >= 2
        && last_is_letters
        && labels.iter().all(|label| {
            !label.is_empty() && label.chars().all(|ch| ch.is_alphanumeric() || ch == '-')
        })
}

/// How a text looks, for comparison.
pub(super) fn look(text: &str) -> String {
    fold(text).map(|(_, ch)| ch).collect()
}

/// The digits of a number: `1,000` and `１０００` are one.
pub(super) fn digits(text: &str) -> String {
    let digits: String = text
        .nfkc()
        .filter_map(|ch| ch.to_digit(10))
        .filter_map(|digit| char::from_digit(digit, 10))
        .collect();
    let trimmed = digits.trim_start_matches('0');
    if trimmed.is_empty() && !digits.is_empty() {
        "0".into()
    } else {
        trimmed.into()
    }
}

/// The words of a text with their offsets, as they look.
pub(super) fn words(text: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (at, ch) in fold(text) {
        if !ch.is_alphanumeric() {
            inside = false;
            continue;
        }
        match words.last_mut() {
            Some((_, word)) if inside => word.push(ch),
            _ => words.push((at, ch.into())),
        }
        inside = true;
    }
    words
}
