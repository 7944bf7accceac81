//! A commit of several events is there with all of them, or with none.

use std::io::Write;

use harness_store::wire::Event;
use harness_store::{Mailbox, StoreError, Tx, WatchEvent};

use crate::fixture::{Place, SOON, recovery};

fn three() -> Vec<WatchEvent> {
    ["one", "two", "three"]
        .map(|name| recovery(name).into())
        .into()
}

#[test]
fn a_cut_inside_a_commit_takes_all_of_it() {
    let place = Place::new();
    let before = std::fs::read(place.journal()).unwrap().len();
    place.open().watch.append(SOON, three()).unwrap();
    let whole = std::fs::read(place.journal()).unwrap();
    let feeds: Vec<usize> = (before..whole.len())
        .filter(|at| whole[*at] == b'\n')
        .collect();
    assert_eq!(feeds.len(), 3);
    for cut in [feeds[0] + 1, feeds[0] + 5, feeds[1] + 1, feeds[2]] {
        std::fs::write(place.journal(), &whole[..cut]).unwrap();
        let seen = place.lines();
        assert!(
            seen.iter()
                .all(|line| !matches!(line.event(), Some((_, Event::Recovery(_)))))
        );
        drop(place.open());
        let kinds = place.kinds();
        assert!(!kinds.contains(&"recovery".to_owned()), "{kinds:?}");
    }
    std::fs::write(place.journal(), &whole).unwrap();
    assert_eq!(
        place
            .kinds()
            .iter()
            .filter(|kind| *kind == "recovery")
            .count(),
        3
    );
}

#[test]
fn a_follower_waits_for_the_last_line_of_a_commit() {
    let place = Place::new();
    let mut follower = place.reader().follow(Counter::default());
    follower.refresh().unwrap();
    let before = follower.get().0;
    let length = std::fs::read(place.journal()).unwrap().len();
    place.open().watch.append(SOON, three()).unwrap();
    let whole = std::fs::read(place.journal()).unwrap();
    std::fs::write(place.journal(), &whole[..length]).unwrap();
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(place.journal())
        .unwrap();
    let rest: Vec<&[u8]> = whole[length..]
        .split_inclusive(|byte| *byte == b'\n')
        .collect();
    for (position, line) in rest.iter().enumerate() {
        file.write_all(line).unwrap();
        follower.refresh().unwrap();
        let expected = if position == 2 { before + 3 } else { before };
        assert_eq!(follower.get().0, expected);
    }
}

#[derive(Default)]
struct Counter(usize);

impl harness_store::Fold for Counter {
    fn apply(&mut self, _line: &harness_store::Line) {
        self.0 += 1;
    }

    fn reset(&mut self) {
        self.0 = 0;
    }
}

#[test]
fn an_event_that_cannot_be_written_takes_its_commit_and_no_other() {
    let place = Place::new();
    let halves = place.open();
    let mut bad = harness_store::wire::event::TrialAssigned {
        rule: harness_core::RuleId::parse("r-1").unwrap(),
        trial: harness_store::wire::event::TrialName {
            kind: harness_store::wire::event::TrialKind::Trial,
            opening: 1,
        },
        session: crate::fixture::session("s"),
        pi: f64::NAN,
        t: None,
        turn_index: 0,
    };
    let refused = halves.entries.append(SOON, vec![bad.clone().into()]);
    assert!(
        matches!(refused, Err(StoreError::Unwritable { .. })),
        "{refused:?}"
    );
    bad.pi = 0.5;
    halves.entries.append(SOON, vec![bad.into()]).unwrap();
    assert_eq!(
        place
            .kinds()
            .iter()
            .filter(|kind| *kind == "trial_assigned")
            .count(),
        1
    );
}

#[test]
fn a_job_that_breaks_writes_nothing_more_and_the_writer_goes_on() {
    let place = Place::new();
    let halves = place.open();
    let broken = halves
        .watch
        .commit(SOON, |_: &mut Tx<'_, WatchEvent>| -> Result<(), ()> {
            panic!("as a bug would")
        });
    assert_eq!(broken, Err(StoreError::JobBroke));
    halves.watch.append(SOON, three()).unwrap();
    let mut mailbox = halves.reader.follow(Mailbox::default());
    mailbox.refresh().unwrap();
    assert!(halves.reader.audit().unwrap().ok);
}
