//! Whoever holds the lock and stops costs the others their deadline, not their life.

use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

use harness_store::{EntryEvent, StoreError, Tx};

use crate::fixture::{Killed, Place, SOON, as_child, child, recovery, start, tell};

const NAME: &str = "a_stopped_holder_yields_busy::in_another_process";

/// What a toolset grants an entry.
const SHORT: Duration = Duration::from_millis(250);

#[test]
fn in_another_process() {
    if let Some(place) = as_child() {
        hold_the_lock(&place);
    }
    let folder = tempfile::tempdir().unwrap();
    let place = Place::at(folder.path());
    harness_store::Workspace::init(&place.paths, start()).unwrap();
    let halves = place.open();
    let mut child = Killed(child(NAME, folder.path()).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    while lines.next().unwrap().unwrap() != "held" {}

    let began = Instant::now();
    let refused = halves.watch.append(SHORT, vec![recovery("s").into()]);
    assert!(
        matches!(refused, Err(StoreError::Busy { .. })),
        "{refused:?}"
    );
    let ran = halves
        .entries
        .commit(SHORT, |_: &mut Tx<'_, EntryEvent>| Ok::<_, ()>(()));
    assert!(matches!(ran, Err(StoreError::Busy { .. })), "{ran:?}");
    assert!(
        began.elapsed() < SOON,
        "it waits no longer than its deadlines"
    );
    assert!(
        halves.reader.newest(10).unwrap().len() > 1,
        "reading goes on"
    );

    child.0.kill().unwrap();
    child.0.wait().unwrap();
    halves
        .watch
        .append(SOON, vec![recovery("s").into()])
        .unwrap();
    drop(halves);
    let kinds = place.kinds();
    assert_eq!(
        kinds.iter().filter(|kind| *kind == "recovery").count(),
        1,
        "given up is given up"
    );
    assert!(place.reader().audit().unwrap().ok);
}

/// Takes the lock in a job and never lets go.
fn hold_the_lock(place: &Place) -> ! {
    let halves = place.open();
    let never = halves.watch.commit(SOON, |_| -> Result<(), ()> {
        tell("held");
        loop {
            std::thread::park();
        }
    });
    unreachable!("{never:?}")
}
