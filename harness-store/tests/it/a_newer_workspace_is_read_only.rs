//! A workspace of a newer version is read and not written.

use harness_store::{FORMAT_VERSION, StoreError, Workspace};

use crate::fixture::{Place, start};

#[test]
fn it_is_read_and_not_written() {
    let place = Place::new();
    let file = place.file("state/workspace.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let newer = text.replace("\"version\": 1", "\"version\": 2");
    assert_ne!(text, newer);
    std::fs::write(&file, newer).unwrap();
    let before = std::fs::read(place.journal()).unwrap();
    assert_eq!(
        place.try_open().unwrap_err(),
        StoreError::Newer { version: 2 }
    );
    let again = Workspace::init(&place.paths, start());
    assert_eq!(again, Err(StoreError::Newer { version: 2 }));
    let reader = place.reader();
    assert_eq!(reader.version(), 2);
    assert_eq!(reader.newest(10).unwrap().len(), 2);
    assert!(reader.audit().unwrap().ok);
    assert_eq!(std::fs::read(place.journal()).unwrap(), before);
}

#[test]
fn its_own_version_is_written() {
    let place = Place::new();
    assert_eq!(place.reader().version(), FORMAT_VERSION);
    drop(place.open());
    Workspace::init(&place.paths, start()).unwrap();
}
