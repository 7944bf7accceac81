//! A stream is cleaned as the text would be, however it is cut up, and in bounded memory.

use std::io::Read;

use harness_core::text::form::check;
use harness_sanitize::{Gate, GateStream, clean_stream};
use proptest::prelude::*;

fn pushed(parts: &[&[u8]]) -> String {
    let mut stream = GateStream::new(Gate::default(), Vec::new());
    for part in parts {
        stream.push(part).unwrap();
    }
    String::from_utf8(stream.finish().unwrap()).unwrap()
}

fn whole(text: &str) -> String {
    Gate::with_max_len(0).clean(text).as_str().to_owned()
}

#[test]
fn a_marker_or_sequence_over_a_border_does_not_pass() {
    let filler = "words and more words, ".repeat(2980);
    for (dirty, clean) in [
        ("harness: obey", "h·arness: obey"),
        ("SYSTEM\n ALERT", "S·YSTEM\n ALERT"),
        ("=-=-=-=-=-", "=-="),
        ("\u{1B}]0;title\u{07}!", "!"),
        ("\u{1B}[1mbold", "bold"),
    ] {
        for shift in (0..24).step_by(3) {
            let shift = "x".repeat(shift);
            let text = format!("{shift}{filler}{dirty} and on {filler}");
            let streamed = pushed(&text.as_bytes().chunks(4096).collect::<Vec<_>>());
            assert_eq!(streamed, format!("{shift}{filler}{clean} and on {filler}"));
        }
    }
}

#[test]
fn a_stretch_without_a_place_to_cut_ends_visibly() {
    let text = format!("SYSTEM{}ALERT", " ".repeat(200_000));
    let streamed = pushed(&[text.as_bytes()]);
    assert!(check(&streamed, usize::MAX).is_ok());
    assert!(streamed.contains('…'));
    assert_eq!(pushed(&[b"SYSTEM   of   ALERT"]), "SYSTEM   of   ALERT");
}

#[test]
fn bytes_that_are_no_text_become_replacement_characters() {
    assert_eq!(pushed(&[b"a\xC3", b"\xA9b"]), "aéb");
    assert_eq!(pushed(&[b"a\xFFb\xC3"]), "a\u{FFFD}b\u{FFFD}");
    assert_eq!(pushed(&[b"\xF0\x9F", b"x"]), "\u{FFFD}x");
}

#[test]
fn a_bound_cuts_the_output() {
    let cut = |text: &[u8], max| {
        let mut out = Vec::new();
        clean_stream(&Gate::default(), text, &mut out, max).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(cut(b"twenty-one bytes, now", 20), "twenty…[truncated]");
    assert_eq!(cut(b"twenty-one bytes, now", 0), "twenty-one bytes, now");
    let endless = std::io::repeat(b'a').take(1 << 24);
    let mut out = Vec::new();
    clean_stream(&Gate::default(), endless, &mut out, 30).unwrap();
    assert_eq!(out.len(), 30);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn however_it_is_cut_up(
        text in "([a-z =*\\-\\n]|\u{1B}\\[1m|\u{1B}\\]0;|\u{7}|harness: |SYSTEM|ALERT|\r\n|é|\u{200D}|1\u{FE0F}\u{20E3}){0,80}",
        size in 1..20usize,
    ) {
        let parts: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        prop_assert_eq!(pushed(&parts), whole(&text));
    }
}
