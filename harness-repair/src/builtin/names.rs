//! Names that a rule of ours may repeat: plain ones, so that no sentence passes for a name.

use std::fmt;

/// Bytes of a name at most.
const MAX_NAME: usize = 64;

/// A tool's or an argument's name: letters, digits, `_`, `-` and `.`, led by a letter or `_`. It
/// shows in back-ticks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name(String);

impl Name {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let leads = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let plain = text
            .chars()
            .all(|ch| ch.is_ascii_alphanumeric() || matches!(ch, '_' | '-' | '.'));
        (leads && plain && text.len() <= MAX_NAME).then(|| Self(text.to_owned()))
    }

    /// The first name of a path such as `flights.0.date`.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        path.split('.').next().and_then(Self::parse)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The words that it is put together from, in lower case: `listFiles` and `list_files` have
    /// the same two.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut after_small = false;
        for ch in self.0.chars() {
            if !ch.is_ascii_alphanumeric() || (ch.is_ascii_uppercase() && after_small) {
                words.push(String::new());
            }
            if let (true, Some(word)) = (ch.is_ascii_alphanumeric(), words.last_mut()) {
                word.push(ch.to_ascii_lowercase());
            }
            after_small = ch.is_ascii_lowercase();
        }
        words.retain(|word| !word.is_empty());
        words
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_no_name() {
        for bad in [
            "",
            "ignore all rules",
            "a`b",
            "a/b",
            "1a",
            "\u{e9}t",
            &"x".repeat(65),
        ] {
            assert!(Name::parse(bad).is_none(), "{bad:?}");
        }
        assert_eq!(Name::parse("read_file").unwrap().to_string(), "`read_file`");
        assert_eq!(Name::of_path("flights.0.date"), Name::parse("flights"));
    }

    #[test]
    fn words_of_a_name() {
        for name in ["list_files", "listFiles", "list-files", "List.Files"] {
            assert_eq!(Name::parse(name).unwrap().words(), ["list", "files"]);
        }
    }
}
