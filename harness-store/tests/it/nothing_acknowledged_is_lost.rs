//! A process is killed in the middle of its commits; whatever it had acknowledged is there.

use std::io::{BufRead, BufReader};

use harness_store::wire::Event;

use crate::fixture::{Killed, Place, SOON, as_child, child, recovery, session, tell};

const ROUNDS: usize = 6;

#[test]
fn a_kill_loses_nothing_acknowledged() {
    if let Some(place) = as_child() {
        write_for_ever(&place);
    }
    let folder = tempfile::tempdir().unwrap();
    let place = Place::at(folder.path());
    harness_store::Workspace::init(&place.paths, crate::fixture::start()).unwrap();
    for round in 0..ROUNDS {
        let name = "nothing_acknowledged_is_lost::a_kill_loses_nothing_acknowledged";
        let mut child = Killed(child(name, folder.path()).spawn().unwrap());
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        // Let it acknowledge some, a different number each round, then kill it at work.
        let mut acknowledged = Vec::new();
        while acknowledged.len() < 5 + round * 7 {
            let line = lines.next().unwrap().unwrap();
            acknowledged.extend(line.strip_prefix("done ").map(str::to_owned));
        }
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        let rest = lines.map_while(Result::ok);
        acknowledged.extend(rest.filter_map(|line| line.strip_prefix("done ").map(str::to_owned)));

        drop(place.open());
        let report = place.reader().audit().unwrap();
        assert!(report.ok, "{:?}", report.breaks);
        assert_eq!(report.anchored, Some(true));
        let counts = count_by_session(&place);
        for name in acknowledged {
            assert_eq!(counts(&name), 3, "a commit of three, whole: {name}");
        }
    }
    for (name, count) in all_counts(&place) {
        assert_eq!(count, 3, "no commit is there in part: {name}");
    }
}

/// Commits three events at a time, each commit under a name of its own, and says so once it is
/// acknowledged.
fn write_for_ever(place: &Place) -> ! {
    let halves = place.open_rotating();
    for number in 0u64.. {
        let name = format!("{}-{number}", std::process::id());
        let events = vec![
            recovery(&name).into(),
            recovery(&name).into(),
            recovery(&name).into(),
        ];
        halves.watch.append(SOON, events).unwrap();
        tell(&format!("done {name}"));
    }
    unreachable!()
}

fn all_counts(place: &Place) -> std::collections::BTreeMap<String, usize> {
    let mut counts = std::collections::BTreeMap::new();
    for line in place.lines() {
        if let Some((_, Event::Recovery(recovery))) = line.event() {
            *counts.entry(recovery.session.to_string()).or_default() += 1;
        }
    }
    counts
}

fn count_by_session(place: &Place) -> impl Fn(&str) -> usize + use<> {
    let counts = all_counts(place);
    move |name| counts.get(session(name).as_str()).copied().unwrap_or(0)
}
