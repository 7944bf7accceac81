//! Passwords in URLs: `scheme://user:password@host`.

use std::ops::Range;

use super::look::{distinct, is_placeholder};

/// Longest part of a URL before its host, in bytes.
const MAX_USERINFO: usize = 512;

/// The passwords of the URLs in `text`.
pub(super) fn url_passwords(text: &str) -> Vec<Range<usize>> {
    let schemes = memchr::memmem::find_iter(text.as_bytes(), b"://");
    schemes.filter_map(|at| password_at(text, at)).collect()
}

fn password_at(text: &str, scheme_end: usize) -> Option<Range<usize>> {
    let named = text
        .get(..scheme_end)?
        .ends_with(|ch: char| ch.is_ascii_alphanumeric());
    let start = scheme_end + "://".len();
    let rest = text.get(start..)?;
    let rest = rest.get(..rest.floor_char_boundary(MAX_USERINFO))?;
    let ends = |ch: char| ch.is_whitespace() || "/?#\"'<>[]".contains(ch);
    let authority = rest.get(..rest.find(ends).unwrap_or(rest.len()))?;
    let (userinfo, _host) = authority.rsplit_once('@')?;
    let (user, password) = userinfo.split_once(':')?;
    let documented = matches!(
        password,
        "password" | "PASSWORD" | "passwd" | "pwd" | "PASS"
    );
    let real =
        named && !documented && user != password && password.len() >= 3 && distinct(password) >= 2;
    let start = start + user.len() + 1;
    (real
        && (!is_placeholder(password) || password.len() < 6)
        && !password.starts_with(['$', '{', '<', '%', '*']))
    .then(|| start..start + password.len())
}
