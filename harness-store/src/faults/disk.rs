//! A disk that does as it is told.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard};

use rustix::fs::{Dir, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use super::diary::{Diary, id_of};
use crate::root::{At, Disk, Kernel};

/// Which calls are asked whether they may fail, each kind among those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Calls {
    /// All of them.
    All,
    /// Those that need room.
    Growing,
    /// Those that give a file another name.
    Renames,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub(super) calls: Calls,
    /// The call, counted from 0.
    pub(super) at: usize,
    /// Whether all later ones fail too.
    pub(super) for_good: bool,
    /// How many bytes are written all the same, where it is a write.
    pub(super) keep: usize,
    pub(super) with: Errno,
}

#[derive(Debug, Default)]
struct State {
    fault: Option<Fault>,
    asked: usize,
    struck: bool,
    diary: Option<Diary>,
}

/// The disk.
#[derive(Debug, Default)]
pub(super) struct Told(Mutex<State>);

impl Told {
    pub(super) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Keeps a diary from now on.
    pub(super) fn keep_diary(&self, diary: Diary) {
        self.state().diary = Some(diary);
    }

    /// Fails from now on as told.
    pub(super) fn fail(&self, fault: Fault) {
        let mut state = self.state();
        (state.fault, state.asked, state.struck) = (Some(fault), 0, false);
    }

    /// Fails no more; says whether it did.
    pub(super) fn heal(&self) -> bool {
        let mut state = self.state();
        state.fault = None;
        state.struck
    }

    pub(super) fn take_diary(&self) -> Diary {
        self.state().diary.take().unwrap()
    }

    /// Leaves a mark in the diary.
    pub(super) fn mark(&self) {
        self.note(Diary::mark);
    }

    fn note(&self, note: impl FnOnce(&mut Diary)) {
        if let Some(diary) = &mut self.state().diary {
            note(diary);
        }
    }

    /// How many of `length` bytes a call may write, and what it fails with after them.
    fn ask(&self, class: Calls, length: usize) -> (usize, Result<(), Errno>) {
        let mut state = self.state();
        let Some(fault) = state.fault else {
            return (length, Ok(()));
        };
        if class < fault.calls {
            return (length, Ok(()));
        }
        let number = state.asked;
        state.asked += 1;
        if number == fault.at || fault.for_good && number > fault.at {
            state.struck = true;
            return (fault.keep.min(length), Err(fault.with));
        }
        (length, Ok(()))
    }

    fn may(&self, class: Calls) -> Result<(), Errno> {
        self.ask(class, 0).1
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

impl Disk for Told {
    fn open(&self, at: At<'_>, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        let is_new = flags.contains(OFlags::CREATE) && Kernel.stat(at).is_err();
        self.may(if is_new { Calls::Growing } else { Calls::All })?;
        let opened = Kernel.open(at, flags, mode)?;
        if is_new {
            let (folder, file) = (id_of(at.0), id_of(opened.as_fd()));
            self.note(|diary| diary.created(folder, at.1, file));
        }
        Ok(opened)
    }

    fn make_folder(&self, at: At<'_>, mode: Mode) -> Result<(), Errno> {
        self.may(Calls::Growing)?;
        Kernel.make_folder(at, mode)?;
        let made = Kernel.open(at, OFlags::DIRECTORY, Mode::empty())?;
        let (folder, made) = (id_of(at.0), id_of(made.as_fd()));
        self.note(|diary| diary.folder_made(folder, at.1, made));
        Ok(())
    }

    fn rename(&self, from: At<'_>, to: At<'_>, flags: RenameFlags) -> Result<(), Errno> {
        self.may(Calls::Renames)?;
        Kernel.rename(from, to, flags)?;
        let (old, new) = ((id_of(from.0), from.1), (id_of(to.0), to.1));
        self.note(|diary| diary.renamed(old, new));
        Ok(())
    }

    fn remove(&self, at: At<'_>) -> Result<(), Errno> {
        self.may(Calls::All)?;
        Kernel.remove(at)?;
        self.note(|diary| diary.removed(id_of(at.0), at.1));
        Ok(())
    }

    fn stat(&self, at: At<'_>) -> Result<Stat, Errno> {
        self.may(Calls::All)?;
        Kernel.stat(at)
    }

    fn entries(&self, folder: BorrowedFd<'_>) -> Result<Dir, Errno> {
        self.may(Calls::All)?;
        Kernel.entries(folder)
    }

    fn sync_names(&self, folder: BorrowedFd<'_>) -> Result<(), Errno> {
        self.may(Calls::Growing)?;
        self.note(|diary| diary.synced(id_of(folder)));
        Ok(())
    }

    fn read_at(&self, file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        self.may(Calls::All)?;
        Kernel.read_at(file, buffer, at)
    }

    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        let (length, outcome) = self.ask(Calls::Growing, bytes.len());
        let (at, part) = (file.metadata()?.len(), &bytes[..length]);
        Kernel.write(file, part)?;
        self.note(|diary| diary.wrote(id_of(file.as_fd()), at, part));
        Ok(outcome?)
    }

    fn write_at(&self, file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        let (length, outcome) = self.ask(Calls::All, bytes.len());
        let part = &bytes[..length];
        Kernel.write_at(file, part, at)?;
        self.note(|diary| diary.wrote(id_of(file.as_fd()), at, part));
        Ok(outcome?)
    }

    fn cut(&self, file: &File, length: u64) -> io::Result<()> {
        self.may(Calls::All)?;
        Kernel.cut(file, length)?;
        self.note(|diary| diary.cut(id_of(file.as_fd()), length));
        Ok(())
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.may(Calls::Growing)?;
        self.note(|diary| diary.synced(id_of(file.as_fd())));
        Ok(())
    }
}
