//! Texts as words, for search, novelty and opposition.
//!
//! A word is a run of letters, marks and digits; `_` joins, so that `read_file` is one word. Han,
//! Hiragana and Katakana characters are words of their own, as in Unicode's word boundaries
//! (UAX #29), since those scripts put no space between words.

use std::collections::BTreeSet;

/// The words of a text in order, lower case.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    for character in text.chars() {
        if is_word_of_its_own(character) {
            take(&mut word, &mut found);
            found.push(character.to_string());
        } else if character.is_alphanumeric() || character == '_' {
            word.extend(character.to_lowercase());
        } else {
            take(&mut word, &mut found);
        }
    }
    take(&mut word, &mut found);
    found
}

/// The words of a text, each once.
pub(crate) fn word_set(text: &str) -> BTreeSet<String> {
    words(text).into_iter().collect()
}

/// What stands in back-ticks, in order: the tools, arguments and classes that a rule names.
pub(crate) fn literals(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The text with words in lower case and one space between them: equal for texts that differ only
/// in case, punctuation and white space.
pub(crate) fn normalised(text: &str) -> String {
    words(text).join(" ")
}

fn take(word: &mut String, found: &mut Vec<String>) {
    let trimmed = word.trim_matches('_');
    if !trimmed.is_empty() {
        found.push(trimmed.to_owned());
    }
    word.clear();
}

const fn is_word_of_its_own(character: char) -> bool {
    matches!(character,
        '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_names_stay_whole() {
        assert_eq!(
            words("Call `read_file`, then STOP. Größe 2.5!"),
            ["call", "read_file", "then", "stop", "größe", "2", "5"]
        );
    }

    #[test]
    fn scripts_without_spaces_have_words_too() {
        assert_eq!(words("先读文件"), ["先", "读", "文", "件"]);
    }

    #[test]
    fn literals_are_what_stands_in_back_ticks() {
        assert_eq!(literals("after `a` try `b c` and `d"), ["a", "b c", "d"]);
        assert_eq!(literals("none"), Vec::<&str>::new());
    }
}
