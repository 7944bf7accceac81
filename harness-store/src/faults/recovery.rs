//! A workspace whose disk failed, and what must hold of it when it works again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use harness_sanitize::Redactor;

use super::disk::Told;
use super::operations::{Again, Operation};
use crate::fixture::{Place, SOON, opened, start, ticking};
use crate::root::Disk;
use crate::wire::Event;
use crate::{Attempts, Halves, OpenOptions, Reader, Rotation, StoreError, Workspace};

/// What an audit must say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chain {
    /// Nothing is broken.
    Whole,
    /// Nothing is broken, but that the anchor may be behind.
    PerhapsBehind,
    /// Somebody cut it.
    Cut,
}

/// A workspace in a folder, on a disk that does as it is told.
pub(super) struct Stage {
    pub(super) place: Place,
    pub(super) disk: Arc<Told>,
}

/// A folder for what a test leaves lying about: in memory where there is such a place, because
/// these tests are about which calls are made and not about what they cost.
pub(super) fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// What broke, where the anchor was not synced when the power went.
const UNANCHORED: &str = "a writer found the journal at a head that the anchor did not know";

impl Stage {
    pub(super) fn at(folder: &Path) -> Self {
        Self {
            place: Place::at(folder),
            disk: Told::new(),
        }
    }

    /// A fresh workspace in `folder`, with what `operation` wants to be there before.
    pub(super) fn before(folder: &Path, operation: &Operation) -> Self {
        let stage = Self::at(folder);
        stage.init().unwrap();
        let halves = stage.open(operation.rotation).unwrap();
        (operation.before)(&halves);
        drop(halves);
        (operation.left)(&stage);
        stage
    }

    fn dyn_disk(&self) -> Arc<dyn Disk> {
        Arc::clone(&self.disk) as Arc<dyn Disk>
    }

    pub(super) fn init(&self) -> Result<(), StoreError> {
        Workspace::init_on(&self.dyn_disk(), &self.place.paths, start())
    }

    pub(super) fn open(&self, rotation: Rotation) -> Result<Halves, StoreError> {
        /// Its patterns take longer to build than all the rest.
        static REDACTOR: LazyLock<Arc<Redactor>> =
            LazyLock::new(|| Arc::new(Redactor::patterns_only()));
        let options = OpenOptions {
            redactor: Arc::clone(&REDACTOR),
            clock: ticking(),
            lock_wait: SOON,
            rotation,
        };
        Workspace::open_on(&self.dyn_disk(), &self.place.paths, options)
    }

    pub(super) fn reader(&self) -> Reader {
        self.place.reader()
    }

    pub(super) fn file(&self, path: &str) -> PathBuf {
        self.place.file(path)
    }

    /// The bytes of the journal, all files one after the other.
    pub(super) fn journal(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for segment in self.place.segments() {
            bytes.extend(std::fs::read(segment).unwrap());
        }
        bytes.extend(std::fs::read(self.place.journal()).unwrap_or_default());
        bytes
    }

    /// Opens the workspace on a disk that works, and asserts what must hold: what was
    /// acknowledged is there, nothing is half done, the chain is whole or says where it was cut,
    /// the next write works, and so does `operation` where it can be done again. Of the journal,
    /// `acknowledged` is what had been; `done` is whether the operation had.
    pub(super) fn recovers(
        &self,
        operation: &Operation,
        done: bool,
        acknowledged: &[u8],
        chain: Chain,
        told: &str,
    ) {
        let halves = self
            .open(Rotation::default())
            .unwrap_or_else(|error| panic!("{told}: {error}"));
        assert!(self.journal().starts_with(acknowledged), "{told}: lost");
        let next = halves.watch.append(SOON, vec![opened("next").into()]);
        assert!(next.is_ok(), "{told}: {next:?}");
        let mut attempts = halves.reader.follow(Attempts::default());
        attempts.refresh().unwrap();
        assert_eq!(attempts.get().iter().count(), 0, "{told}: half resolved");
        drop(halves);
        if done {
            (operation.was_done)(self);
        }
        if done || operation.again != Again::CleansUp {
            self.holds(chain, told);
        }
        if operation.again != Again::NotTried {
            let halves = self.open(Rotation::default()).unwrap();
            let done = (operation.run)(&halves);
            assert!(done.is_ok(), "{told}, again: {done:?}");
            drop(halves);
            self.holds(chain, &format!("{told}, again"));
            (operation.was_done)(self);
        }
    }

    /// The chain, the mailbox and the folders.
    fn holds(&self, chain: Chain, told: &str) {
        let report = self.reader().audit().unwrap();
        for found in &report.breaks {
            assert!(
                chain != Chain::Whole && found.what == UNANCHORED,
                "{told}: {found:?}"
            );
        }
        assert!(chain != Chain::Cut || !report.ok, "{told}: covered up");
        assert_eq!(report.torn_bytes, 0, "{told}");
        assert_eq!(report.unreadable + report.foreign, 0, "{told}");
        let mut resolved = BTreeSet::new();
        for line in self.place.lines() {
            match line.event() {
                Some((_, Event::RepairNoticeResolved(event))) => {
                    assert!(resolved.insert(event.context.attempt), "{told}: twice");
                }
                Some((_, Event::RepairCompleted(end))) => {
                    assert!(
                        resolved.remove(&end.context.attempt),
                        "{told}: not resolved"
                    );
                }
                _ => {}
            }
        }
        assert!(resolved.is_empty(), "{told}: half resolved");
        assert_eq!(temporaries(&self.place.paths.root), 0, "{told}: left over");
    }
}

fn temporaries(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| match entry.file_type().unwrap().is_dir() {
            true => temporaries(&entry.path()),
            false => usize::from(entry.path().extension().is_some_and(|end| end == "tmp")),
        })
        .sum()
}
