//! A process has a root open for writing once, by whatever path.

use harness_store::{StoreError, Workspace, WorkspacePaths};

use crate::fixture::{Place, SOON, recovery};

#[test]
fn a_second_opening_is_refused_until_the_first_is_dropped() {
    let place = Place::new();
    let halves = place.open();
    assert!(matches!(
        place.try_open(),
        Err(StoreError::AlreadyOpen { .. })
    ));
    let link = place.paths.root.with_file_name("link");
    std::os::unix::fs::symlink(&place.paths.root, &link).unwrap();
    let by_link = WorkspacePaths {
        root: link,
        ..place.paths.clone()
    };
    let second = Workspace::open(&by_link, Place::options());
    assert!(matches!(second, Err(StoreError::AlreadyOpen { .. })));
    let entries = halves.entries.clone();
    drop(halves);
    assert!(place.try_open().is_err(), "an entry log is a writer too");
    drop(entries);
    place
        .open()
        .watch
        .append(SOON, vec![recovery("s").into()])
        .unwrap();
}

#[test]
fn two_roots_are_two_workspaces() {
    let (one, two) = (Place::new(), Place::new());
    let _both = (one.open(), two.open());
}

#[test]
fn the_anchor_never_lies_in_the_root() {
    let place = Place::empty();
    let inside = WorkspacePaths {
        config_dir: place.paths.root.join("state/config"),
        ..place.paths.clone()
    };
    let refused = Workspace::init(&inside, crate::fixture::start());
    assert!(
        matches!(refused, Err(StoreError::Misplaced { .. })),
        "{refused:?}"
    );
    Workspace::init(&place.paths, crate::fixture::start()).unwrap();
}

#[test]
fn the_key_is_made_once_and_may_be_gone() {
    let place = Place::new();
    let key = place.open().key;
    Workspace::init(&place.paths, crate::fixture::start()).unwrap();
    let again = place.open().key;
    assert!(key.is_some() && key == again);
    std::fs::remove_file(place.anchor().with_file_name("key")).unwrap();
    assert_eq!(place.open().key, None);
}
