//! Values behind the name of a secret: `name = value`, `"name": "value"`, `<name>value</name>`.

use std::ops::Range;

use super::encodings::from_base64;
use super::forms::{Fit, fit, names_service};
use super::look::{
    distinct, is_chosen, is_framework_key, is_hex, is_issued, is_placeholder, looks_random,
};
use super::names::{Holds, what_it_holds};
use super::redact::is_replacement;
use super::tokens::is_claimed;

/// Longest value that is taken for one, in bytes.
const MAX_VALUE: usize = 4096;
/// Shortest value behind a secret's name.
const MIN_VALUE: usize = 6;
/// Shortest value behind the name of a token.
const MIN_TOKEN: usize = 8;
/// Fewest different characters of a service's key.
const MIN_DISTINCT: usize = 6;
/// Longest name, in bytes.
const MAX_NAME: usize = 64;
/// Most blanks on either side of the sign between name and value.
const MAX_BLANKS: usize = 4;

/// The value behind the name that holds bytes `hit` of `text`, if it is secret.
pub(super) fn assigned_at(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let before = bytes.get(hit.start.saturating_sub(MAX_NAME)..hit.start)?;
    let start = hit.start - before.iter().rev().take_while(|byte| in_name(byte)).count();
    if is_replacement(text, start) {
        return None;
    }
    let after = bytes.get(hit.end..)?;
    let end = hit.end
        + after
            .iter()
            .take(MAX_NAME)
            .take_while(|byte| in_name(byte))
            .count();
    let closing = |byte: &u8| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'\\' | b']');
    let closed = bytes
        .get(end..)?
        .iter()
        .take(MAX_BLANKS + 4)
        .take_while(|byte| closing(byte))
        .count();
    let sign = end + closed;
    let opened = start > 0 && bytes.get(start - 1) == Some(&b'<');
    match bytes.get(sign)? {
        b'>' if opened && closed == 0 => element_value(text, sign, text.get(start..end)?),
        b'=' | b':' => assigned_value(text, sign, text.get(start..end)?),
        // Two arguments, the first of them a name: `set("x-api-key", "value")`.
        b',' if closed > 0 && bytes.get(sign..sign + 3) == Some(b", \"") => {
            assigned_value(text, sign, text.get(start..end)?)
        }
        _ => None,
    }
}

fn assigned_value(text: &str, at: usize, name: &str) -> Option<Range<usize>> {
    let after = text.get(at + 1..)?;
    let rest = after.trim_start_matches(['=', '>']);
    let rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
    if after.len() - rest.len() > MAX_BLANKS + 2 {
        return None;
    }
    let rest = rest.strip_prefix('(').unwrap_or(rest);
    let open = rest.trim_start_matches('\\');
    let quote = open
        .chars()
        .next()
        .filter(|ch| matches!(ch, '"' | '\'' | '`'));
    let opening = quote.map_or(0, |quote| rest.len() - open.len() + quote.len_utf8());
    let inner = rest.get(opening..)?;
    let inner = inner.strip_prefix("Bearer ").unwrap_or(inner);
    if let Some(pair) = inner.strip_prefix("Basic ").map(bare)
        && is_user_and_password(pair)
    {
        let start = text.len() - inner.len() + "Basic ".len();
        return Some(start..start + pair.len());
    }
    let value = match rest.get(..opening) {
        Some("") | None => bare(inner),
        Some(opening) => quoted(inner, opening),
    };
    let start = text.len() - inner.len();
    let behind = inner.as_bytes().get(value.len());
    if opening == 0 && matches!(behind, Some(b'(' | b'[')) && is_path_in_code(value) {
        return None;
    }
    // Short values are common, and the name need not be read for them.
    let real = value.len() >= MIN_VALUE
        && match what_it_holds(name) {
            Holds::NoSecret => false,
            Holds::Phrase => is_secret(value, opening > 0, Holds::Phrase),
            holds => is_issued_secret(text, start..start + value.len(), opening > 0, name, holds),
        };
    real.then(|| start..start + value.len())
}

/// Whether this is the base64 of a user's name, a colon and a password, however short (RFC 7617).
fn is_user_and_password(value: &str) -> bool {
    let decoded = from_base64(value);
    value.len() >= MIN_VALUE
        && decoded.contains(&b':')
        && !decoded.iter().any(u8::is_ascii_control)
        && std::str::from_utf8(&decoded).is_ok()
}

/// Whether the value at `place`, behind a name that holds what a machine issued, has the form of its
/// kind, and that of the service which it is for.
fn is_issued_secret(
    text: &str,
    place: Range<usize>,
    quoted: bool,
    name: &str,
    holds: Holds,
) -> bool {
    let start = place.start;
    let Some(value) = text.get(place) else {
        return false;
    };
    if is_claimed(value) {
        return false;
    }
    let looks_like_one = is_secret(value, quoted, holds);
    let real = match fit(text, start, value) {
        Fit::Key => looks_like_one || distinct(value) >= MIN_DISTINCT,
        Fit::NoKey => false,
        Fit::Unknown => looks_like_one,
    };
    // A key without another word may be any digest, unless a service is named before it.
    real && (!name.eq_ignore_ascii_case("key") || !is_hex(value) || names_service(text, start))
}

/// The text of an element, for an element that is named for a secret. Jenkins puts encrypted
/// values in braces.
fn element_value(text: &str, at: usize, name: &str) -> Option<Range<usize>> {
    if what_it_holds(name) == Holds::NoSecret {
        return None;
    }
    let rest = text.get(at + 1..)?;
    let bound = rest.floor_char_boundary(MAX_VALUE);
    let value = rest.get(..rest.get(..bound)?.find('<')?)?;
    let inner = value.trim_matches(['{', '}', ' ', '\n', '\t']);
    // A reference starts with a sign; what is encrypted may hold one anywhere.
    let plain = |part: &str| {
        let part = part.trim_matches(['.', ';', ',']);
        is_secret(part, false, Holds::Password) || looks_random(part)
    };
    let real =
        inner.len() >= MIN_VALUE && !is_placeholder(inner) && inner.split_whitespace().any(plain);
    real.then(|| at + 1..at + 1 + value.len())
}

/// Whether code that is called or indexed gets the value: `self.form.get(…)`.
fn is_path_in_code(value: &str) -> bool {
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    value.bytes().all(in_name) && (value.contains('.') || !digits)
}

/// Up to the quote that closes it, on the same line.
fn quoted<'a>(rest: &'a str, quote: &str) -> &'a str {
    let mut escaped = false;
    for (at, ch) in rest.char_indices() {
        if at > MAX_VALUE || ch == '\n' {
            break;
        }
        if !escaped && rest.get(at..).is_some_and(|tail| tail.starts_with(quote)) {
            return rest.get(..at).unwrap_or_default();
        }
        escaped = ch == '\\' && !escaped;
    }
    rest.get(..0).unwrap_or_default()
}

/// Up to white space or what separates values.
fn bare(rest: &str) -> &str {
    let ends = |ch: char| ch.is_whitespace() || "\"'`,;&<>()[]{}\\|".contains(ch);
    let value = rest
        .find(ends)
        .map_or(rest, |end| rest.get(..end).unwrap_or_default());
    if value.len() > MAX_VALUE {
        rest.get(..0).unwrap_or_default()
    } else {
        value
    }
}

fn is_secret(value: &str, quoted: bool, holds: Holds) -> bool {
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    if value.len() < MIN_VALUE || is_placeholder(value) || !(digits || letters) {
        return false;
    }
    match holds {
        Holds::NoSecret => false,
        Holds::SomeKey => is_issued(value) && looks_random(value),
        // People choose passwords, of words too; a number without quotes is a number.
        Holds::Phrase if quoted => !value.ends_with(':') && !value.contains('('),
        Holds::Password | Holds::Phrase if value.contains(char::is_whitespace) => false,
        Holds::Password if quoted => true,
        Holds::Password | Holds::Phrase => {
            letters && (digits || is_chosen(value) || value.len() >= 8)
        }
        Holds::Token if value.contains(char::is_whitespace) => false,
        Holds::Token if value.len() < MIN_TOKEN => false,
        Holds::Token if !is_issued(value) => is_framework_key(value),
        Holds::Token if quoted => true,
        Holds::Token => letters && (digits || is_chosen(value)) || looks_random(value),
    }
}
