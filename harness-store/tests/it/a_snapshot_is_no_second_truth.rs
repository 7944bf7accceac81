//! A snapshot saves reading and says nothing of its own: what is taken up is what the journal
//! would have said, one that cannot be believed is dropped and the journal says so, and an audit
//! never looks at it.

use std::path::PathBuf;

use harness_store::{
    Attempts, Breaker, Event, Halves, MAX_COMMIT, Mailbox, Opening, Reader, Sessions,
};

use crate::fixture::{
    Place, SOON, copy_folder, notice, opened, repair_end, repair_resolved, repair_started, turn,
};

type All = (Mailbox, (Breaker, (Sessions, Attempts)));

fn all(reader: &Reader) -> All {
    let mut follower = reader.follow(All::default());
    follower.refresh().unwrap();
    let (mailbox, (breaker, (sessions, attempts))) = follower.get();
    (
        mailbox.clone(),
        (breaker.clone(), (sessions.clone(), attempts.clone())),
    )
}

fn snapshot(place: &Place) -> PathBuf {
    place.anchor().with_file_name("snapshot")
}

/// A workspace with a long journal, something of everything in it, and a snapshot.
fn place() -> Place {
    let place = Place::new();
    let halves = place.open();
    fill(&halves);
    drop(halves);
    assert!(snapshot(&place).exists());
    place
}

fn fill(halves: &Halves) {
    halves.watch.open_session(opened("s")).unwrap();
    let notices = vec![
        notice("n-1", "s", 0, "breach:tool_correctness"),
        notice("n-2", "s", 0, "stall:coherence"),
        notice("n-3", "s", 0, "regression:task_completion"),
    ];
    halves.watch.record_turn(turn("s", 0, notices)).unwrap();
    let start = |ids: &[&str], attempt| repair_started(ids, attempt).into();
    halves
        .repair
        .append(SOON, vec![start(&["n-1"], 1)])
        .unwrap();
    let (resolved, end) = (repair_resolved(&["n-1"], 1), repair_end(&["n-1"], 1));
    halves.repair.resolve(SOON, resolved, end).unwrap();
    halves
        .repair
        .append(SOON, vec![start(&["n-2"], 2)])
        .unwrap();
    let many = (0..MAX_COMMIT).map(|at| opened(&format!("many-{at}")).into());
    halves.watch.append(SOON, many.collect()).unwrap();
}

#[test]
fn what_is_taken_up_is_what_the_journal_says() {
    let place = place();
    for _ in 0..2 {
        let taken_up = all(&place.reader());
        let aside = snapshot(&place).with_extension("aside");
        std::fs::rename(snapshot(&place), &aside).unwrap();
        assert_eq!(taken_up, all(&place.reader()));
        assert_eq!(taken_up.0.pending_count(), 2);
        std::fs::rename(&aside, snapshot(&place)).unwrap();
        // And once more with lines behind it, in another file of the journal.
        let halves = place.open_rotating();
        halves.watch.append(SOON, vec![opened("t").into()]).unwrap();
        let notices = vec![notice("n-4", "t", 0, "breach:coherence")];
        halves.watch.record_turn(turn("t", 1, notices)).unwrap();
        let resolved = repair_resolved(&["n-4"], 3);
        let end = repair_end(&["n-4"], 3);
        halves.repair.resolve(SOON, resolved, end).unwrap();
    }
}

#[test]
fn an_audit_sees_an_edit_that_a_snapshot_has_behind_it() {
    let place = place();
    let before = all(&place.reader());
    let text = std::fs::read_to_string(place.journal()).unwrap();
    let edited = text.replacen("many-17\"", "mani-17\"", 1);
    assert_ne!(text, edited);
    std::fs::write(place.journal(), edited).unwrap();
    assert!(!place.reader().audit().unwrap().ok);
    // What was read before the edit is not read again.
    assert_eq!(before, all(&place.reader()));
}

type Harm = (&'static str, fn(&Place));

const HARMS: [Harm; 6] = [
    ("cut short", |place| {
        edit_snapshot(place, |text| text[..text.len() / 2].to_owned());
    }),
    ("no snapshot at all", |place| {
        edit_snapshot(place, |_| "{}".to_owned())
    }),
    ("edited", |place| {
        edit_snapshot(place, |text| text.replacen("many-17\"", "mani-17\"", 1));
    }),
    ("of another version", |place| {
        edit_snapshot(place, |text| {
            text.replacen("snapshot 2 of", "snapshot 3 of", 1)
        });
    }),
    ("of another journal", |place| {
        edit_snapshot(place, |text| {
            let digest = text.find("line_sha256").unwrap() + "line_sha256\":\"".len();
            let other = if text.as_bytes()[digest] == b'0' {
                "1"
            } else {
                "0"
            };
            [&text[..digest], other, &text[digest + 1..]].concat()
        });
    }),
    ("ahead of its journal", |place| {
        let text = std::fs::read_to_string(place.journal()).unwrap();
        let kept = text.find("\"type\":\"repair_started\"").unwrap();
        let end = text[..kept].rfind('\n').unwrap() + 1;
        std::fs::write(place.journal(), &text[..end]).unwrap();
    }),
];

fn edit_snapshot(place: &Place, edit: impl FnOnce(String) -> String) {
    let text = std::fs::read_to_string(snapshot(place)).unwrap();
    let edited = edit(text.clone());
    assert_ne!(text, edited);
    std::fs::write(snapshot(place), edited).unwrap();
}

#[test]
fn one_that_cannot_be_believed_is_dropped_and_the_journal_says_so() {
    let made = place();
    for (name, harm) in HARMS {
        let dir = tempfile::tempdir().unwrap();
        copy_folder(made.paths.root.parent().unwrap(), dir.path());
        let place = Place::at(dir.path());
        harm(&place);
        let halves = place.open();
        // Something that needs the state, so that the snapshot is looked at.
        let again = halves.watch.open_session(opened("s")).unwrap();
        assert_eq!(again, Opening::WasOpen, "{name}");
        drop(halves);
        let told = place.lines().into_iter().filter(|line| {
            matches!(
                line.event(),
                Some((_, Event::RecordSkipped(skipped))) if skipped.path == "snapshot"
            )
        });
        assert_eq!(told.count(), 1, "{name}");
        let with = all(&place.reader());
        let _ = std::fs::remove_file(snapshot(&place));
        assert_eq!(with, all(&place.reader()), "{name}");
        // A tail that was cut is for the audit to say.
        let report = place.reader().audit().unwrap();
        assert_eq!(
            report.ok,
            name != "ahead of its journal",
            "{name}: {report:?}"
        );
    }
}
