//! A `CleanText` that exists holds nothing that clean text never holds.

use harness_core::text::{Separator, TextError, hidden};
use harness_core::{CleanText, Paragraph};
use proptest::prelude::*;

fn refused(text: &str) -> TextError {
    CleanText::new(text).expect_err(text)
}

fn passes(text: &str) {
    let clean = CleanText::new(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert_eq!(clean.as_str(), text);
    assert!(clean.is_borrowed());
}

#[test]
fn control_characters_are_refused_but_line_feed_and_tab() {
    passes("a\tb\nc");
    assert_eq!(
        refused("ab\u{1B}[1m"),
        TextError::Control {
            at: 2,
            ch: '\u{1B}'
        }
    );
    for ch in ['\0', '\u{07}', '\r', '\u{7F}', '\u{85}', '\u{9B}'] {
        assert_eq!(refused(&format!("é{ch}")), TextError::Control { at: 2, ch });
    }
}

#[test]
fn what_is_invisible_is_refused_and_what_is_foreign_is_not() {
    passes("naïve ﷽ 漢字 العربية עברית हिन्दी 한국어 ไทย Ω ∑ 😀 \u{A0}| \u{3000}");
    for ch in [
        '\u{AD}',
        '\u{200B}',
        '\u{200E}',
        '\u{202E}',
        '\u{2028}',
        '\u{2060}',
        '\u{2068}',
        '\u{FEFF}',
        '\u{E000}',
        '\u{E0041}',
        '\u{2800}',
        '\u{3164}',
        '\u{10FFFD}',
    ] {
        assert_eq!(
            refused(&format!("ab{ch}c")),
            TextError::Hidden { at: 2, ch }
        );
    }
}

#[test]
fn joiners_and_selectors_are_refused_where_they_join_nothing() {
    for text in ["می‌خواهم", "क्‍ष", "👩‍👩‍👧", "❤️‍🔥", "1️⃣ #️⃣", "🏳️‍⚧️", "©️", "葛󠄀"]
    {
        passes(text);
    }
    for (text, at) in [
        ("pa\u{200D}ss", 2),
        ("\u{200C}x", 0),
        ("я\u{200D}\u{200D}", 5),
        ("😀\u{FE0F}\u{FE0F}", 7),
        ("1\u{FE0F}", 1),
        ("я\u{E0101}", 2),
    ] {
        assert!(
            matches!(refused(text), TextError::Joiner { at: found, .. } if found == at),
            "{text:?}"
        );
    }
}

#[test]
fn decorative_runs_are_refused_and_data_is_not() {
    for text in [
        "====",
        "- - - -",
        "...... and so on ......",
        "| a | b |\n|---|:--|\n| | |",
        "a,,,,,,b",
        "((((((1))))))",
        "{\"a\":[[[[[]]]]]}",
        "QUJD////RUZH==",
        "'\"'\"'\"'",
        "//////",
        "\\\\\\\\\\\\",
        "0000000000",
        "aaaaaaaa",
        "-a-b-c-d-e-f-",
        "=\n=\n=\n=\n=\n=",
        "a && b || c",
        "<!-- note -->",
        "https://x.test/a/b/c",
        "\u{FF01}?!",
        "👍👍👍👍👍👍",
    ] {
        passes(text);
    }
    for text in [
        "=====",
        "a ----- b",
        "*****",
        "#####",
        "_____",
        "~~~~~",
        "^^^^^",
        "+++++",
        "═════",
        "─────",
        "█████",
        "▒░▒░▒",
        "•••••",
        "—————",
        "★★★★★",
        "＝＝＝＝＝",
        "=-=-=-=-",
        "= = = = =",
        "=\t=\t=\t=\t=",
        "-  -  -  -  -",
        "=\u{A0}=\u{A0}=\u{A0}=\u{A0}=",
        "-=*=-",
        "<<<<<",
        "!!!!!",
        "|||||",
        "=\u{332}=\u{332}=\u{332}=\u{332}=",
    ] {
        assert!(matches!(refused(text), TextError::Run { .. }), "{text:?}");
    }
}

#[test]
fn length_is_bounded() {
    passes(&"ab ".repeat(CleanText::MAX_BYTES / 3));
    let long = "a".repeat(CleanText::MAX_BYTES + 1);
    assert!(matches!(refused(&long), TextError::TooLong { .. }));
    passes(&long[1..]);
}

#[test]
fn what_is_clean_apart_and_not_together_is_not_joined() {
    let join = |first, second, separator| {
        let parts = [
            CleanText::new(first).unwrap(),
            CleanText::new(second).unwrap(),
        ];
        CleanText::join(&parts, separator).map(|text| text.as_str().to_owned())
    };
    assert_eq!(join("a", "b", Separator::Line).unwrap(), "a\nb");
    assert_eq!(join("===", "a", Separator::Space).unwrap(), "=== a");
    assert!(join("===", "==", Separator::Space).is_err());
    assert!(join("system", "alert", Separator::Paragraph).is_err());
    assert_eq!(
        join("system", "alarm", Separator::Paragraph).unwrap(),
        "system\n\nalarm"
    );
}

#[test]
fn a_paragraph_is_one() {
    let paragraph = |text| CleanText::new(text).unwrap().paragraph();
    assert_eq!(
        paragraph("  one rule. ").as_ref().map(Paragraph::as_str),
        Ok("one rule.")
    );
    assert_eq!(
        paragraph("one\n# two"),
        Err(TextError::NotOneParagraph { at: 3 })
    );
    assert_eq!(
        paragraph(" a\tb"),
        Err(TextError::NotOneParagraph { at: 2 })
    );
    assert_eq!(paragraph(" \n "), Err(TextError::Blank));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_makes_the_check_panic(text in "\\PC{0,40}|[\\s\\S]{0,40}") {
        let checked = CleanText::new(text.as_str());
        if let Ok(clean) = checked {
            prop_assert!(clean.as_str().chars().all(|ch| ch == '\n' || ch == '\t' || !ch.is_control()));
            let joins = |ch| matches!(ch, '\u{200C}' | '\u{200D}');
            let selects = |ch| matches!(ch, '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}');
            prop_assert!(clean.as_str().chars().all(|ch| !hidden(ch) || joins(ch) || selects(ch)));
        }
    }

    #[test]
    fn plain_words_are_clean(text in "[a-z ,.]{0,200}") {
        prop_assume!(!text.contains("alert"));
        prop_assert!(CleanText::new(text).is_ok());
    }
}
