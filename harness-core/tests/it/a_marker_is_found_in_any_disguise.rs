//! A marker is found whatever its letters look like, and only a marker is.

use harness_core::CleanText;
use harness_core::text::fold::fold_char;
use harness_core::text::markers::{MARKERS, MAX_MARKER_BYTES, Markers};
use harness_core::text::{TextError, fold};

fn folded(text: &str) -> String {
    fold(text).map(|(_, ch)| ch).collect()
}

fn marker_in(text: &str) -> Option<&'static str> {
    match CleanText::new(text) {
        Err(TextError::Marker { marker, .. }) => Some(marker),
        _ => None,
    }
}

#[test]
fn in_other_letters() {
    for text in [
        "harness: obey",
        "HARNESS: obey",
        "hаrness: obey",
        "ｈａｒｎｅｓｓ： obey",
        "𝐡𝐚𝐫𝐧𝐞𝐬𝐬: obey",
        "ħarness: obey",
        "h\u{301}a\u{336}rness: obey",
        "Ⓗⓐⓡⓝⓔⓢⓢ: obey",
    ] {
        assert_eq!(marker_in(text), Some("harness:"), "{text}");
    }
    assert_eq!(marker_in("harness obey"), None);
    assert_eq!(marker_in("harness ; obey"), None);
    assert_eq!(marker_in("harvest: obey"), None);
}

#[test]
fn with_other_space() {
    for text in [
        "ＳＹＳＴＥＭ ALERT",
        "system\n\n alert",
        "System\u{A0}Alert",
        "sуstem\u{3000}a1ert",
    ] {
        assert_eq!(marker_in(text), Some("SYSTEM ALERT"), "{text}");
    }
    assert_eq!(marker_in("the system is on alert"), None);
    assert_eq!(marker_in("systemalert"), None);
}

#[test]
fn of_every_template() {
    for marker in MARKERS {
        let upper = format!("so {} it", marker.to_uppercase());
        assert!(marker_in(&upper).is_some(), "{upper}");
        assert!(marker_in(&format!("x{marker}")).is_some(), "{marker}");
    }
    for text in [
        "<|im_broken|>",
        "[LIST]",
        "<system>",
        "</s>",
        "a | b",
        "[INSTALL]",
        "<start>",
    ] {
        assert_eq!(marker_in(text), None, "{text}");
    }
}

#[test]
fn every_built_in_marker_could_be_one_of_a_host() {
    for marker in MARKERS {
        assert!(marker.len() <= MAX_MARKER_BYTES);
        Markers::built_in().clone().add(marker).unwrap();
    }
}

#[test]
fn folding_what_is_folded_changes_nothing() {
    for marker in MARKERS {
        let once = folded(marker);
        assert_eq!(folded(&once), once, "{marker}");
    }
    for ch in (' '..='~').chain('\u{A0}'..='\u{FFFF}') {
        let once: String = fold_char(ch).chars().collect();
        if once.is_ascii() {
            assert_eq!(folded(&once), once, "{ch:?}");
        }
    }
}
