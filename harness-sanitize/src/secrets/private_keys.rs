//! Private keys in PEM and OpenSSH form.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Fewest characters in a key that has its end, blanks aside: an Ed25519 key has 64. A shorter one
/// was crossed out.
const MIN_BODY: usize = 40;

static BEGIN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----").ok());

/// Private keys: to the end line, or as far as the encoding goes.
pub(super) fn private_keys(text: &str) -> Vec<Range<usize>> {
    let Some(regex) = &*BEGIN else {
        return Vec::new();
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    for begin in regex.find_iter(text) {
        if found.last().is_some_and(|last| begin.start() < last.end) {
            continue;
        }
        let rest = text.get(begin.end()..).unwrap_or_default();
        let body = memchr::memmem::find(rest.as_bytes(), b"-----").unwrap_or_else(|| {
            let encoded = |ch: char| ch.is_ascii_alphanumeric() || "+/=\\:,-. \t\r\n".contains(ch);
            rest.find(|ch| !encoded(ch)).unwrap_or(rest.len())
        });
        let after = rest.get(body..).unwrap_or_default();
        let digits = rest.get(..body).unwrap_or_default().bytes();
        let digits = digits.filter(u8::is_ascii_graphic).count();
        if after.starts_with("-----END ") && digits < MIN_BODY {
            continue;
        }
        let end = after
            .strip_prefix("-----END ")
            .and_then(|line| line.find("-----"));
        let end = end.map_or(body, |line| body + "-----END ".len() + line + "-----".len());
        found.push(begin.start()..begin.end() + end);
    }
    found
}

/// Whether a text holds the start of a private key whose end is not there yet.
pub(super) fn open_private_key(text: &str) -> bool {
    let Some(regex) = &*BEGIN else {
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
