//! Whatever bytes a journal, a score segment or an anchor is made of, the workspace opens, is
//! written, and is audited without a panic.

use proptest::prelude::*;

use crate::fixture::{Place, SOON, recovery, turn};

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        Just(b"\n".to_vec()),
        Just(b"{\"type\":\"health\"}\n".to_vec()),
        Just(b"{\"prev\":\"genesis\",\"seq\":0,\"ts\":\"2026-11-30T11:26:14+00:00\",\"type\":\"new\"}\n".to_vec()),
        Just(b"{\"more\":true,\"prev\":\"genesis\",\"seq\":18446744073709551615,\"ts\":\"2026-11-30T11:26:14+00:00\",\"type\":\"new\"}\n".to_vec()),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn in_the_journal(bytes in pieces(), keep in any::<bool>()) {
        let place = Place::new();
        let mut journal = if keep { std::fs::read(place.journal()).unwrap() } else { Vec::new() };
        journal.extend_from_slice(&bytes);
        std::fs::write(place.journal(), journal).unwrap();
        place.reader().newest(5).unwrap();
        place.reader().audit().unwrap();
        let halves = place.open();
        halves.watch.append(SOON, vec![recovery("s").into()]).unwrap();
        drop(halves);
        let last = place.lines().pop().unwrap();
        prop_assert!(last.event().is_some(), "{:?}", last);
        place.reader().audit().unwrap();
    }

    #[test]
    fn in_the_scores_and_the_anchor(bytes in pieces()) {
        let place = Place::new();
        std::fs::write(place.file("state/scores/00000000.jsonl"), &bytes).unwrap();
        std::fs::write(place.anchor(), &bytes).unwrap();
        let halves = place.open();
        halves.watch.record_turn(turn("s", 0, Vec::new())).unwrap();
        let scores = halves.reader.scores().unwrap();
        prop_assert_eq!(scores.iter().count(), 1);
    }
}
