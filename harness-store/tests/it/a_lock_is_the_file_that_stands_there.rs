//! A lock file that somebody removes, or puts another in the place of, makes no second lock; nor does
//! another folder in the place of its own.

use std::process::Command;
use std::time::Duration;

use harness_store::StoreError;

use crate::fixture::{Killed, Place, SOON, as_child, child, recovery, start, tell};

const NAME: &str =
    "a_lock_is_the_file_that_stands_there::one_opened_before_waits_for_one_opened_after";

#[test]
fn one_opened_before_waits_for_one_opened_after() {
    use std::io::{BufRead, BufReader};
    if let Some(place) = as_child() {
        let halves = place.open();
        let _never = halves.watch.commit(SOON, |_| -> Result<(), ()> {
            tell("held");
            loop {
                std::thread::park();
            }
        });
        return;
    }
    let without_the_file: fn(&Place) =
        |place| std::fs::remove_file(place.file("state/lock")).unwrap();
    let in_another_folder: fn(&Place) = |place| {
        let (state, old) = (place.file("state"), place.file("state.old"));
        std::fs::rename(&state, &old).unwrap();
        let copy = Command::new("cp").arg("-r").args([&old, &state]).status();
        assert!(copy.unwrap().success());
    };
    for swap in [without_the_file, in_another_folder] {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::at(folder.path());
        harness_store::Workspace::init(&place.paths, start()).unwrap();
        let halves = place.open();
        let append = |wait| halves.watch.append(wait, vec![recovery("s").into()]);
        append(SOON).unwrap();
        swap(&place);
        let mut child = Killed(child(NAME, folder.path()).spawn().unwrap());
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        while lines.next().unwrap().unwrap() != "held" {}
        let busy = append(Duration::from_millis(250));
        assert!(matches!(busy, Err(StoreError::Busy { .. })), "{busy:?}");
        drop(child);
        append(SOON).unwrap();
        assert!(place.reader().audit().unwrap().ok);
    }
}
