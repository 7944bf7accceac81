//! The tree of a command, whichever way it is held together.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;

use rustix::process::Pid;

use super::confined;
use super::namespace::Namespace;
use super::warden::{Left, Warden, Wardens};

/// What holds a tree together.
#[derive(Clone, Debug)]
pub(super) enum Bond {
    /// The Landlock domain of a thread of these.
    Domain(Arc<Wardens>),
    /// The process namespace that the command makes.
    Namespace,
}

/// The tree of one command. Dropping it ends it.
pub(super) enum Tree {
    Domain(Warden),
    Namespace(Namespace),
}

impl Tree {
    /// Starts `command`.
    ///
    /// # Errors
    /// Of the restriction or the start.
    pub(super) fn start(bond: &Bond, mut command: Command) -> io::Result<(Self, Child)> {
        match bond {
            Bond::Domain(wardens) => {
                let (warden, child) = Warden::start(Arc::clone(wardens), command)?;
                Ok((Self::Domain(warden), child))
            }
            Bond::Namespace => {
                let child = confined::spawn(&mut command)?;
                let namespace = Namespace::of(Pid::from_child(&child));
                Ok((Self::Namespace(namespace), child))
            }
        }
    }

    /// The processes of the tree, the dead that nobody has collected among them.
    ///
    /// # Errors
    /// Of the system.
    pub(super) fn members(&self) -> io::Result<Vec<Pid>> {
        match self {
            Self::Domain(warden) => warden.members(),
            Self::Namespace(namespace) => namespace.members(),
        }
    }

    /// Kills the tree, and returns when every process of it is dead; `first` was started as its
    /// first, and is collected.
    ///
    /// # Errors
    /// Where the kernel does not let one go. Then nobody waits for it.
    pub(super) fn end(self, first: &mut Child) -> io::Result<(ExitStatus, Left)> {
        match self {
            Self::Domain(warden) => warden.end(first),
            Self::Namespace(namespace) => {
                namespace.end()?;
                // The first process of a namespace collects the others.
                Ok((first.wait()?, Left::Nothing))
            }
        }
    }
}
