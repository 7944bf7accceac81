//! On Linux: which backends there are, and commands that run under one that has proved itself.
//!
//! | file | what |
//! |---|---|
//! | `sandbox` | a proven confinement, and commands that run in it |
//! | `means` | a backend that is ready, and what it starts |
//! | `probe` | the proof |
//! | `native` | what Landlock grants |
//! | `filter`, `search` | the system calls that exist, and how the kernel finds one fast |
//! | `identity` | who a confined process is |
//! | `domain` | a thread that gives all else up, and the end of whatever it started |
//! | `confined` | that thread, which starts commands and kills what came of them |
//! | `warden` | who has the tree of one command, from its start to its end |
//! | `roll` | which processes there may be in a tree |
//! | `launcher` | limits that are in force, and descriptors that are closed, before the command is |
//! | `tree` | who came of a command, by either way |
//! | `watch` | from start to end: output, time, memory |
//! | `keeper` | the same of a child that stays, which is fed and read meanwhile |
//! | `stream` | what a child says, read without waiting |
//! | `bubblewrap`, `firejail` | other ways to the same |
//! | `namespace` | the tree of a command that those start, and its end |

mod bubblewrap;
mod confined;
mod domain;
mod filter;
mod firejail;
mod identity;
mod keeper;
mod launcher;
mod means;
mod namespace;
mod native;
mod probe;
mod roll;
mod sandbox;
mod search;
mod stream;
mod tree;
mod warden;
mod watch;

pub use self::sandbox::Sandbox;

/// Folders and files of the system that every program needs to start.
const SYSTEM: &[&str] = &[
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/bin",
    "/sbin",
    // The dynamic linker's index, and links from a program's name to the one installed.
    "/etc/ld.so.cache",
    "/etc/alternatives",
];

/// Files that a name look-up and TLS read; granted with the network.
const SYSTEM_OF_NETWORK: &[&str] = &[
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/resolv.conf",
    "/etc/ssl",
    "/etc/ca-certificates",
];

/// The first of `places` where a program is installed that its users cannot replace.
fn installed(places: &[&'static str]) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt as _;

    /// Who beside the owner may write.
    const OTHERS: u32 = 0o022;
    let is_safe = |place: &&str| {
        std::fs::metadata(place)
            .is_ok_and(|meta| meta.is_file() && meta.uid() == 0 && meta.mode() & OTHERS == 0)
    };
    places.iter().copied().find(|place| is_safe(place))
}
