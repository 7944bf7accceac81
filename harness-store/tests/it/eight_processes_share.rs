//! Several processes write one workspace: nothing is lost, torn or told twice.

use std::collections::BTreeMap;

use harness_store::wire::Event;
use harness_store::{Opening, Scores, TurnOutcome};

use crate::fixture::{Killed, Place, SOON, as_child, child, notice, opened, recovery, start, turn};

const PROCESSES: usize = 8;
/// How long a run is, if it is not to be short.
const OPERATIONS: &str = "HARNESS_STORE_TEST_OPERATIONS";

/// Operations of each kind that a process does.
fn operations() -> u32 {
    std::env::var(OPERATIONS).map_or(25, |count| count.parse().unwrap())
}

#[test]
fn nothing_is_lost_and_a_turn_is_recorded_once() {
    if let Some(place) = as_child() {
        return take_part(&place);
    }
    let folder = tempfile::tempdir().unwrap();
    let place = Place::at(folder.path());
    harness_store::Workspace::init(&place.paths, start()).unwrap();
    let name = "eight_processes_share::nothing_is_lost_and_a_turn_is_recorded_once";
    let mut children: Vec<Killed> = (0..PROCESSES)
        .map(|_| Killed(child(name, folder.path()).spawn().unwrap()))
        .collect();
    for child in &mut children {
        assert!(child.0.wait().unwrap().success());
    }
    let report = place.reader().audit().unwrap();
    assert!(report.ok, "{:?}", report.breaks);
    assert_eq!(
        (report.anchored, report.unreadable, report.torn_bytes),
        (Some(true), 0, 0)
    );

    assert!(place.segments().len() > 2, "segments were closed meanwhile");

    let mut recoveries: BTreeMap<String, u32> = BTreeMap::new();
    let mut notices = 0;
    for line in place.lines() {
        match line.event().unwrap().1 {
            Event::Recovery(recovery) => {
                *recoveries.entry(recovery.session.to_string()).or_default() += 1;
            }
            Event::Notice(_) => notices += 1,
            _ => {}
        }
    }
    assert_eq!(recoveries.len(), PROCESSES);
    assert!(
        recoveries.values().all(|count| *count == operations()),
        "{recoveries:?}"
    );
    assert_eq!(notices, 1, "all eight posted the same failure");
    let scores: Scores = place.reader().scores().unwrap();
    let shared = scores.get(&crate::fixture::session("shared")).unwrap();
    assert_eq!(shared.turn_count(), operations() as usize);
    let lines = std::fs::read_to_string(place.file("state/scores/00000000.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), operations() as usize);
}

/// Appends under a name of its own, and offers the same turns as everybody else.
fn take_part(place: &Place) {
    let halves = place.open_rotating();
    let own = format!("process-{}", std::process::id());
    let opening = halves.watch.open_session(opened("shared")).unwrap();
    assert_ne!(opening, Opening::HasEnded);
    for index in 0..operations() {
        halves
            .watch
            .append(SOON, vec![recovery(&own).into()])
            .unwrap();
        let failure = notice(
            &format!("n-{}-{index}", std::process::id()),
            "shared",
            index,
            "breach:tool_correctness",
        );
        let mut record = turn("shared", index, vec![failure]);
        record.cooldown_turns = u32::MAX;
        let outcome = halves.watch.record_turn(record).unwrap();
        assert!(
            matches!(
                outcome,
                TurnOutcome::Recorded { .. } | TurnOutcome::AlreadySeen
            ),
            "{outcome:?}"
        );
    }
}
