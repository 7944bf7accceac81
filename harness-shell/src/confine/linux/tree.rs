//! The tree of a command, whichever way it is held together.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;

use rustix::process::Pid;

use super::domain::Restriction;
use super::namespace::Namespace;
use super::warden::{self, Left, Warden};

/// What holds a tree together.
#[derive(Clone, Debug)]
pub(super) enum Bond {
    /// The Landlock domain of the thread that takes this upon itself.
    Domain(Arc<Restriction>),
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
            Bond::Domain(restriction) => {
                let (warden, child) = Warden::start(Arc::clone(restriction), command)?;
                Ok((Self::Domain(warden), child))
            }
            Bond::Namespace => {
                let child = warden::spawn(&mut command)?;
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
        let left = match self {
            Self::Domain(warden) => warden.end(Pid::from_child(first))?,
            // The first process of a namespace collects the others.
            Self::Namespace(namespace) => namespace.end().map(|()| Left::Nothing)?,
        };
        Ok((first.wait()?, left))
    }
}
