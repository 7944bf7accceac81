//! Passwords without a sign before them: in prose, on command lines, as arguments.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use regex::Regex;

use super::look::is_placeholder;

/// What stands behind the option or word that tells of a password. Group 1 is the value in quotes,
/// group 2 the bare one.
const FORMS: &[&str] = &[
    // `--user name:value`, `-u name:value`.
    r#"^(?:name)?[ =](?:["'][^\s:"']{1,128}["']?:["']?([^\s"']{3,256})["']|[^\s:"']{1,128}:([^\s"']{3,256}))"#,
    // `-u name -p value`.
    r#"^(?:name)?[ =]\S{1,128} (?:-p|--?pass(?:word)?)[ =](?:["']([^\s"']{3,256})["']|([^\s"']{3,256}))"#,
    // Constructors of credentials: the last of their arguments.
    r#"^\w{0,16}\((?:\s{0,16}"[^"\n]{0,256}",){1,2}\s{0,16}"([^"\s]{5,256})""#,
    // What opens a vault.
    r"^ ([A-Za-z0-9+/=]{32,64})",
];

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    FORMS
        .iter()
        .filter_map(|form| Regex::new(form).ok())
        .collect()
});

/// The password in `text` that the word or option at `hit` tells of.
pub(super) fn spoken_at(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    let word = text.get(hit.clone())?;
    let bound = text.floor_char_boundary(hit.end + MAX_BEHIND);
    let behind = text.get(hit.end..bound)?;
    let (forms, any) = match word.as_bytes() {
        [b'p' | b'P', ..] => {
            let value = in_prose(behind).or_else(|| printed(behind))?;
            return Some(hit.end + value.start..hit.end + value.end);
        }
        // An option says that a password follows, whatever it looks like.
        [b'-' | b' ', ..] => (0..2, true),
        [b'c' | b'C' | b'd' | b'D' | b'n' | b'N', ..] => (2..3, false),
        _ => (3..4, false),
    };
    PATTERNS
        .get(forms)?
        .iter()
        .enumerate()
        .find_map(|(index, pattern)| {
            let captures = pattern.captures(behind)?;
            let quoted = captures
                .get(1)
                .filter(|value| !is_placeholder(value.as_str()) && value.as_str() != "password");
            let named = any && index == 1;
            let bare = captures.get(2).filter(|value| {
                is_password(value.as_str()) || (named && !is_placeholder(value.as_str()))
            });
            let value = quoted.or(bare)?;
            Some(hit.end + value.start()..hit.end + value.end())
        })
}

/// Longest rest of a word that starts like `password`, in bytes.
const MAX_REST: usize = 16;
/// How a word that starts with `pass` goes on where it tells of a secret: `password`, `passwd`,
/// `Passwort`, `passord`, `mot de passe`.
const REST: &[&str] = &["w", "phrase", "code", "key", "ord", "_"];
/// Longest name in `password for NAME is`, in bytes.
const MAX_NAME: usize = 64;
/// Most blanks before a spoken value.
const MAX_BLANKS: usize = 4;
/// Lengths of a value in quotes.
const QUOTED: RangeInclusive<usize> = 5..=128;
/// Lengths of a bare one.
const BARE: RangeInclusive<usize> = 6..=128;

/// `password "value"`, `-password value`, `password for me is 'value'`.
fn in_prose(behind: &str) -> Option<Range<usize>> {
    let mut rest = past(behind, MAX_REST, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'_'
    })?;
    // Not a passage, a passenger or a passport.
    let word = behind.get(..behind.len() - rest.len())?;
    let names_one = |rest: &&str| {
        let start = word.get(..rest.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(rest))
    };
    let whole = word.is_empty() || word.eq_ignore_ascii_case("e");
    if !whole && !REST.iter().any(names_one) {
        return None;
    }
    if let Some(name) = rest.strip_prefix(" for ") {
        let name = name
            .strip_prefix("user ")
            .or_else(|| name.strip_prefix("the "));
        let name = name.unwrap_or_else(|| rest.get(" for ".len()..).unwrap_or_default());
        rest = past(name, MAX_NAME, |byte| !byte.is_ascii_whitespace())?;
    }
    for verb in [" is", " was"] {
        rest = rest.strip_prefix(verb).unwrap_or(rest);
    }
    rest = rest.strip_prefix([':', ',']).unwrap_or(rest);
    let value = past(rest, MAX_BLANKS, |byte| matches!(byte, b' ' | b'\t'))?;
    if value.len() == rest.len() {
        return None;
    }
    let start = behind.len() - value.len();
    let quote = value.bytes().next().filter(|byte| b"\"'`".contains(byte));
    if let Some(quote) = quote {
        let inner = value.get(1..)?;
        let ends = |byte: u8| byte.is_ascii_whitespace() || b"\"'`".contains(&byte);
        let length = inner.bytes().position(ends)?;
        let real = inner.as_bytes().get(length) == Some(&quote)
            && QUOTED.contains(&length)
            && !is_placeholder(inner.get(..length)?);
        return real.then(|| start + 1..start + 1 + length);
    }
    let ends = |byte: u8| byte.is_ascii_whitespace() || b"\"'`,;()<>[]{}".contains(&byte);
    let length = value.bytes().position(ends).unwrap_or(value.len());
    let real = BARE.contains(&length) && is_password(value.get(..length)?);
    real.then(|| start..start + length)
}

/// What is behind the first characters that are `wanted`, if these are `max` bytes at most.
fn past(text: &str, max: usize, wanted: impl Fn(u8) -> bool) -> Option<&str> {
    let length = text
        .bytes()
        .take(max + 1)
        .take_while(|byte| wanted(*byte))
        .count();
    text.get(length..).filter(|_| length <= max)
}

/// Length of the password that a server prints at its first start.
const PRINTED: usize = 32;
/// Most text before it, in bytes.
const MAX_NOTICE: usize = 101;

/// `password … :` and 32 hexadecimal digits by themselves.
fn printed(behind: &str) -> Option<Range<usize>> {
    let notice = behind.get(..behind.floor_char_boundary(MAX_NOTICE))?;
    if !notice.get(..4)?.eq_ignore_ascii_case("word") {
        return None;
    }
    let line = notice.split('\n').next()?;
    let rest = behind.get(line.rfind(':')? + 1..)?;
    let value = past(rest, MAX_BLANKS, |byte| byte.is_ascii_whitespace())?;
    let digits = value.bytes().take_while(u8::is_ascii_hexdigit).count();
    let alone = value
        .as_bytes()
        .get(digits)
        .is_some_and(u8::is_ascii_whitespace);
    let start = behind.len() - value.len();
    (digits == PRINTED && alone && value.len() < rest.len()).then(|| start..start + digits)
}

/// Most text behind a telling word that is looked at, in bytes.
const MAX_BEHIND: usize = 1024;

/// Whether a bare word is no word: a letter and a digit, and no name or path.
fn is_password(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !value.contains('/')
        && !is_placeholder(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_compiles() {
        assert_eq!(PATTERNS.len(), FORMS.len());
    }
}
