//! A thread that gives everything up, and the end of whatever it starts.
//!
//! Landlock, seccomp, no-new-privileges and ids belong to a thread, not to a process: one thread
//! restricts itself and starts the child, which inherits that; the rest of the host stays as it
//! was. The child and all that come of it share the thread's Landlock domain, and from Linux 6.12
//! on a domain can be closed to signals: from inside, one can signal nothing outside. So the same
//! thread can say "kill everything" (`kill(-1)`), and the kernel reads it as "everything of this
//! domain". It does so under the lock that forking needs: no double fork, no `setsid` and no fork
//! bomb outruns it, and nothing has to be searched for.

use std::io;
use std::marker::PhantomData;
use std::thread;

use landlock::{
    CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, RulesetCreated, RulesetError,
    RulesetStatus, Scope,
};
use rustix::process::{Pid, Signal, getppid, kill_process_group, test_kill_process};
use seccompiler::BpfProgram;

use super::identity::Ids;

/// What a thread takes upon itself.
#[derive(Debug)]
pub(super) struct Restriction {
    pub(super) ids: Ids,
    // INVARIANT: closed to signals; made by `closed` and nothing else.
    pub(super) ruleset: RulesetCreated,
    /// The system calls of the thread and its children.
    pub(super) filter: BpfProgram,
}

/// A ruleset that closes a domain to signals, or nothing.
///
/// # Errors
/// The kernel cannot.
pub(super) fn closed() -> Result<Ruleset, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::Signal)
}

/// The proof that the thread which holds it has entered a closed domain.
// INVARIANT: bound to its thread (it is neither `Send` nor `Sync`), made by `enter` alone.
pub(super) struct Domain(PhantomData<*const ()>);

impl Restriction {
    /// Restricts the calling thread, for good. The order matters: each step leaves the next
    /// possible.
    pub(super) fn enter(&self) -> io::Result<Domain> {
        self.ids.assume()?;
        let status = self
            .ruleset
            .try_clone()?
            .restrict_self()
            .map_err(io::Error::other)?;
        if status.ruleset != RulesetStatus::FullyEnforced || !status.no_new_privs {
            return Err(io::Error::other("Landlock enforces less than was asked"));
        }
        seccompiler::apply_filter(&self.filter).map_err(io::Error::other)?;
        // Seen, not believed: whoever started the host is outside.
        match getppid().map(test_kill_process) {
            Some(Ok(())) => Err(io::Error::other("the Landlock domain is open to signals")),
            Some(Err(_)) | None => Ok(Domain(PhantomData)),
        }
    }

    /// Runs `act` in a thread that has given up everything else.
    ///
    /// # Errors
    /// Of the thread or the restriction; then `act` has not run.
    pub(super) fn within<T: Send>(&self, act: impl FnOnce() -> T + Send) -> io::Result<T> {
        thread::scope(|scope| {
            let confined = thread::Builder::new()
                .name("confined".to_owned())
                .spawn_scoped(scope, || self.enter().map(|_domain| act()))?;
            confined
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("the confined thread panicked")))
        })
    }
}

impl Domain {
    /// Kills every process of the domain at once. The thread's own process is no target.
    pub(super) fn kill_all(&self) {
        // `kill(-1)`. That there is nobody left to kill is no failure.
        let _ = kill_process_group(Pid::INIT, Signal::KILL);
    }

    /// Whether `pid` is of the domain: nobody else can be signalled from here.
    pub(super) fn holds(&self, pid: Pid) -> bool {
        test_kill_process(pid).is_ok()
    }
}
