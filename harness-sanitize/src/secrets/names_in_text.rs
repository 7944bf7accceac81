//! Where a text names a secret: the places behind which a value may follow.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::assignments::assigned_at;
use super::find::{SecretKind, SecretSpan};
use super::spoken::spoken_at;

/// What the names of secrets hold, and the words and options that stand before one.
const NAMES: &[&str] = &[
    "pass", "pwd", "secret", "token", "key", "auth", "cred", "psk", "_pat",
];

/// What else tells of one.
const SPOKEN: &[&str] = &[
    "--user",
    " -u",
    "directoryentry",
    "networkcredential",
    "operator unseal",
];

static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .match_kind(MatchKind::LeftmostFirst)
        .ascii_case_insensitive(true)
        .build(SPOKEN.iter().chain(NAMES))
        .ok()
});

/// Adds the values in `text` that a name or word before them tells to be secret.
pub(super) fn named(text: &str, found: &mut Vec<SecretSpan>) {
    let Some(search) = &*SEARCH else {
        return;
    };
    let mut covered = 0;
    for hit in search.find_iter(text) {
        if hit.start() < covered {
            continue;
        }
        let pattern = hit.pattern().as_usize();
        let is_name = pattern >= SPOKEN.len();
        let is_password = !is_name || pattern - SPOKEN.len() < 2;
        let value = is_name
            .then(|| assigned_at(text, hit.range()))
            .flatten()
            .or_else(|| is_password.then(|| spoken_at(text, hit.range())).flatten());
        if let Some(value) = value {
            covered = value.end;
            found.push(SecretSpan {
                kind: SecretKind::ASSIGNED,
                start: value.start,
                end: value.end,
            });
        }
    }
}
