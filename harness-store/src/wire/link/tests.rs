//! What the quick reader says of a line, the full reader says too.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::*;
use crate::wire::envelope::{envelope, read};
use crate::wire::{Body, Line, json, sha256};

/// A line with everything in it that the grammar has.
const OURS: &str = r#"{"a":{"b":[1,-2.5,true,false,null,{}],"c":"\"\\\n\t\u00e9"},"more":true,"prev":"0f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a6978","seq":17,"ts":"2026-11-30T11:26:14.500145+00:00","type":"novelty","x":[]}"#;

fn time_of(ts: &[u8]) -> Option<Timestamp> {
    Timestamp::parse(str::from_utf8(ts).ok()?).ok()
}

/// Whether the full reader says the same of the line, or this one says nothing.
fn agrees(line: &[u8]) -> Result<(), TestCaseError> {
    let Some(link) = Link::of(line) else {
        return Ok(());
    };
    let Ok(Line::Chained(record)) = read(line, 0, [0; 32]) else {
        return Err(TestCaseError::fail("the full reader knows no link"));
    };
    let kind = match &record.body {
        Body::Known(event) => json::to_value(event).unwrap()["type"].clone(),
        Body::Unknown { kind, .. } | Body::Invalid { kind, .. } => kind.clone().into(),
    };
    prop_assert_eq!(kind, str::from_utf8(link.kind).unwrap());
    prop_assert_eq!(record.seq, link.seq);
    prop_assert_eq!(record.prev, link.prev);
    prop_assert_eq!(Some(record.ts), time_of(link.ts));
    prop_assert_eq!(record.more, link.more);
    Ok(())
}

#[test]
fn a_line_of_ours_is_known() {
    let link = Link::of(OURS.as_bytes()).unwrap();
    assert_eq!(
        (link.kind, link.seq, link.more),
        (b"novelty".as_slice(), 17, true)
    );
    assert_eq!(
        link.prev.map(|prev| prev[..2].to_vec()),
        Some(vec![0x0f, 0x1e])
    );
    agrees(OURS.as_bytes()).unwrap();
}

#[test]
fn every_other_byte_at_every_place_is_read_alike_or_not_at_all() {
    for at in 0..OURS.len() {
        for byte in 0..=u8::MAX {
            let mut other = OURS.as_bytes().to_vec();
            other[at] = byte;
            agrees(&other).unwrap();
            other.insert(at, byte);
            agrees(&other).unwrap();
        }
        let mut shorter = OURS.as_bytes().to_vec();
        shorter.remove(at);
        agrees(&shorter).unwrap();
        assert_eq!(Link::of(&OURS.as_bytes()[..at]), None, "cut at {at}");
    }
}

#[test]
fn what_json_reads_in_more_than_one_way_is_left_to_the_full_reader() {
    let with = |from: &str, to: &str| OURS.replacen(from, to, 1);
    let deep = format!("[{}{}]", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    let long = format!("\"{}\"", "x".repeat(MAX_LINE));
    for other in [
        with("{", " {"),
        with("\"seq\":17", "\"seq\": 17"),
        with("\"seq\":17", "\"seq\":017"),
        with("\"seq\":17", "\"seq\":17.0"),
        with("\"seq\":17", "\"seq\":17e0"),
        with("\"seq\":17", "\"seq\":-17"),
        with("\"seq\":17", "\"seq\":\"17\""),
        with("\"seq\":17", "\"seq\":17,\"seq\":18"),
        with("\"seq\":17", "\"seq\":100000000000000000000"),
        with("\"x\":[]", "\"seq\":18"),
        with("\"a\"", "\"\\u0061\""),
        with("\"novelty\"", "\"no\\u0076elty\""),
        with("\"prev\":\"0f", "\"prev\":\"0F"),
        with("-2.5", "1e999"),
        with("-2.5", "1e2"),
        with("-2.5", "-"),
        with("-2.5", "2."),
        with("\\u00e9", "\\ud83d"),
        with("\\u00e9", "\\ud83d\\ude00"),
        with("\\u00e9", "é"),
        with("\\u00e9", "\\u00E9"),
        with("\\u00e9", "\\/"),
        with("2026", "1969"),
        with("11-30", "11-31"),
        with("11:26", "11:60"),
        with("+00:00", "+25:00"),
        with("[]", &deep),
        with("[]", &long),
        with("[]", "[]}"),
        with("[]", "[1,]"),
        with("[]", "{\"k\":}"),
        with("\"x\":[]", ""),
    ] {
        assert_ne!(other, OURS);
        assert_eq!(Link::of(other.as_bytes()), None, "{other:.400}");
        agrees(other.as_bytes()).unwrap();
    }
    // The days that months have are known.
    for (day, is_there) in [("02-28", true), ("02-29", false), ("12-31", true)] {
        let link = Link::of(with("11-30", day).as_bytes()).is_some();
        assert_eq!(link, is_there, "{day}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-z \\\\\"\n\té]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_é]{0,6}", inner, 0..4)
                .prop_map(|fields| Value::from(Map::from_iter(fields))),
        ]
    })
}

/// What a line of ours holds: everything but odd numbers and characters of two halves.
fn usual_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(Value::from(0.25)),
        "[a-z \\\\\"\n\t\u{7f}é先]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_é]{0,6}", inner, 0..4)
                .prop_map(|fields| Value::from(Map::from_iter(fields))),
        ]
    })
}

fn line_of(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Vec<u8>> {
    let fields = prop::collection::btree_map("[a-z_]{1,6}", values, 0..5);
    let number = prop_oneof![0..1000u64, 0..100_000_000_000_000_000_u64];
    let micros = prop_oneof![Just(0), 0..4_000_000_000_000_000_i64];
    let around = (
        number,
        any::<bool>(),
        any::<bool>(),
        micros,
        "[a-z_.]{1,12}",
    );
    (fields, around).prop_map(|(mut fields, (seq, is_first, more, micros, kind))| {
        for key in ["seq", "prev", "ts", "more"] {
            fields.remove(key);
        }
        let prev = (!is_first).then(|| sha256(&seq.to_be_bytes()));
        let mut fields = Map::from_iter(fields);
        fields.insert("type".to_owned(), kind.into());
        let ts = Timestamp::from_micros(micros);
        let envelope = envelope(seq, prev.as_ref(), &ts.to_string(), more);
        let mut line = Vec::new();
        json::enclose(&fields, &envelope, &mut line, &mut |_| None).unwrap();
        line
    })
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![line_of(usual_json()), line_of(any_json())]
}

/// Pieces that change what a line says rather than merely break it.
fn any_piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..3),
        prop::sample::select(vec![
            "\"",
            "\\",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\n",
            " ",
            "\\u",
            "\\ud83d",
            "0",
            "-",
            "1e9",
            ".",
            "true",
            "null",
            "\"seq\":1,",
            "\"prev\":\"genesis\",",
            "\"more\":true,",
            "\"type\":\"x\",",
            "\"ts\":\"2026-11-30T11:26:14+00:00\",",
            "\"a\":{\"seq\":1},",
        ])
        .prop_map(|piece| piece.as_bytes().to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_stands_for_itself_is_counted_as_byte_by_byte(
        plain in "[ -~]{0,40}",
        odd in any::<u8>(),
        behind in any::<Vec<u8>>(),
    ) {
        let bytes = [plain.as_bytes(), &[odd], &behind].concat();
        let is_plain = |byte: &&u8| matches!(byte, b' '..=b'~') && !b"\"\\".contains(byte);
        prop_assert_eq!(plain_length(&bytes), bytes.iter().take_while(is_plain).count());
    }

    #[test]
    fn a_line_of_ours_is_known_and_read_alike(line in line_of(usual_json())) {
        prop_assert!(Link::of(&line).is_some());
        agrees(&line)?;
    }

    #[test]
    fn a_line_of_anything_is_read_alike_or_not_at_all(line in line_of(any_json())) {
        agrees(&line)?;
    }

    #[test]
    fn a_changed_line_is_read_alike_or_not_at_all(
        mut line in any_line(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..8_usize, any_piece()), 1..4),
    ) {
        for (at, gone, piece) in changes {
            let at = at.index(line.len() + 1);
            line.splice(at..(at + gone).min(line.len()), piece);
            agrees(&line)?;
        }
    }

    #[test]
    fn the_first_of_several_lines_is_the_line(line in any_line(), behind in any::<Vec<u8>>()) {
        let lines = [line.as_slice(), b"\n", &behind].concat();
        prop_assert_eq!(Link::first(&lines), Link::of(&line));
    }

    #[test]
    fn lines_are_told_apart_by_their_line_feeds_alone(lines in prop::collection::vec(any_piece(), 0..40)) {
        let lines = [lines.concat().as_slice(), b"\n"].concat();
        let told: Vec<&[u8]> = Linked::new(7, &lines).map(|line| line.bytes).collect();
        let split: Vec<&[u8]> = lines[..lines.len() - 1].split(|byte| *byte == b'\n').collect();
        prop_assert_eq!(told, split);
        let end = Linked::new(7, &lines).last().map(|line| line.end);
        prop_assert_eq!(end, Some(7 + lines.len() as u64));
    }

    #[test]
    fn any_bytes_are_read_alike_or_not_at_all(line in prop::collection::vec(any_piece(), 0..40)) {
        agrees(&line.concat())?;
    }
}
