//! Where a text names a secret: the places behind which a value may follow.

use std::sync::LazyLock;

use super::assignments::assigned_at;
use super::find::{SecretKind, SecretSpan};
use super::spoken::spoken_at;
use crate::literals::Literals;

/// Words and options that a password stands behind, then what the names of secrets hold; of the
/// latter the first two are spoken as well.
const TELLING: &[&str] = &[
    "--user",
    " -u",
    "directoryentry",
    "networkcredential",
    "operator unseal",
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "auth",
    "cred",
    "psk",
    "_pat",
];

/// How many of them are no names.
const SPOKEN: usize = 5;

/// How many of the names are spoken.
const SPOKEN_NAMES: usize = 2;

static SEARCH: LazyLock<Literals<3>> = LazyLock::new(|| Literals::new(TELLING));

/// Adds the values in `text` that a name or word before them tells to be secret.
pub(super) fn named(text: &str, found: &mut Vec<SecretSpan>) {
    let mut covered = 0;
    for (index, hit) in SEARCH.find_iter(text) {
        if hit.start < covered {
            continue;
        }
        let is_name = index >= SPOKEN;
        let is_spoken = index < SPOKEN + SPOKEN_NAMES;
        let value = is_name
            .then(|| assigned_at(text, hit.clone()))
            .flatten()
            .or_else(|| is_spoken.then(|| spoken_at(text, hit)).flatten());
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
