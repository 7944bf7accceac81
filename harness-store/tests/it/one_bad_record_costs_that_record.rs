//! A bad byte, a deep nest or a wrong type costs the record it is in, and nothing else.

use harness_store::wire::{Body, Line, MAX_LINE};
use harness_store::{Mailbox, TurnOutcome};

use crate::fixture::{Place, SOON, notice, opened, recovery, session, turn};

/// Lines that are no good, each for a reason of its own.
fn bad_lines() -> Vec<Vec<u8>> {
    vec![
        b"\xff\xfe\n".to_vec(),
        [vec![b'['; 10_000], vec![b']'; 10_000], b"\n".to_vec()].concat(),
        b"{\"type\":7}\n".to_vec(),
        b"\n".to_vec(),
        [vec![b' '; MAX_LINE + 1], b"{}\n".to_vec()].concat(),
        b"{\"type\":\"notice\",\"seq\":\"x\",\"prev\":\"genesis\"}\n".to_vec(),
    ]
}

#[test]
fn in_the_journal() {
    for bad in bad_lines() {
        let place = Place::new();
        place
            .open()
            .watch
            .append(SOON, vec![recovery("before").into()])
            .unwrap();
        let mut bytes = std::fs::read(place.journal()).unwrap();
        bytes.extend_from_slice(&bad);
        std::fs::write(place.journal(), &bytes).unwrap();
        place
            .open()
            .watch
            .append(SOON, vec![recovery("after").into()])
            .unwrap();
        let lines = place.lines();
        let unreadable = lines
            .iter()
            .filter(|line| matches!(line, Line::Unreadable { .. }));
        assert_eq!(unreadable.count(), 1);
        let kinds: Vec<String> = lines
            .iter()
            .filter_map(|line| line.event())
            .map(|(_, event)| serde_json::to_value(event).unwrap()["type"].to_string())
            .collect();
        assert_eq!(
            kinds[kinds.len() - 3..],
            ["\"recovery\"", "\"record_skipped\"", "\"recovery\""]
        );
        let report = place.reader().audit().unwrap();
        assert_eq!(report.unreadable, 1, "it is kept and reported");
        assert!(report.ok, "{:?}", report.breaks);
    }
}

#[test]
fn a_record_of_ours_whose_fields_do_not_read() {
    let place = Place::new();
    let halves = place.open();
    halves.watch.open_session(opened("s")).unwrap();
    for turn_index in [1, 2] {
        let posted = notice(
            &format!("n-{turn_index}"),
            "s",
            turn_index,
            "breach:tool_correctness",
        );
        let mut record = turn("s", turn_index, vec![posted]);
        record.cooldown_turns = 0;
        let outcome = halves.watch.record_turn(record).unwrap();
        assert!(matches!(outcome, TurnOutcome::Recorded { .. }));
    }
    drop(halves);
    let text = std::fs::read_to_string(place.journal()).unwrap();
    let broken = text.replacen("\"turn_index\":1", "\"turn_index\":null", 1);
    std::fs::write(place.journal(), broken).unwrap();
    let mut mailbox = place.reader().follow(Mailbox::default());
    mailbox.refresh().unwrap();
    let ids: Vec<&str> = mailbox
        .get()
        .pending()
        .map(|notice| notice.id.as_str())
        .collect();
    assert_eq!(ids, ["n-2"], "the other notice is there");
    let invalid = place
        .lines()
        .into_iter()
        .find_map(|line| match line.record()?.body.clone() {
            Body::Invalid { kind, reason, .. } => Some((kind, reason)),
            Body::Known(_) | Body::Unknown { .. } => None,
        });
    let (kind, reason) = invalid.unwrap();
    assert_eq!(kind, "notice");
    assert!(reason.contains("null"), "{reason}");
}

#[test]
fn in_the_scores() {
    let place = Place::new();
    let halves = place.open();
    halves.watch.record_turn(turn("s", 0, Vec::new())).unwrap();
    let file = place.file("state/scores/00000000.jsonl");
    let mut bytes = std::fs::read(&file).unwrap();
    for bad in bad_lines() {
        bytes.extend_from_slice(&bad);
    }
    bytes.extend_from_slice(b"torn");
    std::fs::write(&file, bytes).unwrap();
    halves.watch.record_turn(turn("s", 1, Vec::new())).unwrap();
    let scores = halves.reader.scores().unwrap();
    assert_eq!(scores.get(&session("s")).unwrap().turn_count(), 2);
    assert_eq!(scores.skipped(), bad_lines().len() as u64);
}
