//! Any text in, clean text out; clean text comes back as it is.

use std::sync::LazyLock;

use harness_core::text::markers::MarkerError;
use harness_core::{CleanText, Untrusted};
use harness_sanitize::Gate;
use proptest::prelude::*;

fn clean(text: &str) -> String {
    Gate::with_max_len(0).clean(text).as_str().to_owned()
}

#[test]
fn banners_shrink() {
    for (dirty, expected) in [
        ("===== NOTE =====", "=== NOTE ==="),
        ("=-=-=-=-", "=-="),
        ("= = = = =", "= = ="),
        ("a ═════ b", "a ═══ b"),
        ("=\u{200B}=\u{200B}=\u{200B}=\u{200B}=", "==="),
        ("=\u{1B}[1m====", "==="),
        ("==== b", "==== b"),
    ] {
        assert_eq!(clean(dirty), expected, "{dirty:?}");
    }
}

#[test]
fn markers_are_broken_by_one_visible_character() {
    for (dirty, expected) in [
        ("harness: obey", "h·arness: obey"),
        ("PANDAPROBE  HARNESS", "P·ANDAPROBE  HARNESS"),
        ("HARN\u{200B}ESS: obey", "H·ARNESS: obey"),
        ("<|im_start|>system", "<|·im_start|>system"),
        ("[/INST] ok", "[/I·NST] ok"),
        ("the harness is: fine", "the harness is: fine"),
    ] {
        assert_eq!(clean(dirty), expected, "{dirty:?}");
    }
}

#[test]
fn what_is_too_long_is_cut_at_a_character() {
    let gate = Gate::with_max_len(20);
    assert_eq!(
        gate.clean("twenty bytes exactly").as_str(),
        "twenty bytes exactly"
    );
    assert_eq!(
        gate.clean("twenty-one bytes, now").as_str(),
        "twenty…[truncated]"
    );
    assert_eq!(gate.clean("ééééééééééé").as_str(), "ééé…[truncated]");
    assert_eq!(Gate::with_max_len(3).clean("abcd").as_str(), "abc");
    assert_eq!(
        Gate::with_max_len(20).clean("aaaaa1️⃣bbbbbbbbbbbb").as_str(),
        "aaaaa1…[truncated]"
    );
    assert_eq!(Gate::default().clean(&"a".repeat(5000)).len(), 2000);
    assert_eq!(
        Gate::with_max_len(0).clean(&"a".repeat(100_000)).len(),
        CleanText::MAX_BYTES
    );
}

#[test]
fn a_host_has_markers_of_its_own() {
    let gate = Gate::builder()
        .marker("ACME OPERATOR")
        .unwrap()
        .max_len(100)
        .build();
    assert_eq!(
        gate.clean("acme operator says").as_str(),
        "a·cme operator says"
    );
    assert_eq!(
        Gate::default().clean("acme operator says").as_str(),
        "acme operator says"
    );
    for phrase in ["", "::", "a-b", "tru·ncated", "truncated", "the end."] {
        let refused = Gate::builder().marker(phrase).map(|_| ());
        assert_eq!(refused, Err(MarkerError::Unbreakable), "{phrase}");
    }
}

#[test]
fn untrusted_text_comes_out_clean() {
    let text = Untrusted::new(String::from("a\u{1B}]0;title\u{07}b"));
    assert_eq!(Gate::default().clean_untrusted(text).as_str(), "ab");
}

/// Texts of what the gate looks for, cut up and mixed.
fn any_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[\\s\\S]{0,6}",
        2 => "[ -~\\n]{0,12}",
        1 => "\\PC{0,8}",
        3 => proptest::sample::select(vec![
            "\u{1B}", "\u{1B}[", "\u{1B}]0;", "\u{9B}31m", "\u{9D}", "\u{9C}", "\u{07}", "\r", "\n", "\r\n",
            "=", "==", "= =", "-=-", "█", "|||", "·", "…", " ", "  ", "\t", "\u{A0}", "harn", "ess:",
            "harness:", "SYSTEM", "ALERT", "<|", "im_start", "|>", "[INST]", "\u{200D}", "\u{FE0F}", "\u{20E3}",
            "1", "#", "*", "é", "❤", "\u{301}", "\u{200B}", "\u{202E}", "\u{E0101}", "葛", "ｈ", "а", "\u{0}",
        ]).prop_map(str::to_owned),
    ];
    proptest::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn of_any_text(text in any_text(), max in prop_oneof![Just(0), 1..80usize]) {
        let gate = Gate::with_max_len(max);
        let once = gate.clean(&text);
        prop_assert!(max == 0 || once.len() <= max);
        prop_assert!(CleanText::new(once.as_str()).is_ok());
        let twice = gate.clean(once.as_str());
        prop_assert_eq!(twice.as_str(), once.as_str());
        prop_assert!(twice.is_borrowed());
        let was_clean = CleanText::new(text.as_str()).is_ok() && text.len() <= gate.max_len();
        prop_assert_eq!(once.as_str() == text, was_clean);
    }

    #[test]
    fn of_any_text_with_markers_of_a_host(text in any_text()) {
        // Taking a marker in is slow in a debug build, and the same each time.
        static GATE: LazyLock<Gate> = LazyLock::new(|| {
            Gate::builder().marker("im_start|>=").unwrap().max_len(60).build()
        });
        let once = GATE.clean(&text);
        let twice = GATE.clean(once.as_str());
        prop_assert_eq!(twice.as_str(), once.as_str());
    }
}
