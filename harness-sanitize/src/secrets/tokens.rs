//! Tokens that are told by their own look, within the long words of a text.

use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;

use super::checksum;
use super::find::{SecretKind, SecretSpan};
use super::jwt;
use super::kinds::{Kind, PUBLIC, Prefix, SHAPES, kinds};
use super::look::{is_crossed_out, is_drawn};

/// Most bytes of a long word in which a shape is looked for: longer ones are data.
const MAX_SHAPED: usize = 4096;

struct Tokens {
    /// By the first byte of a prefix: the prefix, its kind, and what must follow.
    by_first: [Vec<(&'static str, &'static Kind, Arc<Pattern>)>; 128],
    /// The literals of all shapes.
    literals: AhoCorasick,
    /// For each literal the shape that holds it.
    shapes: Vec<(SecretKind, Arc<Pattern>)>,
}

/// A pattern that is compiled when it is needed: there are many, and a text needs few.
struct Pattern {
    source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    fn new(source: String) -> Arc<Self> {
        let compiled = OnceLock::new();
        Arc::new(Self { source, compiled })
    }

    fn get(&self) -> Option<&Regex> {
        let compile = || Regex::new(&self.source).ok();
        self.compiled.get_or_init(compile).as_ref()
    }
}

static TOKENS: LazyLock<Option<Tokens>> = LazyLock::new(|| {
    let mut by_first = std::array::from_fn(|_| Vec::new());
    for kind in kinds() {
        let rest = Pattern::new(format!("^(?-u:{})", kind.rest));
        for prefix in kind.prefixes {
            let first = prefix.bytes().next()?;
            by_first
                .get_mut(usize::from(first))?
                .push((*prefix, kind, rest.clone()));
        }
    }
    let mut shapes = Vec::new();
    for shape in SHAPES {
        let pattern = Pattern::new(shape.pattern.to_owned());
        let each = shape.literals.iter();
        shapes.extend(each.map(|_| (SecretKind(shape.name), pattern.clone())));
    }
    let literals = SHAPES.iter().flat_map(|shape| shape.literals);
    Some(Tokens {
        by_first,
        literals: AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(literals)
            .ok()?,
        shapes,
    })
});

/// Adds the tokens in `word`, a long word of `text`; returns whether there was one.
pub(super) fn tokens(text: &str, word: &Range<usize>, found: &mut Vec<SecretSpan>) -> bool {
    let Some(tokens) = &*TOKENS else {
        return false;
    };
    let before = found.len();
    let mut at = word.start;
    while at < word.end {
        let Some(end) = tokens.starting_at(text, at, found) else {
            at = next_start(text, at, word.end);
            continue;
        };
        at = end.max(at + 1);
    }
    tokens.shaped(text, word, found);
    found.len() > before
}

impl Tokens {
    fn starting_at(&self, text: &str, at: usize, found: &mut Vec<SecretSpan>) -> Option<usize> {
        let rest = text.get(at..)?;
        let kinds = self.by_first.get(usize::from(*rest.as_bytes().first()?))?;
        for (prefix, kind, pattern) in kinds {
            let Some(rest) = rest.strip_prefix(prefix) else {
                continue;
            };
            if !starts_word(text, at) {
                return None;
            }
            let Some(token) = pattern.get()?.find(rest) else {
                continue;
            };
            let is_real = if kind.prefix == Prefix::Telling {
                !is_crossed_out(token.as_str())
            } else {
                is_drawn(token.as_str()) || checksum::holds(token.as_str())
            };
            // What goes on behind its full length is another token, or none.
            let tail = rest.as_bytes().get(token.end()..).unwrap_or_default();
            if !is_real || goes_on(tail) {
                continue;
            }
            let end = at + prefix.len() + token.end();
            if kind.name == jwt::NAME && !jwt::may_be_one(text.get(at..end)?) {
                continue;
            }
            found.push(SecretSpan {
                kind: SecretKind(kind.name),
                start: at,
                end,
            });
            return Some(end);
        }
        None
    }

    fn shaped(&self, text: &str, word: &Range<usize>, found: &mut Vec<SecretSpan>) {
        let Some(piece) = text
            .get(word.clone())
            .filter(|piece| piece.len() <= MAX_SHAPED)
        else {
            return;
        };
        for hit in self.literals.find_iter(piece) {
            let Some((kind, pattern)) = self.shapes.get(hit.pattern().as_usize()) else {
                continue;
            };
            let captures = pattern
                .get()
                .into_iter()
                .flat_map(|pattern| pattern.captures_iter(piece));
            let places = captures.filter_map(|found| found.get(1));
            found.extend(
                places
                    .filter(|place| !is_crossed_out(place.as_str()))
                    .map(|place| SecretSpan {
                        kind: *kind,
                        start: word.start + place.start(),
                        end: word.start + place.end(),
                    }),
            );
        }
    }
}

/// The next place after `at` where a token can start: behind a sign, or behind the letter that an
/// escape ends with.
fn next_start(text: &str, at: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let joins = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let mut next = at + 1;
    while next < end {
        let before = bytes.get(next - 1).copied().unwrap_or_default();
        if !joins(before) || starts_word(text, next) {
            return next;
        }
        next += 1;
    }
    end
}

/// Whether a value starts like a kind that nothing else starts like: it is a token of that kind,
/// found as such, or no secret. So are what names a client to everyone, and a spoilt token.
pub(super) fn is_claimed(value: &str) -> bool {
    if PUBLIC.iter().any(|prefix| value.starts_with(prefix)) || jwt::is_spoilt(value) {
        return true;
    }
    let first = value.bytes().next().unwrap_or_default();
    let kinds = TOKENS
        .as_ref()
        .and_then(|tokens| tokens.by_first.get(usize::from(first)));
    kinds
        .into_iter()
        .flatten()
        .any(|(prefix, kind, _)| kind.claims() && value.starts_with(prefix))
}

/// Whether a token goes on with what is behind it.
fn goes_on(tail: &[u8]) -> bool {
    match tail {
        [b'-', next, ..] => next.is_ascii_alphanumeric(),
        [next, ..] => next.is_ascii_alphanumeric() || *next == b'_',
        [] => false,
    }
}

/// Whether a token can start at `at`: behind anything but a letter, digit, hyphen or underscore;
/// or behind an escape of JSON (`\n`) or of a URL (`%3D`), whose last character is a letter. Behind
/// a `+` between letters, base64 goes on.
fn starts_word(text: &str, at: usize) -> bool {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    match before {
        [] => true,
        [.., b'\\', b'n' | b't' | b'r' | b'b' | b'f'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [.., letter, b'+'] => !letter.is_ascii_alphanumeric(),
        [.., last] => !(last.is_ascii_alphanumeric() || matches!(last, b'-' | b'_')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_compiles() {
        let tokens = TOKENS.as_ref().unwrap();
        let rests = tokens.by_first.iter().flatten().map(|(.., rest)| rest);
        let mut patterns = rests.chain(tokens.shapes.iter().map(|(_, shape)| shape));
        assert!(patterns.all(|pattern| pattern.get().is_some()));
        assert!(kinds().all(|kind| !kind.prefixes.is_empty()));
    }
}
