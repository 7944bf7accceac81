//! A disk runs full in the middle of commits: a typed error, nothing acknowledged is lost, nothing
//! is there that was not, and with space again the next write works.

use std::process::Command;

use harness_store::wire::Event;
use harness_store::{StoreError, WatchEvent, Workspace};

use crate::fixture::{Place, SOON, as_child, child, clean, recovery, start, tell};

const NAME: &str = "a_full_disk_loses_nothing::on_a_small_file_system";

/// The child is started in a mount name space of its own, with a small file system for the root.
#[test]
fn on_a_small_file_system() {
    if let Some(place) = as_child() {
        return fill_the_disk(&place);
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("root")).unwrap();
    let test = child(NAME, folder.path());
    let mut command = Command::new("unshare");
    command
        .args(["--user", "--map-root-user", "--mount", "sh", "-ec"])
        .arg("mount -t tmpfs -o size=192k none \"$1/root\"; shift; exec \"$@\"")
        .arg("sh")
        .arg(folder.path())
        .arg(test.get_program())
        .args(test.get_args())
        .envs(
            test.get_envs()
                .filter_map(|(key, value)| Some((key, value?))),
        );
    let output = command
        .output()
        .expect("`unshare` of util-linux is needed for this test");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains("filled and healed"),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn fill_the_disk(place: &Place) {
    Workspace::init(&place.paths, start()).unwrap();
    let halves = place.open();
    // Whatever is free goes into ballast but a little, so that a commit ends in the middle.
    let ballast = place.file("ballast");
    std::fs::write(&ballast, vec![b'x'; 40_000]).unwrap();
    let mut acknowledged = 0;
    let refused = loop {
        match halves.watch.append(SOON, commit_of_four(acknowledged)) {
            Ok(_) => acknowledged += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, StoreError::Full { .. }), "{refused:?}");
    assert!(acknowledged > 0);
    let count = || {
        let seen = place.lines();
        seen.iter()
            .filter(|line| matches!(line.event(), Some((_, Event::Recovery(_)))))
            .count()
    };
    assert_eq!(
        count(),
        acknowledged * 3,
        "what was acknowledged and nothing else"
    );
    // Still full: still refused, still nothing torn.
    assert!(
        halves
            .watch
            .append(SOON, commit_of_four(acknowledged))
            .is_err()
    );
    assert_eq!(count(), acknowledged * 3);

    std::fs::remove_file(&ballast).unwrap();
    halves
        .watch
        .append(SOON, commit_of_four(acknowledged))
        .unwrap();
    assert_eq!(count(), (acknowledged + 1) * 3);
    drop(halves);
    let report = place.reader().audit().unwrap();
    assert!(report.ok, "{:?}", report.breaks);
    assert_eq!((report.anchored, report.unreadable), (Some(true), 0));
    tell("filled and healed");
}

fn commit_of_four(number: usize) -> Vec<WatchEvent> {
    let mut events: Vec<WatchEvent> = vec![
        harness_store::wire::event::Health {
            source: clean("embedded"),
            state: harness_store::wire::event::HealthState::Up,
            detail: clean(&"z".repeat(1500)),
        }
        .into(),
    ];
    events.extend((0..3).map(|part| WatchEvent::from(recovery(&format!("s-{number}-{part}")))));
    events
}
