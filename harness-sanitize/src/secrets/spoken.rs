//! Passwords without a sign before them: in prose, on command lines, as arguments.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::look::is_placeholder;

/// What stands behind the word or option that tells of a password. Group 1 is the value in quotes,
/// group 2 the bare one.
const FORMS: &[&str] = &[
    // `password "value"`, `-password value`, `password is 'value'`.
    r#"(?i)^\w{0,16}(?: for (?:user |the )?\S{1,64})?(?: is| was)?[:,]?[ \t]{1,4}(?:["'`]([^\s"'`]{5,128})["'`]|([^\s"'`,;()<>\[\]{}]{6,128}))"#,
    // What a server prints at its first start.
    r"(?i)^word[^\n]{0,96}:\s{1,4}([0-9a-f]{32})\s",
    // `--user name:value`, `-u name:value`.
    r#"^(?:name)?[ =](?:["'][^\s:"']{1,128}["']?:["']?([^\s"']{3,256})["']|[^\s:"']{1,128}:([^\s"']{3,256}))"#,
    // `-u name -p value`.
    r#"^(?:name)?[ =]\S{1,128} (?:-p|--?pass(?:word)?)[ =](?:["']([^\s"']{3,256})["']|([^\s"']{3,256}))"#,
    // Constructors of credentials: the last of their arguments.
    r#"(?i)^\w{0,16}\((?:\s{0,16}"[^"\n]{0,256}",){1,2}\s{0,16}"([^"\s]{5,256})""#,
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
    let forms = match word.as_bytes() {
        [b'p' | b'P', ..] => 0..2,
        [b'-' | b' ', ..] => 2..4,
        [b'c' | b'C' | b'd' | b'D' | b'n' | b'N', ..] => 4..5,
        _ => 5..6,
    };
    let bound = text.floor_char_boundary(hit.end + MAX_BEHIND);
    let behind = text.get(hit.end..bound)?;
    PATTERNS.get(forms)?.iter().find_map(|pattern| {
        let captures = pattern.captures(behind)?;
        let quoted = captures
            .get(1)
            .filter(|value| !is_placeholder(value.as_str()));
        let bare = captures.get(2).filter(|value| is_password(value.as_str()));
        let value = quoted.or(bare)?;
        Some(hit.end + value.start()..hit.end + value.end())
    })
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
