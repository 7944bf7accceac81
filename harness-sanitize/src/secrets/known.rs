//! The values that are secret here and now.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::decoded::{percent, unwrapped};
use super::encodings::forms;
use super::names::secret_shaped_name;

/// Shortest value, in bytes, that is looked for: a shorter one would be found everywhere.
const MIN_VALUE: usize = 8;
/// Longest value that is looked for, in bytes.
const MAX_VALUE: usize = 4096;
/// Most values.
const MAX_VALUES: usize = 256;

/// Finds the given values in every form.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Option<AhoCorasick>);

impl Known {
    /// Takes variables by name and value: the value where the name is that of a secret, else the
    /// password of a URL in it.
    pub(super) fn new(values: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut wanted: Vec<String> = Vec::new();
        for (name, value) in values {
            let value = if secret_shaped_name(&name) {
                Some(value.trim())
            } else {
                password(&value)
            };
            let Some(value) = value else { continue };
            if (MIN_VALUE..=MAX_VALUE).contains(&value.len()) && wanted.len() < MAX_VALUES {
                wanted.push(value.to_owned());
            }
        }
        let patterns: Vec<String> = wanted
            .iter()
            .flat_map(|value| forms(value))
            .filter(|form| form.len() >= MIN_VALUE)
            .collect();
        if patterns.is_empty() {
            return Self(None);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(patterns);
        debug_assert!(automaton.is_ok(), "bounded patterns fit");
        Self(automaton.ok())
    }

    /// Byte ranges of every occurrence, overlapping ones too.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let Some(automaton) = &self.0 else {
            return Vec::new();
        };
        let mut found: Vec<Range<usize>> = automaton
            .find_overlapping_iter(text)
            .map(|found| found.start()..found.end())
            .collect();
        let escaped = memchr::memchr(b'%', text.as_bytes()).is_some();
        let escaped = escaped.then(|| percent(text)).into_iter().flatten();
        for part in escaped.chain(unwrapped(text)) {
            let hits = automaton.find_overlapping_iter(&part.bytes);
            found.extend(hits.map(|hit| part.place(hit.start()..hit.end())));
        }
        found
    }

    /// Whether no value is known.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// The password in `scheme://user:password@host`.
fn password(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (userinfo, _) = authority.rsplit_once('@')?;
    userinfo.split_once(':').map(|(_, password)| password)
}
