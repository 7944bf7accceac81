//! Appenders of one process that wait side by side share a write and a sync; each is acknowledged
//! its own lines, and an event that cannot be written costs its own appender alone.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use harness_store::wire::Event;
use harness_store::wire::event::{TrialAssigned, TrialKind, TrialName};
use harness_store::{Committed, StoreError};

use crate::fixture::{Place, SOON, recovery, session};

const APPENDERS: usize = 8;
const EACH: usize = 20;

fn entry(name: &str, pi: f64) -> TrialAssigned {
    TrialAssigned {
        rule: harness_core::RuleId::parse("r-1").unwrap(),
        trial: TrialName {
            kind: TrialKind::Trial,
            opening: 1,
        },
        session: session(name),
        pi,
        t: None,
        turn_index: 0,
    }
}

#[test]
fn each_is_acknowledged_its_own_lines() {
    let place = Place::new();
    let halves = place.open();
    let together = Barrier::new(APPENDERS);
    let committed: Vec<(String, Committed)> = thread::scope(|scope| {
        let appenders: Vec<_> = (0..APPENDERS)
            .map(|number| {
                let (watch, together) = (&halves.watch, &together);
                scope.spawn(move || {
                    together.wait();
                    let name = format!("s{number}");
                    let mut done = Vec::new();
                    for _ in 0..EACH {
                        let events = vec![recovery(&name).into(), recovery(&name).into()];
                        let pair = watch.append(SOON, events).unwrap();
                        assert_eq!(pair[0].seq + 1, pair[1].seq, "a commit stays together");
                        done.extend(pair.into_iter().map(|one| (name.clone(), one)));
                    }
                    done
                })
            })
            .collect();
        appenders
            .into_iter()
            .flat_map(|one| one.join().unwrap())
            .collect()
    });
    let lines = place.lines();
    for (name, committed) in &committed {
        let line = &lines[usize::try_from(committed.seq).unwrap()];
        let Some((record, Event::Recovery(recovery))) = line.event() else {
            panic!("{line:?}");
        };
        assert_eq!(
            (recovery.session.as_str(), record.ts),
            (name.as_str(), committed.ts)
        );
    }
    let seqs: BTreeSet<u64> = committed.iter().map(|(_, one)| one.seq).collect();
    assert_eq!(seqs.len(), APPENDERS * EACH * 2);
    drop(halves);
    assert!(place.reader().audit().unwrap().ok);
}

#[test]
fn an_event_that_cannot_be_written_costs_its_own_appender() {
    let place = Place::new();
    let halves = place.open();
    let together = Barrier::new(APPENDERS);
    let outcomes: Vec<Result<usize, StoreError>> = thread::scope(|scope| {
        let appenders: Vec<_> = (0..APPENDERS)
            .map(|number| {
                let (entries, together) = (halves.entries.clone(), &together);
                scope.spawn(move || {
                    let pi = if number == 3 { f64::INFINITY } else { 0.5 };
                    together.wait();
                    let events = vec![entry(&format!("s{number}"), pi).into()];
                    entries.append(SOON, events).map(|done| done.len())
                })
            })
            .collect();
        appenders
            .into_iter()
            .map(|one| one.join().unwrap())
            .collect()
    });
    for (number, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Ok(count) => assert!(*count == 1 && number != 3),
            Err(error) => {
                assert!(
                    number == 3 && matches!(error, StoreError::Unwritable { .. }),
                    "{error}"
                );
            }
        }
    }
    let kinds = place.kinds();
    assert_eq!(
        kinds
            .iter()
            .filter(|kind| *kind == "trial_assigned")
            .count(),
        APPENDERS - 1
    );
}

#[test]
fn the_writer_lives_as_long_as_an_entry_log() {
    let place = Place::new();
    let halves = place.open();
    let entries = halves.entries.clone();
    let appended = thread::spawn(move || entries.append(SOON, vec![entry("s", 0.5).into()]));
    drop(halves);
    appended.join().unwrap().unwrap();
    place.open();
    assert_eq!(
        place
            .kinds()
            .iter()
            .filter(|kind| *kind == "trial_assigned")
            .count(),
        1
    );
}

/// Waits until the anchor confirms the journal's head.
fn wait_for_the_anchor(place: &Place) {
    let until = Instant::now() + SOON;
    loop {
        let reader = place.reader();
        let head = reader.verify_chain().unwrap().head;
        if reader.anchored_head().unwrap() == Some(head) {
            return;
        }
        assert!(Instant::now() < until, "the anchor never confirmed it");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_was_appended_is_confirmed_while_nobody_appends() {
    let place = Place::new();
    let halves = place.open();
    // One alone, many side by side, and one alone after them.
    for appenders in [1, APPENDERS, 1] {
        thread::scope(|scope| {
            for number in 0..appenders {
                let watch = &halves.watch;
                scope.spawn(move || {
                    for _ in 0..EACH {
                        let event = recovery(&format!("s{number}")).into();
                        watch.append(SOON, vec![event]).unwrap();
                    }
                });
            }
        });
        wait_for_the_anchor(&place);
    }
    drop(halves);
    let report = place.reader().audit().unwrap();
    assert_eq!((report.ok, report.anchored), (true, Some(true)));
}
