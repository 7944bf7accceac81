//! Secrets that are told by what they are assigned to, or by where they stand.

use std::sync::LazyLock;

use regex::Regex;

use super::names::secret_shaped_name;

/// Longest value that is taken for one, in bytes.
const MAX_VALUE: usize = 4096;
/// Shortest value behind a secret's name.
const MIN_VALUE: usize = 6;

/// A name, an equals sign or colon, and where the value starts. Names and values may be quoted,
/// also within JSON in a JSON string (`\"`).
static ASSIGNMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        (?P<name> [A-Za-z][A-Za-z0-9_.-]{1,63} )
        (?: \\*["'] )? \]? \s{0,4} (?: := | => | == | = | : ) \s{0,4}
        (?P<quote> \\*["'`] )?
        "#,
    )
    .ok()
});

static AUTHORIZATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:bearer|basic|token|apikey|bot)[ \t]{1,4}([A-Za-z0-9+/=._~-]{16,4096})")
        .ok()
});

static NEAR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?xi-u)
        (?: secret | token | passwd | password | pat | access | private | key | auth | license )
        ["'`\]]{0,2} (?: [\t\x20]{0,4} (?: [:=>,-] | := | => )? [\t\x20]{0,4} ) ["'`({]{0,2}
        \b ( [A-Za-z0-9] [A-Za-z0-9_+/=~-]{19,511} )
        "#,
    )
    .ok()
});

/// `scheme://user:password@`.
static URL_PASSWORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"[A-Za-z][A-Za-z0-9+.-]{1,31}://[^\s/?#:@"'<>\[\]]{0,256}:([^\s/?#@"'<>\[\]]{3,256})@"#,
    )
    .ok()
});

static PRIVATE_KEY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----").ok());

/// Values behind the name of a secret.
pub(super) fn assigned(text: &str) -> Vec<(usize, usize)> {
    let Some(regex) = &*ASSIGNMENT else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for captures in regex.captures_iter(text) {
        let (Some(all), Some(name)) = (captures.get(0), captures.name("name")) else {
            continue;
        };
        if !secret_shaped_name(name.as_str()) {
            continue;
        }
        let rest = text.get(all.end()..).unwrap_or_default();
        let value = match captures.name("quote") {
            Some(quote) => quoted(rest, quote.as_str()),
            None => bare(rest),
        };
        if is_secret(value, captures.name("quote").is_some()) {
            found.push((all.end(), all.end() + value.len()));
        }
    }
    found
}

/// Credentials of an `Authorization` header.
pub(super) fn authorization(text: &str) -> Vec<(usize, usize)> {
    group(&AUTHORIZATION, text, |value| is_secret(value, false))
}

/// Values that look drawn at random, close behind a word for a secret, however they are joined
/// (`service SECRET 1a2b…`, `serviceKey-1a2b…`, `<secret>1a2b…`).
pub(super) fn near(text: &str) -> Vec<(usize, usize)> {
    group(&NEAR, text, looks_random)
}

/// Passwords in URLs.
pub(super) fn url_passwords(text: &str) -> Vec<(usize, usize)> {
    group(&URL_PASSWORD, text, |value| !is_placeholder(value))
}

/// Private keys in PEM and OpenSSH form: to the end line, or as far as the encoding goes.
pub(super) fn private_keys(text: &str) -> Vec<(usize, usize)> {
    let Some(regex) = &*PRIVATE_KEY else {
        return Vec::new();
    };
    let mut found: Vec<(usize, usize)> = Vec::new();
    for begin in regex.find_iter(text) {
        if found.last().is_some_and(|&(_, end)| begin.start() < end) {
            continue;
        }
        let rest = text.get(begin.end()..).unwrap_or_default();
        let body = rest.find("-----").unwrap_or_else(|| {
            let encoded = |ch: char| ch.is_ascii_alphanumeric() || "+/=\\:,-. \t\r\n".contains(ch);
            rest.find(|ch| !encoded(ch)).unwrap_or(rest.len())
        });
        let after = rest.get(body..).unwrap_or_default();
        let end = after
            .strip_prefix("-----END ")
            .and_then(|line| line.find("-----"));
        let end = end.map_or(body, |line| body + "-----END ".len() + line + "-----".len());
        found.push((begin.start(), begin.end() + end));
    }
    found
}

/// Whether a text holds the start of a private key whose end is not there yet.
pub(super) fn open_private_key(text: &str) -> bool {
    let Some(regex) = &*PRIVATE_KEY else {
        return false;
    };
    let last = regex.find_iter(text).last();
    last.is_some_and(|begin| {
        !text
            .get(begin.end()..)
            .unwrap_or_default()
            .contains("-----END ")
    })
}

fn group(
    regex: &LazyLock<Option<Regex>>,
    text: &str,
    wanted: impl Fn(&str) -> bool,
) -> Vec<(usize, usize)> {
    let Some(regex) = &**regex else {
        return Vec::new();
    };
    regex
        .captures_iter(text)
        .filter_map(|captures| captures.get(1))
        .filter(|value| wanted(value.as_str()))
        .map(|value| (value.start(), value.end()))
        .collect()
}

/// Up to the quote that closes it, on the same line.
fn quoted<'a>(rest: &'a str, quote: &str) -> &'a str {
    let mut escaped = false;
    let mut end = None;
    for (at, ch) in rest.char_indices() {
        let tail = rest.get(at..).unwrap_or_default();
        if at > MAX_VALUE || ch == '\n' {
            break;
        }
        if !escaped && tail.starts_with(quote) {
            end = Some(at);
            break;
        }
        escaped = ch == '\\' && !escaped;
    }
    end.and_then(|end| rest.get(..end)).unwrap_or_default()
}

/// Up to white space or what separates values.
fn bare(rest: &str) -> &str {
    let ends = |ch: char| ch.is_whitespace() || "\"'`,;&<>()[]{}\\|".contains(ch);
    let value = rest
        .get(..rest.find(ends).unwrap_or(rest.len()))
        .unwrap_or_default();
    if value.len() > MAX_VALUE { "" } else { value }
}

fn is_secret(value: &str, quoted: bool) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    if value.len() < MIN_VALUE
        || is_placeholder(value)
        || (quoted && value.contains(char::is_whitespace))
    {
        return false;
    }
    // A number without quotes is a number; a word without digits is prose unless quoted.
    if quoted {
        digits + letters > 0
    } else {
        letters > 0 && (digits > 0 || mixes(value))
    }
}

/// Whether a token was drawn, not written: letters and digits mixed, with no words in it.
fn looks_random(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let mut words = value.split(|ch: char| !ch.is_ascii_alphabetic());
    let written = words.any(|word| {
        (4..MIN_RANDOM_WORD).contains(&word.len())
            && value.len() > word.len()
            && value.contains(['_', '-', '/'])
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
    });
    digits >= 3 && letters >= 3 && !written && !is_placeholder(value) && distinct(value) >= 8
}

/// Shortest stretch of letters that no word of a name reaches.
const MIN_RANDOM_WORD: usize = 16;

/// How many different characters.
fn distinct(value: &str) -> usize {
    let mut bytes: Vec<u8> = value.bytes().collect();
    bytes.sort_unstable();
    bytes.dedup();
    bytes.len()
}

/// Upper and lower case beyond a capital, or a sign that words do not hold.
fn mixes(value: &str) -> bool {
    let inner_capital = value.chars().skip(1).any(char::is_uppercase);
    (inner_capital && value.chars().any(char::is_lowercase) && value.len() >= 16)
        || value.contains(['!', '@', '#', '$', '%', '^', '*', '+', '~'])
}

/// Whether a value stands for a secret instead of being one.
fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    distinct(&lower) < 4
        || value.starts_with(['$', '<', '{', '[', '%', '(', '*', '/', '.', '#', '?'])
        || value.contains("${")
        || value.contains("{{")
        || PLACEHOLDERS.iter().any(|word| lower.contains(word))
}

/// What documentation and code write in a secret's place.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "your_",
    "your-",
    "yourpass",
    "yourkey",
    "changeme",
    "change_me",
    "placeholder",
    "redacted",
    "process.env",
    "os.environ",
    "getenv",
    "env.",
    "xxxx",
    "****",
    "...",
    "dummy",
    "undefined",
    "required",
    "optional",
    "<",
    "null",
];
