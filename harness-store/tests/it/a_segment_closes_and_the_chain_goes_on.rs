//! The journal is many files and reads as one: closing a segment loses no line, no reader and no
//! proof.

use std::time::Duration;

use harness_store::wire::Event;
use harness_store::{Fold, Line, OpenOptions, Rotation, Workspace};

use crate::fixture::{Place, SOON, recovery};

/// Line numbers in the order in which they came, and resets.
#[derive(Default)]
struct Seen {
    seqs: Vec<u64>,
    resets: usize,
}

impl Fold for Seen {
    fn apply(&mut self, line: &Line) {
        self.seqs.push(line.record().unwrap().seq);
    }

    fn reset(&mut self) {
        self.seqs.clear();
        self.resets += 1;
    }
}

fn append(halves: &harness_store::Halves, count: usize) {
    for _ in 0..count {
        halves
            .watch
            .append(SOON, vec![recovery("s").into(), recovery("t").into()])
            .unwrap();
    }
}

/// A workspace of several segments, closed in order.
fn rotated() -> Place {
    let place = Place::new();
    append(&place.open_rotating(), 40);
    assert!(place.segments().len() > 3);
    assert_sound(&place);
    place
}

fn assert_sound(place: &Place) {
    let report = place.reader().audit().unwrap();
    assert!(report.ok, "{:?}", report.breaks);
    assert_eq!((report.anchored, report.torn_bytes), (Some(true), 0));
}

fn assert_shows(place: &Place, what: &str) {
    let report = place.reader().audit().unwrap();
    assert!(!report.ok, "{what} went unseen");
}

fn seqs(lines: &[Line]) -> Vec<u64> {
    lines
        .iter()
        .map(|line| line.record().unwrap().seq)
        .collect()
}

#[test]
fn every_reader_reads_on_across_segments() {
    let place = Place::new();
    let halves = place.open_rotating();
    let mut early = halves.reader.follow(Seen::default());
    early.refresh().unwrap();
    for _ in 0..12 {
        append(&halves, 4);
        early.refresh().unwrap();
    }
    let all = seqs(&place.lines());
    assert_eq!(all, (0..all.len() as u64).collect::<Vec<_>>());
    assert_eq!((&early.get().seqs, early.get().resets), (&all, 0));
    // Several segments may be closed between two looks.
    let mut late = halves.reader.follow(Seen::default());
    late.refresh().unwrap();
    append(&halves, 40);
    late.refresh().unwrap();
    early.refresh().unwrap();
    let all = seqs(&place.lines());
    assert_eq!((&late.get().seqs, late.get().resets), (&all, 0));
    assert_eq!(early.get().seqs, all);

    let reader = place.reader();
    for count in [1, 10, 60, all.len(), all.len() + 5] {
        let from = all.len().saturating_sub(count);
        assert_eq!(seqs(&reader.newest(count).unwrap()), all[from..], "{count}");
    }
    for from in [0, 1, 15, 16, 40, all.len() - 1, all.len()] {
        let lines = reader.records_from(from as u64).unwrap();
        let lines: Vec<Line> = lines.map(Result::unwrap).collect();
        assert_eq!(seqs(&lines), all[from..], "{from}");
    }
}

#[test]
fn the_first_line_of_a_file_tells_of_the_one_before() {
    let place = rotated();
    let mut expected = 0;
    let mut told = 0;
    for line in place.lines() {
        if let Some((record, Event::Segment(closed))) = line.event() {
            assert_eq!(line.offset(), 0);
            assert_eq!(
                (closed.first_seq, closed.lines),
                (expected, record.seq - expected)
            );
            expected = record.seq;
            told += 1;
        }
    }
    assert_eq!(told, place.segments().len());
}

#[test]
fn a_segment_is_closed_by_age_too_and_a_young_small_one_is_not() {
    let place = Place::new();
    let open = |age| {
        let rotation = Rotation {
            bytes: u64::MAX,
            age,
        };
        let options = OpenOptions {
            rotation,
            ..Place::options()
        };
        Workspace::open(&place.paths, options).unwrap()
    };
    append(&open(Duration::from_secs(3600)), 5);
    assert_eq!(place.segments().len(), 0);
    append(&open(Duration::ZERO), 5);
    assert!(place.segments().len() > 1);
    assert_sound(&place);
}

#[test]
fn a_crash_between_closing_and_the_next_line_loses_nothing() {
    let place = Place::new();
    append(&place.open(), 5);
    let before = place.lines().len();
    let mut follower = place.reader().follow(Seen::default());
    follower.refresh().unwrap();
    let segment = place.file("state/segments/0000000000000000.jsonl");
    std::fs::rename(place.journal(), &segment).unwrap();
    // Without a growing file the journal is what it was.
    assert_sound(&place);
    assert_eq!(place.lines().len(), before);
    follower.refresh().unwrap();
    assert_eq!(
        (follower.get().seqs.len(), follower.get().resets),
        (before, 0)
    );

    append(&place.open(), 5);
    assert_sound(&place);
    assert_eq!(place.lines().len(), before + 1 + 10);
    follower.refresh().unwrap();
    assert_eq!(
        (follower.get().seqs.len(), follower.get().resets),
        (before + 11, 0)
    );
}

#[test]
fn a_segment_that_cannot_be_closed_grows_on() {
    let place = Place::new();
    let in_the_way = place.file("state/segments/0000000000000000.jsonl");
    std::fs::write(&in_the_way, "").unwrap();
    append(&place.open_rotating(), 40);
    std::fs::remove_file(&in_the_way).unwrap();
    assert_eq!(place.segments().len(), 0);
    assert_sound(&place);
}

#[test]
fn any_edit_of_a_segment_shows() {
    let place = rotated();
    let segments = place.segments();
    for (at, path) in segments.iter().enumerate() {
        let whole = std::fs::read(path).unwrap();
        for byte in (0..whole.len()).step_by(37) {
            let mut edited = whole.clone();
            edited[byte] ^= 1;
            std::fs::write(path, &edited).unwrap();
            assert_shows(&place, &format!("byte {byte} of segment {at}"));
        }
        for (what, bytes) in [
            ("appended", [whole.as_slice(), b"torn"].concat()),
            ("cut", whole[..whole.len() - 1].to_vec()),
            ("emptied", Vec::new()),
        ] {
            std::fs::write(path, bytes).unwrap();
            assert_shows(&place, what);
        }
        std::fs::remove_file(path).unwrap();
        assert_shows(&place, "removed");
        let other = segments[(at + 1) % segments.len()].clone();
        std::fs::copy(other, path).unwrap();
        assert_shows(&place, "replaced by another");
        std::fs::write(path, &whole).unwrap();
    }
    assert_sound(&place);
    let renamed = place.file("state/segments/0000000000000001.jsonl");
    std::fs::rename(&segments[0], &renamed).unwrap();
    assert_shows(&place, "another name");
}
