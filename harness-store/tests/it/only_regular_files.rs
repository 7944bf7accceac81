//! A symlink, a hard link, a pipe or a folder where a file of ours belongs is refused by name;
//! nothing is read or written through it.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use harness_store::{FileKind, StoreError};

use crate::fixture::{Place, SOON, notice, opened, recovery, turn};

fn refused<T: std::fmt::Debug>(outcome: Result<T, StoreError>, wanted: FileKind) {
    match outcome {
        Err(StoreError::Refused { kind, path }) => {
            assert_eq!(kind, wanted, "{path}");
        }
        other => panic!("{other:?}"),
    }
}

/// Puts something in the way of the journal and expects opening and reading to refuse it.
fn in_the_way(kind: FileKind, put: impl FnOnce(&Path, &Path)) {
    let place = Place::new();
    let outside = tempfile::NamedTempFile::new().unwrap();
    let kept = std::fs::read(place.journal()).unwrap();
    std::fs::write(outside.path(), &kept).unwrap();
    std::fs::remove_file(place.journal()).unwrap();
    put(&place.journal(), outside.path());
    refused(place.try_open(), kind);
    refused(place.reader().newest(1), kind);
    assert_eq!(
        std::fs::read(outside.path()).unwrap(),
        kept,
        "nothing was written through it"
    );
}

#[test]
fn a_symlink() {
    in_the_way(FileKind::Symlink, |journal, outside| {
        symlink(outside, journal).unwrap()
    });
}

#[test]
fn a_hard_link() {
    in_the_way(FileKind::HardLink, |journal, outside| {
        let near = journal.with_file_name("other");
        std::fs::copy(outside, &near).unwrap();
        std::fs::hard_link(near, journal).unwrap();
    });
}

#[test]
fn a_pipe_does_not_hang_anybody() {
    in_the_way(FileKind::Pipe, |journal, _| {
        let made = std::process::Command::new("mkfifo")
            .arg(journal)
            .status()
            .unwrap();
        assert!(made.success());
    });
}

#[test]
fn a_folder() {
    in_the_way(FileKind::Folder, |journal, _| {
        std::fs::create_dir(journal).unwrap()
    });
}

#[test]
fn a_folder_named_like_a_temporary_file_is_in_nobodys_way() {
    let place = Place::new();
    for name in [
        "rules.md.0123456789abcdef.tmp",
        "state/lock.0123456789abcdef.tmp",
    ] {
        std::fs::create_dir(place.file(name)).unwrap();
    }
    let left = place.file("rules.jsonl.0123456789abcdef.tmp");
    std::fs::write(&left, "").unwrap();
    drop(place.open());
    assert!(!left.exists(), "what can be swept is swept");
}

#[test]
fn a_symlinked_folder_leads_nowhere() {
    let place = Place::new();
    let outside = tempfile::tempdir().unwrap();
    let halves = place.open();
    halves.watch.open_session(opened("s")).unwrap();
    let pending = place.file("mailbox/pending");
    std::fs::remove_dir(&pending).unwrap();
    symlink(outside.path(), &pending).unwrap();
    let record = turn(
        "s",
        0,
        vec![notice("n-1", "s", 0, "breach:tool_correctness")],
    );
    let outcome = halves.watch.record_turn(record).unwrap();
    let harness_store::TurnOutcome::Recorded { files, .. } = outcome else {
        panic!("{outcome:?}");
    };
    assert!(files.is_err());
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    // The folder back in its place, the file is written after all.
    std::fs::remove_file(&pending).unwrap();
    std::fs::create_dir(&pending).unwrap();
    halves.watch.record_turn(turn("s", 1, Vec::new())).unwrap();
    assert!(place.file("mailbox/pending/n-1.json").exists());
}

#[test]
fn what_is_made_is_private() {
    let place = Place::new();
    let halves = place.open();
    halves
        .watch
        .append(SOON, vec![recovery("s").into()])
        .unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for file in [
        place.journal(),
        place.anchor(),
        place.anchor().with_file_name("key"),
    ] {
        assert_eq!(mode(&file), 0o600, "{file:?}");
    }
    for folder in [
        place.paths.root.clone(),
        place.file("mailbox/pending"),
        place.file("state"),
    ] {
        assert_eq!(mode(&folder), 0o700, "{folder:?}");
    }
}
