//! Secrets in a text: kind and place, never a fragment.

use std::ops::Range;

use super::context::in_context;
use super::known::Known;
use super::names_in_text::named;
use super::private_keys::private_keys;
use super::tokens::tokens;
use super::urls::url_passwords;
use super::words::long_words;

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
    let mut add = |kind, found: Vec<Range<usize>>| {
        spans.extend(found.into_iter().map(|place| SecretSpan {
            kind,
            start: place.start,
            end: place.end,
        }));
    };
    add(SecretKind::KNOWN, known.find(text));
    add(SecretKind::PRIVATE_KEY, private_keys(text));
    add(SecretKind::URL_PASSWORD, url_passwords(text));
    named(text, &mut spans);
    for word in long_words(text) {
        if !tokens(text, &word, &mut spans) {
            in_context(text, &word, &mut spans);
        }
    }
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
