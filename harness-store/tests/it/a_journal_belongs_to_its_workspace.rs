//! A journal is one workspace's: under another's name nobody writes it, and its own is found again.

use std::path::PathBuf;

use harness_store::{Reader, StoreError, Workspace};

use crate::fixture::{Place, SOON, recovery, start};

fn identity(place: &Place) -> PathBuf {
    place.file("state/workspace.json")
}

#[test]
fn under_the_name_of_another_it_is_reported_and_the_other_is_left_alone() {
    let (one, other) = (Place::new(), Place::new());
    // One operator has them both.
    let paths = harness_store::WorkspacePaths {
        root: one.paths.root.clone(),
        config_dir: other.paths.config_dir.clone(),
    };
    let anchor = std::fs::read(other.anchor()).unwrap();
    let own = std::fs::read(identity(&one)).unwrap();
    std::fs::copy(identity(&other), identity(&one)).unwrap();
    let opened = Workspace::open(&paths, Place::options());
    assert!(
        matches!(opened, Err(StoreError::Malformed { .. })),
        "{opened:?}"
    );
    let again = Workspace::init(&paths, start());
    assert!(
        matches!(again, Err(StoreError::Malformed { .. })),
        "{again:?}"
    );
    assert!(!Reader::open(&paths).unwrap().audit().unwrap().ok);
    assert_eq!(std::fs::read(other.anchor()).unwrap(), anchor);

    std::fs::write(identity(&one), own).unwrap();
    one.open()
        .watch
        .append(SOON, vec![recovery("s").into()])
        .unwrap();
    assert!(one.reader().audit().unwrap().ok);
}

#[test]
fn without_a_name_it_gets_its_own_back_and_its_anchor_still_counts() {
    let place = Place::new();
    let own = std::fs::read(identity(&place)).unwrap();
    std::fs::remove_file(identity(&place)).unwrap();
    let whole = std::fs::read(place.journal()).unwrap();
    Workspace::init(&place.paths, start()).unwrap();
    assert_eq!(std::fs::read(identity(&place)).unwrap(), own);
    let report = place.reader().audit().unwrap();
    assert_eq!((report.ok, report.anchored), (true, Some(true)));

    // And with its tail cut beside that, it shows.
    std::fs::remove_file(identity(&place)).unwrap();
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap();
    std::fs::write(place.journal(), &whole[..=first]).unwrap();
    Workspace::init(&place.paths, start()).unwrap();
    assert!(!place.reader().audit().unwrap().ok);
}
