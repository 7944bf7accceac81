//! One line is words, and nothing in it is expanded: whatever words go in come out, and a sign that
//! a shell would act on never passes unquoted.

use harness_shell::{LineError, split};
use proptest::prelude::*;

/// A word as any shell would read it back.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_quoted_comes_back(words in prop::collection::vec("[^\0]{0,12}", 1..8)) {
        let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        prop_assert_eq!(split(&line.join(" ")), Ok(words));
    }

    #[test]
    fn no_sign_of_a_shell_passes_unquoted(
        before in "[a-z/.]{0,8}",
        sign in prop::sample::select(&[";", "&", "|", "<", ">", "(", ")", "$x", "`", "*", "?", "[", "]", "{", "}", "!", "\n"][..]),
        after in "[a-z/.]{0,8}",
    ) {
        let line = format!("cat {before}{sign}{after}");
        prop_assert!(matches!(split(&line), Err(LineError::Metacharacter(_))), "{}", line);
        let twin = format!("cat '{before}{sign}{after}'");
        prop_assert!(split(&twin).is_ok(), "{}", twin);
    }

    #[test]
    fn any_text_has_an_answer(line in "\\PC{0,64}") {
        if let Ok(words) = split(&line) {
            prop_assert!(!words.is_empty());
        }
    }
}
