//! A commit of several events is there with all of them, or with none.

use std::io::Write;

use harness_store::wire::event::{Health, HealthState};
use harness_store::wire::{Event, MAX_LINE};
use harness_store::{MAX_COMMIT_BYTES, Mailbox, StoreError, Tx, WatchEvent};

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

/// Somebody else may write lines that go on for ever. Nobody waits for their end longer than for
/// that of a commit of ours, and all agree on where that is.
#[test]
fn a_commit_without_an_end_ends_where_no_commit_of_ours_goes_on() {
    let place = Place::new();
    let before = place.lines().len();
    let long = "x".repeat(MAX_LINE - 200);
    let line = |seq: usize| {
        let prev = "0".repeat(64);
        format!(
            r#"{{"more":true,"pad":"{long}","prev":"{prev}","seq":{seq},"ts":"2026-11-30T11:26:14.500145+00:00","type":"recovery"}}"#
        )
    };
    let bytes = line(before).len() as u64 + 1;
    let fit = usize::try_from(MAX_COMMIT_BYTES / bytes).unwrap();
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(place.journal())
        .unwrap();
    for at in 0..fit + 4 {
        writeln!(file, "{}", line(before + at)).unwrap();
    }
    let counted = before + fit + 1;
    let mut follower = place.reader().follow(Counter::default());
    follower.refresh().unwrap();
    assert_eq!(follower.get().0, counted);
    assert_eq!(place.lines().len(), counted);
    let report = place.reader().audit().unwrap();
    assert!(!report.ok);
    let torn = (1..4).map(|at| line(before + fit + at).len() as u64 + 1);
    assert_eq!(
        (report.events, report.torn_bytes),
        (counted as u64, torn.sum())
    );
    let halves = place.open();
    let done = halves.watch.append(SOON, three()).unwrap();
    assert!(done[0].seq >= counted as u64);
    drop(halves);
    assert_eq!(place.reader().verify_chain().unwrap().torn_bytes, 0);
}

#[test]
fn a_commit_of_more_bytes_than_readers_hold_is_refused() {
    let place = Place::new();
    let halves = place.open();
    let long = harness_core::CleanText::new("x".repeat(60_000)).unwrap();
    let many = usize::try_from(MAX_COMMIT_BYTES).unwrap() / long.len() + 1;
    let event = WatchEvent::from(Health {
        source: harness_core::CleanText::new("judge").unwrap(),
        state: HealthState::Down,
        detail: long.clone(),
    });
    let refused = halves.watch.append(SOON, vec![event.clone(); many]);
    assert!(
        matches!(refused, Err(StoreError::TooLarge { .. })),
        "{refused:?}"
    );
    let some = halves.watch.append(SOON, vec![event; many / 2]).unwrap();
    assert_eq!(some.len(), many / 2);
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
