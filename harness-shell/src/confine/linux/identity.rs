//! Who a confined process is: never root, and without capabilities.
//!
//! Landlock does not judge `fchmod` or `utime`: what keeps a process from changing the modes and
//! times of files outside is that they are not its own.

use std::io;

use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_keep_capabilities, set_no_new_privs, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid,
};

use crate::confine::Identity;
use crate::workspace::Workspace;

/// The user and group that own nothing.
const NOBODY: u32 = 65_534;
/// Capabilities that a kernel may number.
const MAX_CAPABILITIES: u32 = 63;

/// Whether nobody may read what the workspace's modes keep from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeps {
    /// It may: Landlock says which files there are.
    Reading,
    /// It keeps no capability.
    Nothing,
}

/// The ids of a confined process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ids {
    pub(super) identity: Identity,
    pub(super) uid: u32,
    gid: u32,
    kept: CapabilitySet,
}

impl Ids {
    /// Who commands in `workspace` run as.
    pub(super) fn of(workspace: &Workspace, keeps: Keeps) -> io::Result<Self> {
        let stat = rustix::fs::fstat(workspace.handle())?;
        let nothing = CapabilitySet::empty();
        Ok(if !geteuid().is_root() {
            Self {
                identity: Identity::AsHost,
                uid: geteuid().as_raw(),
                gid: rustix::process::getegid().as_raw(),
                kept: nothing,
            }
        } else if stat.st_uid != 0 {
            Self {
                identity: Identity::Owner(stat.st_uid),
                uid: stat.st_uid,
                // Root's group owns what root's files leave to their group.
                gid: if stat.st_gid == 0 {
                    NOBODY
                } else {
                    stat.st_gid
                },
                kept: nothing,
            }
        } else {
            Self {
                identity: Identity::Nobody,
                uid: NOBODY,
                gid: NOBODY,
                kept: match keeps {
                    Keeps::Reading => CapabilitySet::DAC_READ_SEARCH,
                    Keeps::Nothing => nothing,
                },
            }
        })
    }

    /// Who the workspace of a probe is given to, if it is given away.
    pub(super) fn owner(self) -> Option<(u32, u32)> {
        (self.identity != Identity::AsHost).then_some((self.uid, self.gid))
    }

    /// Makes the calling thread this identity, for good. Its children inherit it; the other
    /// threads of the process keep theirs.
    pub(super) fn assume(self) -> io::Result<()> {
        set_no_new_privs(true)?;
        if self.identity != Identity::AsHost {
            for number in 0..=MAX_CAPABILITIES {
                let capability = CapabilitySet::from_bits_retain(1 << number);
                let is_kept = self.kept.contains(capability);
                if !is_kept && remove_capability_from_bounding_set(capability).is_err() {
                    // Past the last one that this kernel knows.
                    break;
                }
            }
            set_keep_capabilities(!self.kept.is_empty())?;
            set_thread_groups(&[])?;
            let (uid, gid) = (Uid::from_raw(self.uid), Gid::from_raw(self.gid));
            set_thread_res_gid(gid, gid, gid)?;
            set_thread_res_uid(uid, uid, uid)?;
        }
        clear_ambient_capability_set()?;
        let sets = CapabilitySets {
            effective: self.kept,
            permitted: self.kept,
            inheritable: self.kept,
        };
        set_capabilities(None, sets)?;
        for capability in self.kept {
            configure_capability_in_ambient_set(capability, true)?;
        }
        Ok(())
    }
}
