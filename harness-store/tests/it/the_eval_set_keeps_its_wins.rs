//! The eval set is bounded: the oldest failures go first, wins never.

use harness_core::{CaseId, CaseKind, EvalCase};
use harness_store::{Capture, EvalSet};

use crate::fixture::{Place, clean, session, start};

fn case(number: usize, kind: CaseKind) -> EvalCase {
    EvalCase {
        id: CaseId::parse(&format!("c-{number:04}")).unwrap(),
        created_at: start().plus_seconds(i64::try_from(number).unwrap()),
        session: session("s"),
        kind,
        signatures: Vec::new(),
        baseline: Vec::new(),
        replay_input: None,
        notes: clean("seen twice"),
    }
}

fn ids(set: &EvalSet) -> Vec<&str> {
    set.cases().iter().map(|case| case.id.as_str()).collect()
}

#[test]
fn the_oldest_failure_makes_room() {
    let place = Place::new();
    let halves = place.open();
    for number in 0..EvalCase::MAX_CASES {
        let kind = if number < 3 {
            CaseKind::Win
        } else {
            CaseKind::Failure
        };
        halves.watch.capture_case(case(number, kind)).unwrap();
    }
    let kept = halves.watch.capture_case(case(500, CaseKind::Win)).unwrap();
    assert_eq!(
        kept,
        Capture::Kept {
            replayable: false,
            removed: vec![CaseId::parse("c-0003").unwrap()],
        }
    );
    let set = halves.reader.eval_set().unwrap();
    assert_eq!(set.cases().len(), EvalCase::MAX_CASES);
    assert_eq!(ids(&set)[..4], ["c-0000", "c-0001", "c-0002", "c-0004"]);
    let last = set.cases().last().unwrap();
    assert_eq!(*last, case(500, CaseKind::Win), "it reads back as it was");
}

#[test]
fn a_set_full_of_wins_takes_no_more() {
    let place = Place::new();
    let halves = place.open();
    halves.watch.capture_case(case(0, CaseKind::Win)).unwrap();
    let bytes = std::fs::read_to_string(place.file("evalset/c-0000.json")).unwrap();
    for number in 1..EvalCase::MAX_CASES {
        let id = format!("c-{number:04}");
        let file = place.file(&format!("evalset/{id}.json"));
        std::fs::write(file, bytes.replace("c-0000", &id)).unwrap();
    }
    let refused = halves
        .watch
        .capture_case(case(900, CaseKind::Failure))
        .unwrap();
    assert_eq!(refused, Capture::FullOfWins);
    std::fs::write(place.file("evalset/c-0007.json"), b"{").unwrap();
    let kept = halves
        .watch
        .capture_case(case(900, CaseKind::Failure))
        .unwrap();
    assert!(
        matches!(kept, Capture::Kept { .. }),
        "a file that does not read takes no place"
    );
    let set = halves.reader.eval_set().unwrap();
    assert_eq!(set.unreadable().len(), 1);
}
