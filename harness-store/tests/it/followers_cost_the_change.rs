//! A follower takes in what was appended, and starts anew when the journal is not the one it
//! knows.

use harness_store::{Fold, Line};

use crate::fixture::{Place, SOON, recovery};

/// Counts lines and resets.
#[derive(Default)]
struct Counter {
    lines: usize,
    applied: usize,
    resets: usize,
}

impl Fold for Counter {
    fn apply(&mut self, _line: &Line) {
        self.lines += 1;
        self.applied += 1;
    }

    fn reset(&mut self) {
        self.lines = 0;
        self.resets += 1;
    }
}

#[test]
fn each_line_is_applied_once_while_the_journal_grows() {
    let place = Place::new();
    let halves = place.open();
    let mut follower = halves.reader.follow(Counter::default());
    for _ in 0..5 {
        halves
            .watch
            .append(SOON, vec![recovery("s").into(), recovery("t").into()])
            .unwrap();
        follower.refresh().unwrap();
        follower.refresh().unwrap();
    }
    assert_eq!(follower.get().lines, place.lines().len());
    assert_eq!(follower.get().applied, follower.get().lines);
    assert_eq!(follower.get().resets, 0);
}

#[test]
fn a_journal_cut_edited_or_replaced_is_read_anew() {
    let place = Place::new();
    place
        .open()
        .watch
        .append(SOON, vec![recovery("s").into()])
        .unwrap();
    let mut follower = place.reader().follow(Counter::default());
    follower.refresh().unwrap();
    let whole = std::fs::read(place.journal()).unwrap();
    let lines = follower.get().lines;

    let last = whole[..whole.len() - 1]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    std::fs::write(place.journal(), &whole[..last]).unwrap();
    follower.refresh().unwrap();
    assert_eq!(
        (follower.get().lines, follower.get().resets),
        (lines - 1, 1)
    );

    std::fs::write(place.journal(), &whole).unwrap();
    follower.refresh().unwrap();
    assert_eq!((follower.get().lines, follower.get().resets), (lines, 1));

    let mut edited = whole.clone();
    let at = edited.len() - 10;
    edited[at] ^= 1;
    std::fs::write(place.journal(), edited).unwrap();
    follower.refresh().unwrap();
    assert_eq!((follower.get().lines, follower.get().resets), (lines, 2));

    std::fs::remove_file(place.journal()).unwrap();
    std::fs::write(place.journal(), &whole).unwrap();
    follower.refresh().unwrap();
    assert_eq!((follower.get().lines, follower.get().resets), (lines, 3));

    std::fs::remove_file(place.journal()).unwrap();
    follower.refresh().unwrap();
    assert_eq!((follower.get().lines, follower.get().resets), (0, 4));
}

#[test]
fn the_newest_lines_come_from_the_end() {
    let place = Place::new();
    let halves = place.open();
    for _ in 0..40 {
        halves
            .watch
            .append(SOON, vec![recovery("s").into()])
            .unwrap();
    }
    let all = place.lines();
    for count in [0, 1, 7, 39, 42, 100] {
        let newest = halves.reader.newest(count).unwrap();
        assert_eq!(newest, all[all.len() - count.min(all.len())..]);
    }
    let from: Vec<Line> = halves
        .reader
        .records_from(39)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(from, all[39..]);
}
