//! Texts as words, for search, novelty and opposition.
//!
//! A word is a run of letters, marks and digits; `_` joins, so that `read_file` is one word. Han,
//! Hiragana and Katakana characters are words of their own, as in Unicode's word boundaries
//! (UAX #29), since those scripts put no space between words.

use std::borrow::Cow;

/// The words of a text in order, lower case.
pub(crate) fn words(text: &str) -> Vec<String> {
    words_in(text).into_iter().map(Cow::into_owned).collect()
}

/// The words of a text in order, lower case: parts of the text where they stand in it so.
pub(crate) fn words_in(text: &str) -> Vec<Cow<'_, str>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        let own = is_word_of_its_own(character);
        if !own && (character.is_alphanumeric() || character == '_') {
            start = start.or(Some(at));
            continue;
        }
        if let Some(start) = start.take() {
            take(text.get(start..at), &mut found);
        }
        if own {
            take(text.get(at..at + character.len_utf8()), &mut found);
        }
    }
    if let Some(start) = start {
        take(text.get(start..), &mut found);
    }
    found
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

fn take<'t>(word: Option<&'t str>, found: &mut Vec<Cow<'t, str>>) {
    let word = word.unwrap_or_default().trim_matches('_');
    if word.is_empty() {
        return;
    }
    found.push(if word.chars().all(is_lower_case) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.chars().flat_map(char::to_lowercase).collect())
    });
}

/// Whether a character stays what it is in lower case.
fn is_lower_case(character: char) -> bool {
    if character.is_ascii() {
        !character.is_ascii_uppercase()
    } else {
        character.to_lowercase().eq([character])
    }
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
        assert_eq!(words("__A_b_ ___ İx"), ["a_b", "i\u{307}x"]);
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
