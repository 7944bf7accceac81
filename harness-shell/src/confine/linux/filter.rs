//! The system calls that a confined process may make: a list of those allowed, by name, with the
//! reason; whatever is not on it does not exist (`ENOSYS`).
//!
//! A list of those denied would miss what the next kernel adds, and the second numbering (x32) of
//! those it names. Arguments that a filter can see are narrowed below; those behind a pointer
//! (`clone3`) it cannot see, so that call is left out and the C library falls back on `clone`.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use seccompiler::{BpfProgram, TargetArch, compile_from_json};

use super::SYSTEM;
use super::identity::Ids;
use super::search;
use crate::confine::{Grant, Network};

/// Allowed whatever the arguments are.
const ALLOWED: &[(&str, &str)] = &[
    (
        "files, which Landlock judges by path",
        "open openat openat2 creat close close_range read write readv writev pread64 pwrite64 \
         preadv pwritev preadv2 pwritev2 lseek stat fstat lstat newfstatat statx access faccessat \
         faccessat2 readlink readlinkat getdents getdents64 truncate ftruncate fallocate rename \
         renameat renameat2 link linkat symlink symlinkat unlink unlinkat mkdir mkdirat rmdir mknod \
         mknodat umask dup dup2 dup3 fcntl flock fsync fdatasync sync_file_range \
         syncfs sync statfs fstatfs sendfile splice tee copy_file_range fadvise64 readahead chdir \
         fchdir getcwd getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr",
    ),
    (
        "memory of the process itself",
        "mmap munmap mprotect mremap brk madvise msync mincore mlock munlock mlock2 membarrier \
         rseq pkey_alloc pkey_free pkey_mprotect get_mempolicy",
    ),
    (
        "programs and threads; they inherit all this",
        "fork vfork execve execveat exit exit_group wait4 waitid set_tid_address \
         set_robust_list get_robust_list futex futex_waitv arch_prctl prctl restart_syscall \
         pidfd_open sched_yield sched_getaffinity sched_getparam setsid setpgid \
         sched_getscheduler sched_get_priority_max sched_get_priority_min getpriority getcpu",
    ),
    (
        "signals, which Landlock keeps within the confinement",
        "kill tkill tgkill pidfd_send_signal rt_sigaction rt_sigprocmask rt_sigreturn \
         rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack pause alarm signalfd signalfd4",
    ),
    (
        "who one is; nothing that changes it",
        "getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp \
         getpgid getsid capget getrlimit getrusage times uname sysinfo",
    ),
    (
        "time",
        "clock_gettime clock_getres clock_nanosleep gettimeofday time nanosleep getitimer \
         setitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete \
         timerfd_create timerfd_settime timerfd_gettime",
    ),
    (
        "waiting for and talking within the tree",
        "pipe pipe2 poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait \
         epoll_pwait epoll_pwait2 eventfd eventfd2",
    ),
    ("randomness", "getrandom"),
    (
        "sockets that exist; without a grant those of `socketpair` alone do",
        "getsockname getpeername getsockopt setsockopt shutdown recvfrom recvmsg recvmmsg",
    ),
];

/// Allowed where something of the network is granted.
const ADDRESSED: &str = "bind listen connect accept accept4";

/// Allowed where every file that can be opened for reading alone belongs to somebody else: modes
/// and owners are changed by whoever owns a file, however it is open.
const OF_OPEN_FILES: &str = "fchmod fchown";

/// Allowed where what lies outside is mounted read-only.
const OF_ANY_PATH: &str = "chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime utimes \
     futimesat utimensat";

/// Allowed if every comparison holds: call, reason, comparisons of (argument, mask, value).
const NARROWED: &[(&str, &str, &[Check])] = &[
    (
        "clone",
        "no namespace of its own (CLONE_NEW*)",
        &[Check::masked(0, 0x7E02_0080, 0)],
    ),
    (
        "prlimit64",
        "its own limits, which it can lower only",
        &[Check::masked(0, 0xFFFF_FFFF, 0)],
    ),
    (
        "sched_setaffinity",
        "its own processors, not another's",
        &[Check::masked(0, 0xFFFF_FFFF, 0)],
    ),
    // A pair of datagram sockets would send to any address that it is told.
    (
        "socketpair",
        "pairs that are connected for good",
        &[Check::masked(1, SOCK_TYPE, SOCK_STREAM)],
    ),
    (
        "ioctl",
        "no typing into a terminal (TIOCSTI, TIOCLINUX), no attributes of files (FS_IOC_SETFLAGS, \
         FS_IOC_FSSETXATTR)",
        &[
            Check::not(1, 0x5412),
            Check::not(1, 0x541C),
            Check::not(1, 0x4008_6602),
            Check::not(1, 0x401C_5820),
        ],
    ),
    // MSG_FASTOPEN connects without a connect that Landlock would judge.
    (
        "sendto",
        "no MSG_FASTOPEN",
        &[Check::masked(3, MSG_FASTOPEN, 0)],
    ),
    (
        "sendmsg",
        "no MSG_FASTOPEN",
        &[Check::masked(2, MSG_FASTOPEN, 0)],
    ),
    (
        "sendmmsg",
        "no MSG_FASTOPEN",
        &[Check::masked(3, MSG_FASTOPEN, 0)],
    ),
];

/// The architecture, as the kernel's audit numbers it.
pub(super) const ARCHITECTURE: u32 = if cfg!(target_arch = "aarch64") {
    0xC000_00B7
} else {
    0xC000_003E
};
const MSG_FASTOPEN: u64 = 0x2000_0000;
const AF_UNIX: u64 = 1;
const AF_INET: u64 = 2;
const AF_INET6: u64 = 10;
const SOCK_STREAM: u64 = 1;
const SOCK_DGRAM: u64 = 2;
/// The type of a socket without its flags.
const SOCK_TYPE: u64 = 0xF;
const ANY_PROTOCOL: u64 = 0;
const IPPROTO_TCP: u64 = 6;
const IPPROTO_UDP: u64 = 17;

/// Returned for a call that is not on the list.
const ENOSYS: u32 = 38;
/// The key of the one program in what the compiler gives back.
const PROGRAM: &str = "confined";

/// Whose modes, owners and times may be changed. Landlock judges none of them: by path (`chmod`,
/// `utimes`) they could be anyone's, so these do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Metadata {
    /// Those of any file that there is: what lies outside is mounted so that nothing changes it.
    OfAnyPath,
    /// Those of any file that is open: what can only be read is somebody else's.
    OfOpenFiles,
    /// Nobody's.
    Nobodys,
}

impl Metadata {
    /// For a process with these `ids` that may also read in `reads`.
    pub(super) fn of(reads: &[PathBuf], ids: Ids) -> Self {
        let is_its_own = |folder: &&str| fs::metadata(folder).is_ok_and(|m| m.uid() == ids.uid);
        if reads.is_empty() && !SYSTEM.iter().chain(&["/usr/local"]).any(is_its_own) {
            Self::OfOpenFiles
        } else {
            Self::Nobodys
        }
    }
}

/// A comparison of an argument.
#[derive(Clone, Copy)]
struct Check {
    argument: u8,
    mask: Option<u64>,
    value: u64,
}

impl Check {
    const fn masked(argument: u8, mask: u64, value: u64) -> Self {
        Self {
            argument,
            mask: Some(mask),
            value,
        }
    }

    const fn not(argument: u8, value: u64) -> Self {
        Self {
            argument,
            mask: None,
            value,
        }
    }

    /// As the compiler reads it. The kernel looks at 32 bits of the arguments that take 32.
    fn json(self) -> String {
        let Self {
            argument,
            mask,
            value,
        } = self;
        let (width, op) = match mask {
            Some(u64::MAX) => ("qword", r#""eq""#.to_owned()),
            Some(mask) => ("dword", format!(r#"{{"masked_eq":{mask}}}"#)),
            None => ("dword", r#""ne""#.to_owned()),
        };
        format!(r#"{{"index":{argument},"type":"{width}","op":{op},"val":{value}}}"#)
    }
}

/// The filter for what is granted of the network.
///
/// # Errors
/// An architecture that is not known, or a fault of the list, in the compiler's words.
pub(super) fn compile(network: &Network, metadata: Metadata) -> Result<BpfProgram, String> {
    let [list, narrowed] = lists(network, metadata)?;
    // What the search does not understand is right all the same, and slower.
    Ok(search::halving(&list, &narrowed, ARCHITECTURE).unwrap_or(list))
}

/// One comparison after the other: all of them, and those alone that depend on arguments.
pub(super) fn lists(network: &Network, metadata: Metadata) -> Result<[BpfProgram; 2], String> {
    let mut narrowed: Vec<String> = NARROWED
        .iter()
        .map(|(name, _, checks)| rule(name, checks))
        .collect();
    narrowed.extend(sockets(network).iter().map(|checks| rule("socket", checks)));
    let addressed = if network.is_none() { "" } else { ADDRESSED };
    let modes = match metadata {
        Metadata::OfAnyPath => OF_ANY_PATH,
        Metadata::OfOpenFiles => {
            // Times of an open file, not of a path.
            narrowed.push(rule("utimensat", &[Check::masked(1, u64::MAX, 0)]));
            OF_OPEN_FILES
        }
        Metadata::Nobodys => "",
    };
    let always = ALLOWED.iter().map(|(_, names)| *names);
    let names = always.chain([addressed, modes]);
    let names = names.flat_map(str::split_whitespace);
    let mut all: Vec<String> = names
        .filter(|name| exists(name))
        .map(|name| format!(r#"{{"syscall":"{name}"}}"#))
        .collect();
    all.extend(narrowed.iter().cloned());
    Ok([program(&all)?, program(&narrowed)?])
}

fn program(rules: &[String]) -> Result<BpfProgram, String> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    let json = format!(
        r#"{{"{PROGRAM}":{{"mismatch_action":{{"errno":{ENOSYS}}},"match_action":"allow","filter":[{}]}}}}"#,
        rules.join(",")
    );
    let mut programs =
        compile_from_json(json.as_bytes(), arch).map_err(|error| error.to_string())?;
    programs
        .remove(PROGRAM)
        .ok_or_else(|| "the compiler gave no program".to_owned())
}

fn rule(name: &str, checks: &[Check]) -> String {
    let checks: Vec<String> = checks.iter().map(|check| check.json()).collect();
    format!(r#"{{"syscall":"{name}","args":[{}]}}"#, checks.join(","))
}

/// Each socket that may be made. TCP by its own protocol number only: Landlock does not see the
/// ports of another that runs over the same kind of socket.
fn sockets(network: &Network) -> Vec<Vec<Check>> {
    let socket = |family, kind, protocol| {
        vec![
            Check::masked(0, 0xFFFF_FFFF, family),
            Check::masked(1, SOCK_TYPE, kind),
            Check::masked(2, 0xFFFF_FFFF, protocol),
        ]
    };
    let mut sockets = Vec::new();
    for family in [AF_INET, AF_INET6] {
        for protocol in [ANY_PROTOCOL, IPPROTO_TCP] {
            if !network.tcp_ports.is_empty() {
                sockets.push(socket(family, SOCK_STREAM, protocol));
            }
        }
        for protocol in [ANY_PROTOCOL, IPPROTO_UDP] {
            if network.udp == Grant::Granted {
                sockets.push(socket(family, SOCK_DGRAM, protocol));
            }
        }
    }
    if network.unix == Grant::Granted {
        sockets.push(socket(AF_UNIX, SOCK_STREAM, ANY_PROTOCOL));
        sockets.push(socket(AF_UNIX, SOCK_DGRAM, ANY_PROTOCOL));
    }
    sockets
}

/// Calls that only the oldest numbering has; newer architectures have their successors alone.
fn exists(name: &str) -> bool {
    const ONLY_OLD: &str = "open creat stat lstat access readlink getdents rename link symlink \
        unlink mkdir rmdir mknod dup2 fork vfork \
        chmod chown lchown utime utimes futimesat arch_prctl getpgrp pause alarm time pipe poll select epoll_create epoll_wait eventfd \
        signalfd getrlimit";
    cfg!(target_arch = "x86_64") || !ONLY_OLD.split_whitespace().any(|old| old == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_whatever_is_granted() {
        let all = Network {
            tcp_ports: vec![443],
            udp: Grant::Granted,
            unix: Grant::Granted,
        };
        let none = compile(&Network::default(), Metadata::Nobodys).unwrap();
        let all = compile(&all, Metadata::OfOpenFiles).unwrap();
        assert!(all.len() > none.len());
    }
}
