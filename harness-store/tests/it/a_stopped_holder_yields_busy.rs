//! Whoever holds the lock and is stopped costs the others their deadline, not their life; and where
//! it is woken it goes on.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use harness_store::{EntryEvent, Halves, StoreError, Tx};
use rustix::process::{Pid, Signal, kill_process};

use crate::fixture::{Killed, Place, SOON, as_child, child, opened, recovery, start, tell};

/// What a toolset grants an entry.
const SHORT: Duration = Duration::from_millis(250);

/// A process that holds the lock and is stopped.
struct Stopped {
    child: Killed,
    stdin: ChildStdin,
    /// Closed, it would break what the test harness has to say at the end.
    _stdout: Lines<BufReader<ChildStdout>>,
}

impl Stopped {
    /// Starts a copy of `test` on the place's workspace and stops it.
    fn at(place: &Place, test: &str) -> Self {
        let folder = place.paths.root.parent().unwrap();
        let mut child = Killed(child(test, folder).spawn().unwrap());
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        while lines.next().unwrap().unwrap() != "held" {}
        let stdin = child.0.stdin.take().unwrap();
        let stopped = Self {
            child,
            stdin,
            _stdout: lines,
        };
        stopped.send(Signal::STOP);
        stopped
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child.0), signal).unwrap();
    }
}

/// Takes the lock in a job, and lets go once there is a line to read.
fn hold_the_lock(place: &Place) {
    let halves = place.open();
    let held = halves.watch.commit(SOON, |tx| {
        tell("held");
        std::io::stdin()
            .lock()
            .read_line(&mut String::new())
            .unwrap();
        tx.commit(vec![opened("held").into()])
    });
    held.unwrap().unwrap();
}

fn is_busy(halves: &Halves) {
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
}

/// What was given up is given up; what came after the stop is there.
fn is_there_once(place: &Place, halves: Halves) {
    halves
        .watch
        .append(SOON, vec![recovery("s").into()])
        .unwrap();
    drop(halves);
    let count = |kind: &str| place.kinds().iter().filter(|other| *other == kind).count();
    assert_eq!(count("recovery"), 1);
    assert!(place.reader().audit().unwrap().ok);
}

#[test]
fn and_is_killed() {
    if let Some(place) = as_child() {
        return hold_the_lock(&place);
    }
    let folder = tempfile::tempdir().unwrap();
    let place = Place::at(folder.path());
    harness_store::Workspace::init(&place.paths, start()).unwrap();
    let halves = place.open();
    let mut holder = Stopped::at(&place, "a_stopped_holder_yields_busy::and_is_killed");
    is_busy(&halves);
    holder.child.0.kill().unwrap();
    holder.child.0.wait().unwrap();
    is_there_once(&place, halves);
    assert!(!place.kinds().contains(&"session_opened".to_owned()));
}

#[test]
fn and_is_woken() {
    if let Some(place) = as_child() {
        return hold_the_lock(&place);
    }
    let folder = tempfile::tempdir().unwrap();
    let place = Place::at(folder.path());
    harness_store::Workspace::init(&place.paths, start()).unwrap();
    let halves = place.open();
    let mut holder = Stopped::at(&place, "a_stopped_holder_yields_busy::and_is_woken");
    is_busy(&halves);
    holder.send(Signal::CONT);
    writeln!(holder.stdin).unwrap();
    assert!(holder.child.0.wait().unwrap().success());
    is_there_once(&place, halves);
    assert!(place.kinds().contains(&"session_opened".to_owned()));
}
