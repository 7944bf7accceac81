//! An episode's notices are resolved together, by one commit; files follow, also after a crash.

use harness_core::RepairStatus;
use harness_store::{Attempts, Halves, Mailbox, RepairEvent, Resolved};

use crate::fixture::{
    Place, SOON, notice, opened, repair_end, repair_resolved, repair_started, turn,
};

const IDS: [&str; 2] = ["n-1", "n-2"];

/// Two pending notices and a started attempt.
fn under_repair(place: &Place) -> Halves {
    let halves = place.open();
    halves.watch.open_session(opened("s")).unwrap();
    let notices = vec![
        notice(IDS[0], "s", 0, "breach:tool_correctness"),
        notice(IDS[1], "s", 0, "stall:coherence"),
    ];
    halves.watch.record_turn(turn("s", 0, notices)).unwrap();
    halves
        .repair
        .append(SOON, vec![repair_started(&IDS, 1).into()])
        .unwrap();
    halves
}

fn resolve(halves: &Halves) -> Resolved {
    let (resolved, end) = (repair_resolved(&IDS, 1), repair_end(&IDS, 1));
    halves.repair.resolve(SOON, resolved, end).unwrap()
}

fn files(place: &Place, folder: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(place.file(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn is_resolved(place: &Place) {
    assert_eq!(files(place, "mailbox/pending"), Vec::<String>::new());
    assert_eq!(files(place, "mailbox/processed"), ["n-1.json", "n-2.json"]);
    let status = std::fs::read_to_string(place.file("mailbox/status.json")).unwrap();
    assert!(status.contains("\"pending_count\": 0"), "{status}");
    let report = place.reader().audit().unwrap();
    assert!(report.ok, "{:?}", report.breaks);
}

#[test]
fn all_notices_move_together_and_once() {
    let place = Place::new();
    let halves = under_repair(&place);
    assert_eq!(resolve(&halves), Resolved::Done { files: Ok(()) });
    is_resolved(&place);
    let text = std::fs::read_to_string(place.file("mailbox/processed/n-1.json")).unwrap();
    assert!(text.contains("\"status\": \"acknowledged\""), "{text}");
    let before = std::fs::read(place.journal()).unwrap();
    assert!(matches!(resolve(&halves), Resolved::NotPending(gone) if gone.len() == 2));
    assert_eq!(std::fs::read(place.journal()).unwrap(), before);
    let kinds = place.kinds();
    assert_eq!(
        kinds[kinds.len() - 2..],
        ["repair_notice_resolved", "repair_completed"]
    );
}

#[test]
fn moves_cut_short_anywhere_are_redone_at_open() {
    let place = Place::new();
    let halves = under_repair(&place);
    let pending: Vec<Vec<u8>> = IDS
        .map(|id| std::fs::read(place.file(&format!("mailbox/pending/{id}.json"))).unwrap())
        .into();
    resolve(&halves);
    drop(halves);
    let path = |folder: &str, id: &str| place.file(&format!("mailbox/{folder}/{id}.json"));
    // Nothing moved; one half moved; one moved; and a temporary file left behind.
    let states: [&dyn Fn(); 3] = [
        &|| {
            for (id, bytes) in IDS.iter().zip(&pending) {
                std::fs::remove_file(path("processed", id)).unwrap();
                std::fs::write(path("pending", id), bytes).unwrap();
            }
        },
        &|| std::fs::write(path("pending", IDS[0]), &pending[0]).unwrap(),
        &|| {
            std::fs::remove_file(path("processed", IDS[1])).unwrap();
            std::fs::write(path("pending", IDS[1]), &pending[1]).unwrap();
            let temporary = "mailbox/processed/n-2.json.0123456789abcdef.tmp";
            std::fs::write(place.file(temporary), b"{").unwrap();
        },
    ];
    for cut_short in states {
        cut_short();
        drop(place.open());
        is_resolved(&place);
    }
}

#[test]
fn an_attempt_cut_short_is_ended_at_open() {
    let place = Place::new();
    drop(under_repair(&place));
    let halves = place.open();
    assert_eq!(place.kinds().last().unwrap(), "repair_cancelled");
    let mut mailbox = halves.reader.follow(Mailbox::default());
    mailbox.refresh().unwrap();
    assert_eq!(mailbox.get().pending_count(), 2, "the notices wait on");
    let mut attempts = halves.reader.follow(Attempts::default());
    attempts.refresh().unwrap();
    assert_eq!(attempts.get().iter().count(), 0);
}

#[test]
fn a_resolution_without_its_end_is_completed_at_open() {
    let place = Place::new();
    let halves = under_repair(&place);
    halves
        .repair
        .append(SOON, vec![repair_resolved(&IDS, 1).into()])
        .unwrap();
    drop(halves);
    drop(place.open());
    assert_eq!(place.kinds().last().unwrap(), "repair_completed");
    is_resolved(&place);
}

#[test]
fn one_repair_flies_at_a_time() {
    let place = Place::new();
    let halves = under_repair(&place);
    let flight = halves.repair.take_off().unwrap();
    assert!(flight.is_some());
    assert!(halves.repair.take_off().unwrap().is_none());
    // While it flies, somebody else's opening leaves its attempt alone.
    drop(halves);
    drop(place.open());
    assert_eq!(place.kinds().last().unwrap(), "repair_started");
    drop(flight);
    let halves = place.open();
    assert!(halves.repair.take_off().unwrap().is_some());
    assert_eq!(place.kinds().last().unwrap(), "repair_cancelled");
}

#[test]
fn an_end_that_acknowledges_nothing_leaves_the_notices() {
    let place = Place::new();
    let halves = under_repair(&place);
    let end = RepairEvent::RepairEnd(RepairStatus::TimedOut, repair_end(&IDS, 1));
    halves.repair.append(SOON, vec![end]).unwrap();
    drop(halves);
    assert_eq!(files(&place, "mailbox/pending").len(), 2);
    assert_eq!(place.kinds().last().unwrap(), "repair_timed_out");
}
