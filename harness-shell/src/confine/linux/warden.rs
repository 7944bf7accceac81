//! Who has one command's tree from its start to its end, by a confined thread of its own.
//!
//! Entering a domain costs as much as starting a small program, so a thread whose domain is empty
//! again waits for the next command of the same sandbox. It is empty when the command was the only
//! one left of its tree, is dead, and is collected: then there is nothing that two commands could
//! share. Of any other tree the thread ends with the call.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rustix::process::{Pid, getpid};

use super::confined::{Confined, gone};
use super::domain::Restriction;
use super::namespace::{DYING, is_dead, processes};

/// Threads that wait for a next command, at most.
const MOST_WAITING: usize = 4;

/// What a tree leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Nothing that counts.
    Nothing,
    /// Dead whom nobody has collected.
    Dead,
}

/// A restriction, and the threads that have taken it upon themselves and wait.
#[derive(Debug)]
pub(super) struct Wardens {
    pub(super) restriction: Arc<Restriction>,
    // INVARIANT: nobody is in the domain of any of them.
    waiting: Mutex<Vec<Confined>>,
}

impl Wardens {
    pub(super) fn of(restriction: Restriction) -> Self {
        Self {
            restriction: Arc::new(restriction),
            waiting: Mutex::default(),
        }
    }

    /// How many threads wait.
    pub(super) fn waiting(&self) -> usize {
        self.with_waiting(|waiting| waiting.len())
    }

    fn take(&self) -> io::Result<Confined> {
        match self.with_waiting(Vec::pop) {
            Some(confined) => Ok(confined),
            None => Confined::start(Arc::clone(&self.restriction)),
        }
    }

    /// `confined` has an empty domain.
    fn put_back(&self, confined: Confined) {
        self.with_waiting(|waiting| {
            if waiting.len() < MOST_WAITING {
                waiting.push(confined);
            }
        });
    }

    fn with_waiting<R>(&self, act: impl FnOnce(&mut Vec<Confined>) -> R) -> R {
        act(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The tree of one command. Dropping it ends it.
pub(super) struct Warden {
    home: Arc<Wardens>,
    confined: Option<Confined>,
}

impl Warden {
    /// Starts `command` under the restriction of `home`.
    ///
    /// # Errors
    /// Of the thread, the restriction or the start.
    pub(super) fn start(home: Arc<Wardens>, command: Command) -> io::Result<(Self, Child)> {
        let confined = home.take()?;
        match confined.spawn(command) {
            Ok(child) => {
                let confined = Some(confined);
                Ok((Self { home, confined }, child))
            }
            // A thread that ended before it came so far says why.
            Err(error) => Err(confined.end().err().unwrap_or(error)),
        }
    }

    /// The processes of the tree, the dead that nobody has collected among them.
    pub(super) fn members(&self) -> io::Result<Vec<Pid>> {
        let mut pids = processes()?;
        // The thread may signal its own process too, which is not of the tree.
        let own = getpid();
        pids.retain(|pid| *pid != own);
        self.confined.as_ref().ok_or_else(gone)?.members(pids)
    }

    /// Kills the tree, and returns when every process of it is dead; `first` was started as its
    /// first, and is collected. The kernel goes on counting the others until their parent collects
    /// them.
    ///
    /// # Errors
    /// Where one is still there after [`DYING`]. It is killed all the same: the kernel holds it in
    /// a call, and it will not run another instruction of its own.
    pub(super) fn end(mut self, first: &mut Child) -> io::Result<(ExitStatus, Left)> {
        let deadline = Instant::now() + DYING;
        let killed = self.confined.as_ref().ok_or_else(gone)?.kill()?;
        for one in &killed {
            let left = deadline.saturating_duration_since(Instant::now());
            if !is_dead(&one.handle, left) {
                let held = "the kernel does not let a killed process go";
                return Err(io::Error::other(held));
            }
        }
        let status = first.wait()?;
        let first = Pid::from_child(first);
        if killed.iter().any(|one| one.pid != first) {
            return Ok((status, Left::Dead));
        }
        if let Some(confined) = self.confined.take() {
            self.home.put_back(confined);
        }
        Ok((status, Left::Nothing))
    }
}

impl Drop for Warden {
    fn drop(&mut self) {
        if let Some(confined) = self.confined.take() {
            // There is nobody left to tell.
            let _ = confined.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use rustix::process::set_child_subreaper;

    use super::*;
    use crate::confine::Confinement;
    use crate::confine::linux::identity::{Ids, Keeps};
    use crate::confine::linux::native;
    use crate::workspace::Workspace;

    fn wardens() -> Arc<Wardens> {
        let folder = tempfile::tempdir().unwrap();
        let confinement = Confinement::of(Workspace::open(folder.path(), &[]).unwrap());
        let ids = Ids::of(&confinement.workspace, Keeps::Reading).unwrap();
        Arc::new(Wardens::of(native::prepare(&confinement, ids).unwrap()))
    }

    fn start(home: &Arc<Wardens>, script: &str) -> (Warden, Child) {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::null());
        Warden::start(Arc::clone(home), command).unwrap()
    }

    #[test]
    fn a_thread_is_used_again_where_its_domain_is_empty_and_nowhere_else() {
        // Nobody but this process collects orphans then, and it does not.
        set_child_subreaper(Some(getpid())).unwrap();
        let home = wardens();
        for _ in 0..3 {
            let (warden, mut first) = start(&home, ":");
            assert_eq!(home.waiting(), 0);
            assert_eq!(warden.end(&mut first).unwrap().1, Left::Nothing);
            assert_eq!(home.waiting(), 1);
        }
        let (warden, mut first) = start(&home, "sleep 1000 & :");
        first.wait().unwrap();
        assert_eq!(warden.end(&mut first).unwrap().1, Left::Dead);
        assert_eq!(home.waiting(), 0);
        let (warden, _first) = start(&home, "sleep 1000");
        drop(warden);
        assert_eq!(home.waiting(), 0);
    }

    #[test]
    fn no_more_than_a_few_threads_wait() {
        let home = wardens();
        let all: Vec<_> = (0..2 * MOST_WAITING).map(|_| start(&home, ":")).collect();
        for (warden, mut first) in all {
            warden.end(&mut first).unwrap();
        }
        assert_eq!(home.waiting(), MOST_WAITING);
    }
}
