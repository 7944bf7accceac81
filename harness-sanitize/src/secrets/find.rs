//! Secrets in a text: kind and place, never a fragment.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;

use super::assignments;
use super::kinds::KINDS;
use super::known::Known;

/// What kind of secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SecretKind(pub(super) &'static str);

impl SecretKind {
    /// A value of the environment.
    pub const KNOWN: Self = Self("known-value");
    /// A private key in PEM or OpenSSH form.
    pub const PRIVATE_KEY: Self = Self("private-key");
    /// The password in a URL.
    pub const URL_PASSWORD: Self = Self("url-password");
    /// The credentials of an `Authorization` header.
    pub const AUTHORIZATION: Self = Self("authorization");
    /// A value assigned to the name of a secret.
    pub const ASSIGNED: Self = Self("assigned");

    /// Its name: lower case letters, digits and hyphens.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

/// A secret's place in a text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretSpan {
    /// What it is.
    pub kind: SecretKind,
    /// Where it starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// Every secret in `text`, in order, none overlapping another.
pub(super) fn find(text: &str, known: &Known) -> Vec<SecretSpan> {
    let mut spans = Vec::new();
    let mut add = |kind, found: Vec<(usize, usize)>| {
        spans.extend(
            found
                .into_iter()
                .map(|(start, end)| SecretSpan { kind, start, end }),
        );
    };
    add(SecretKind::KNOWN, known.find(text));
    add(SecretKind::PRIVATE_KEY, assignments::private_keys(text));
    add(SecretKind::URL_PASSWORD, assignments::url_passwords(text));
    add(SecretKind::AUTHORIZATION, assignments::authorization(text));
    add(SecretKind::ASSIGNED, assignments::assigned(text));
    add(SecretKind::ASSIGNED, assignments::near(text));
    spans.extend(tokens(text));
    merge(spans)
}

/// Where two overlap, they are one: of the kind that starts first, or of two that start together
/// the more telling one.
fn merge(mut spans: Vec<SecretSpan>) -> Vec<SecretSpan> {
    spans.sort_by_key(|span| {
        (
            span.start,
            matches!(span.kind, SecretKind::ASSIGNED | SecretKind::AUTHORIZATION),
        )
    });
    let mut merged: Vec<SecretSpan> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

struct Tokens {
    prefixes: AhoCorasick,
    /// For each prefix its kind, and what must follow it.
    rests: Vec<(SecretKind, Regex)>,
}

static TOKENS: LazyLock<Option<Tokens>> = LazyLock::new(|| {
    let mut prefixes = Vec::new();
    let mut rests = Vec::new();
    for kind in KINDS {
        let rest = Regex::new(&format!("^(?-u:{})", kind.rest)).ok()?;
        for prefix in kind.prefixes {
            prefixes.push(*prefix);
            rests.push((SecretKind(kind.name), rest.clone()));
        }
    }
    let prefixes = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .build(prefixes)
        .ok()?;
    Some(Tokens { prefixes, rests })
});

fn tokens(text: &str) -> Vec<SecretSpan> {
    let Some(tokens) = &*TOKENS else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut covered = 0;
    for prefix in tokens.prefixes.find_overlapping_iter(text) {
        if prefix.start() < covered || !starts_word(text, prefix.start()) {
            continue;
        }
        let rest = text.get(prefix.end()..).unwrap_or_default();
        let Some((kind, regex)) = tokens.rests.get(prefix.pattern().as_usize()) else {
            continue;
        };
        let Some(token) = regex.find(rest) else {
            continue;
        };
        if !is_random(token.as_str()) {
            continue;
        }
        let end = prefix.end() + token.end();
        let tail = text.get(end..).unwrap_or_default();
        // The rest of the word goes as well: a longer token than we know of.
        let more = tail
            .find(|ch: char| !ch.is_ascii_alphanumeric())
            .unwrap_or(tail.len());
        covered = end + more;
        found.push(SecretSpan {
            kind: *kind,
            start: prefix.start(),
            end: covered,
        });
    }
    found
}

/// Whether a token can start at `at`: behind anything but a letter, digit, hyphen or underscore;
/// or behind an escape of JSON (`\n`) or of a URL (`%3D`), whose last character is a letter.
fn starts_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().as_bytes();
    match before {
        [] => true,
        [.., b'\\', b'n' | b't' | b'r' | b'b' | b'f'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [.., last] => !(last.is_ascii_alphanumeric() || matches!(last, b'-' | b'_')),
    }
}

/// Whether this looks drawn at random: not one letter over and over, and not words alone.
fn is_random(token: &str) -> bool {
    let mut seen = [false; 128];
    for byte in token.bytes() {
        if let Some(slot) = seen.get_mut(usize::from(byte)) {
            *slot = true;
        }
    }
    let distinct = seen.iter().filter(|seen| **seen).count();
    let has = |wanted: fn(&u8) -> bool| token.as_bytes().iter().any(wanted);
    let mixed =
        has(u8::is_ascii_digit) || (has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase));
    distinct >= 6 && mixed && !token.contains("XXXX") && !token.contains("xxxx")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_compiles() {
        assert!(TOKENS.is_some());
        assert!(KINDS.iter().all(|kind| !kind.prefixes.is_empty()));
    }
}
