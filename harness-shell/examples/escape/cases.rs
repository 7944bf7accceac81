//! The acts: each an attack, what gives it away, and the ordinary act beside it that must work.

use std::time::Duration;

use harness_shell::Limits;

use crate::stage::Sign;

/// Whether the attack works where nothing confines it, which shows that it is one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bare {
    /// It does.
    Works,
    /// It does for root.
    WorksForRoot,
    /// It is not tried: only limits are against it, or the kernel may have it switched off.
    Untried,
}

/// How the act is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// As one call, to its end.
    Call,
    /// As a child that stays: it says that it is there, then its handle is closed.
    Closed,
    /// The same, and its handle is dropped.
    Dropped,
}

/// One case. The scripts are Perl, which every system with these backends has.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) attack: &'static str,
    /// What gives it away.
    pub(crate) sign: Sign,
    pub(crate) bare: Bare,
    pub(crate) twin: &'static str,
    /// How both are run.
    pub(crate) way: Way,
    pub(crate) limits: fn() -> Limits,
}

const fn case(
    name: &'static str,
    attack: &'static str,
    sign: Sign,
    bare: Bare,
    twin: &'static str,
) -> Case {
    Case {
        name,
        attack,
        sign,
        bare,
        twin,
        way: Way::Call,
        limits: Limits::default,
    }
}

/// A child that stays.
const fn staying(mut case: Case, way: Way) -> Case {
    case.way = way;
    case
}

const fn within(mut case: Case, limits: fn() -> Limits) -> Case {
    case.limits = limits;
    case
}

/// All of them. In a script `{OUT}` is the folder outside and `{WORK}` the workspace, `{HOST}` and
/// `{BYSTANDER}` are processes, `{TCP}` and `{UDP}` ports of loopback, `{ABSTRACT}` is the name of a socket,
/// and `{MARK}` seconds that name a process.
pub(crate) const CASES: &[Case] = &[
    case(
        "write by path",
        "open F, '>', '{OUT}/new' or exit 1; print F 1; close F or exit 1",
        Sign::Exit0,
        Bare::Works,
        "open F, '>', 'new' or exit 1; print F 1; close F or exit 1",
    ),
    case(
        "write by symlink",
        "symlink '{OUT}/target', 'link' or exit 1; open F, '>>', 'link' or exit 1",
        Sign::Exit0,
        Bare::Works,
        "symlink 'notes', 'link' or exit 1; open F, '>>', 'link' or exit 1",
    ),
    case(
        "write by hard link",
        "link '{OUT}/target', 'hard' or exit 1; open F, '>>', 'hard' or exit 1",
        Sign::Exit0,
        Bare::Works,
        "link 'notes', 'hard' or exit 1; open F, '>>', 'hard' or exit 1",
    ),
    case(
        "rename out and over",
        "rename 'notes', '{OUT}/notes' or rename 'notes', '{OUT}/target' or exit 1",
        Sign::Exit0,
        Bare::Works,
        "rename 'notes', 'notes2' or exit 1",
    ),
    case(
        "rename in",
        "rename '{OUT}/target', 'mine' or exit 1",
        Sign::Exit0,
        Bare::Works,
        "mkdir 'd' and rename 'notes', 'd/notes' or exit 1",
    ),
    case(
        "truncate",
        "truncate '{OUT}/target', 0 or exit 1",
        Sign::Exit0,
        Bare::Works,
        "truncate 'notes', 0 or exit 1",
    ),
    case(
        "remove",
        "unlink '{OUT}/target' or exit 1",
        Sign::Exit0,
        Bare::Works,
        "unlink 'notes' or exit 1",
    ),
    case(
        "a folder swapped for a link",
        "my $swaps = fork // exit 1;
         if (!$swaps) {
             for (1..4000) { mkdir 'd'; rmdir 'd'; symlink '{OUT}', 'd'; unlink 'd' }
             exit 0;
         }
         for (1..4000) { open F, '>', 'd/race' and close F; unlink 'd/race' unless -l 'd' }
         waitpid $swaps, 0;
         exit(-e '{OUT}/race' ? 0 : 1)",
        Sign::Exit0,
        Bare::Untried,
        "mkdir 'd'; open F, '>', 'd/race' or exit 1",
    ),
    case(
        "open descriptors",
        "for my $fd (3..64) { open F, '<&=', $fd or next; print <F> and exit 0 } exit 1",
        Sign::Exit0,
        Bare::Works,
        "open F, '<&=', 0 or exit 1",
    ),
    case(
        "the parent in /proc",
        "for my $what (qw(environ root/etc/passwd cwd/Cargo.toml maps fd/0)) {
             open F, '<', \"/proc/{HOST}/$what\" and defined read F, my $x, 1 and exit 0;
         }
         exit 1",
        Sign::Exit0,
        Bare::Works,
        "$ENV{HOME} eq '{WORK}' or exit 1",
    ),
    case(
        "chmod by path",
        "chmod 0600, '{OUT}/target' or exit 1",
        Sign::Exit0,
        Bare::Works,
        "open F, '<', 'notes' or exit 1; chmod 0600, *F or exit 1",
    ),
    case(
        "fchmod",
        "open F, '<', '/usr/bin/env' or exit 1; chmod 0755, *F or exit 1",
        Sign::Exit0,
        Bare::WorksForRoot,
        "open F, '<', 'notes' or exit 1; chmod 0600, *F or exit 1",
    ),
    case(
        "utime by path",
        "utime 1, 1, '{OUT}/target' or exit 1",
        Sign::Exit0,
        Bare::Works,
        "open F, '<', 'notes' or exit 1; utime 1, 1, *F or exit 1",
    ),
    case(
        "utime of an open file",
        "open F, '<', '/usr/bin/env' or exit 1; my @s = stat F; utime @s[8, 9], *F or exit 1",
        Sign::Exit0,
        Bare::WorksForRoot,
        "open F, '<', 'notes' or exit 1; utime 1, 1, *F or exit 1",
    ),
    case(
        "chown",
        "chown $>, $) + 0, '{OUT}/target' or exit 1",
        Sign::Exit0,
        Bare::Works,
        "open F, '<', 'notes' or exit 1; chown -1, -1, *F or exit 1",
    ),
    case(
        "TCP",
        "use Socket; socket S, AF_INET, SOCK_STREAM, 0 or exit 1;
         connect S, pack_sockaddr_in({TCP}, INADDR_LOOPBACK) or exit 1",
        Sign::Exit0,
        Bare::Works,
        "use Socket; socketpair A, B, AF_UNIX, SOCK_STREAM, 0 or exit 1; syswrite A, 'x' or exit 1",
    ),
    case(
        "UDP",
        "use Socket; socket S, AF_INET, SOCK_DGRAM, 0 or exit 1;
         send S, 'x', 0, pack_sockaddr_in({UDP}, INADDR_LOOPBACK) or exit 1",
        Sign::Exit0,
        Bare::Works,
        "pipe A, B or exit 1; syswrite B, 'x' or exit 1",
    ),
    case(
        "a UNIX socket by path",
        "use Socket; socket S, AF_UNIX, SOCK_STREAM, 0 or exit 1;
         connect S, pack_sockaddr_un('{OUT}/socket') or exit 1",
        Sign::Exit0,
        Bare::Works,
        "use Socket; socketpair A, B, AF_UNIX, SOCK_STREAM, 0 or exit 1; syswrite A, 'x' or exit 1",
    ),
    case(
        "a UNIX datagram from a pair",
        "use Socket; socketpair A, B, AF_UNIX, SOCK_DGRAM, 0 or exit 1;
         send A, 'x', 0, pack_sockaddr_un('{OUT}/datagrams') or exit 1",
        Sign::Exit0,
        Bare::Works,
        "use Socket; socketpair A, B, AF_UNIX, SOCK_STREAM, 0 or exit 1; syswrite A, 'x' or exit 1",
    ),
    case(
        "an abstract UNIX socket",
        "use Socket; socket S, AF_UNIX, SOCK_STREAM, 0 or exit 1;
         connect S, pack_sockaddr_un(\"\\0{ABSTRACT}\") or exit 1",
        Sign::Exit0,
        Bare::Works,
        "pipe A, B or exit 1; syswrite B, 'x' or exit 1",
    ),
    case(
        "netlink",
        "socket S, 16, 3, 0 or exit 1",
        Sign::Exit0,
        Bare::Works,
        "pipe A, B or exit 1; syswrite B, 'x' or exit 1",
    ),
    case(
        "io_uring",
        "my $parameters = \"\\0\" x 256; exit(syscall(425, 4, $parameters) >= 0 ? 0 : 1)",
        Sign::Exit0,
        Bare::Untried,
        "open F, '<', 'notes' or exit 1; <F> or exit 1",
    ),
    case(
        "the parent's environment",
        "exit(exists $ENV{HARNESS_ESCAPE_SECRET} ? 0 : 1)",
        Sign::Exit0,
        Bare::Works,
        "exists $ENV{PATH} or exit 1",
    ),
    case(
        "~/.ssh and others' files",
        "for my $file ('{OUT}/home/.ssh/id_ed25519', '/etc/shadow', '/root/.bashrc', '/etc/passwd') {
             open F, '<', $file and <F> and exit 0;
         }
         exit 1",
        Sign::Exit0,
        Bare::Works,
        "open F, '<', 'notes' or exit 1; <F> or exit 1; -x '/usr/bin/env' or exit 1",
    ),
    case(
        "signals",
        "kill 0, {HOST} and exit 0; kill 'TERM', {BYSTANDER} and exit 0; exit 1",
        Sign::Exit0,
        Bare::Works,
        "my $p = fork // exit 1; $p or sleep 100; kill 'KILL', $p or exit 1; waitpid $p, 0",
    ),
    case(
        "ptrace",
        "exit(syscall(101, 16, {HOST}, 0, 0) == 0 ? 0 : 1)",
        Sign::Exit0,
        Bare::Untried,
        "kill 0, $$ or exit 1",
    ),
    case(
        "namespaces of its own",
        "exit(syscall(272, 0x10000000) == 0 ? 0 : 1)",
        Sign::Exit0,
        Bare::Untried,
        "my $p = fork // exit 1; $p or exit 0; waitpid $p, 0; exit($? ? 1 : 0)",
    ),
    case(
        "a raised limit",
        "my $l = pack 'QQ', 10000, 10000; exit(syscall(302, 0, 7, $l, 0) == 0 ? 0 : 1)",
        Sign::Exit0,
        Bare::WorksForRoot,
        "my $l = pack 'QQ', 10, 10; exit(syscall(302, 0, 7, $l, 0) == 0 ? 0 : 1)",
    ),
    case(
        "a background child",
        "my $p = fork // exit 1; $p or exec qw(sleep {MARK}); sleep 1",
        Sign::Survivor,
        Bare::Works,
        "my $p = fork // exit 1; $p or exit 0; waitpid $p, 0",
    ),
    case(
        "a double fork",
        "my $p = fork // exit 1; $p or do { fork and exit 0; exec qw(sleep {MARK}) }; sleep 1",
        Sign::Survivor,
        Bare::Works,
        "my $p = fork // exit 1; $p or do { fork and exit 0; exit 0 }; waitpid $p, 0",
    ),
    case(
        "setsid",
        "use POSIX; my $p = fork // exit 1; $p or do { setsid(); exec qw(sleep {MARK}) }; sleep 1",
        Sign::Survivor,
        Bare::Works,
        "my $p = fork // exit 1; $p or exit 0; waitpid $p, 0",
    ),
    case(
        "nohup",
        "$SIG{$_} = 'IGNORE' for qw(HUP TERM INT QUIT PIPE);
         my $p = fork // exit 1; $p or do { close STDOUT; close STDERR; exec qw(sleep {MARK}) }; sleep 1",
        Sign::Survivor,
        Bare::Works,
        "$SIG{HUP} = 'IGNORE'; exit 0",
    ),
    within(
        case(
            "past the time, deaf to signals",
            "$SIG{$_} = 'IGNORE' for qw(HUP TERM INT QUIT); my $p = fork // exit 1; exec qw(sleep {MARK})",
            Sign::Survivor,
            Bare::Untried,
            "exit 0",
        ),
        || Limits {
            wall: Duration::from_secs(5),
            ..Limits::default()
        },
    ),
    // Counted: sixty-four forks, each of a process that waits.
    within(
        case(
            "a fork bomb",
            "for (1..64) { my $p = fork; defined $p or exit 1; $p or sleep 100 } exit 0",
            Sign::Exit0,
            Bare::Untried,
            "for (1..4) { my $p = fork; defined $p or exit 1; $p or exit 0 } 1 while wait > 0",
        ),
        || Limits {
            processes: 16,
            ..Limits::default()
        },
    ),
    within(
        case(
            "a memory bomb",
            "my $x = 'x' x (200 << 20); exit 0",
            Sign::Exit0,
            Bare::Untried,
            "my $x = 'x' x (8 << 20); exit 0",
        ),
        small_memory,
    ),
    within(
        case(
            "a memory bomb in parts",
            "for (1..4) { my $p = fork // exit 1; $p or do { my $x = 'x' x (20 << 20); sleep 60 } }
             sleep 20; exit 0",
            Sign::Exit0,
            Bare::Untried,
            "for (1..4) { my $p = fork // exit 1; $p or exit 0 } 1 while wait > 0",
        ),
        small_memory,
    ),
    case(
        "memory that no limit counts",
        "my $n = 'x'; exit(syscall(319, $n, 0) >= 0 || syscall(29, 0, 1 << 20, 01600) >= 0 ? 0 : 1)",
        Sign::Exit0,
        Bare::Works,
        "my $x = 'x' x (1 << 20); exit 0",
    ),
    within(
        case(
            "an output flood",
            "my $x = 'x' x (1 << 20); print $x for 1..32; exit 0",
            Sign::Flood,
            Bare::Untried,
            "print 'little'; exit 0",
        ),
        || Limits {
            output_bytes: 1000,
            ..Limits::default()
        },
    ),
    within(
        case(
            "a FIFO",
            "use POSIX; mkfifo 'fifo', 0600 or exit 1; open F, '<', 'fifo'; exit 0",
            Sign::Endless,
            Bare::Untried,
            "use POSIX; mkfifo 'fifo', 0600 or exit 1; open F, '+<', 'fifo' or exit 1",
        ),
        || Limits {
            wall: Duration::from_secs(5),
            ..Limits::default()
        },
    ),
    within(
        case(
            "a sparse file",
            "$SIG{XFSZ} = 'IGNORE'; open F, '>', 'big' or exit 1; truncate F, 1 << 30 or exit 1",
            Sign::Exit0,
            Bare::Works,
            "open F, '>', 'small' or exit 1; truncate F, 1 << 16 or exit 1",
        ),
        small_files,
    ),
    within(
        case(
            "a file that grows",
            "open F, '>', 'big' or exit 1;
             for (1..64) { syswrite F, 'x' x 65536 or exit 1 } exit 0",
            Sign::Exit0,
            Bare::Works,
            "open F, '>', 'small' or exit 1; syswrite F, 'x' x 65536 or exit 1",
        ),
        small_files,
    ),
    within(
        case(
            "processor time",
            "1 while 1",
            Sign::TimedOut,
            Bare::Untried,
            "my $n = 0; $n++ for 1..1000; exit 0",
        ),
        || Limits {
            cpu: Duration::from_secs(1),
            wall: Duration::from_secs(60),
            ..Limits::default()
        },
    ),
    staying(
        case(
            "a child that stays writes by path",
            "open F, '>', '{OUT}/new' or exit 1; print F 1; close F or exit 1",
            Sign::Exit0,
            Bare::Works,
            "open F, '>', 'new' or exit 1; print F 1; close F or exit 1",
        ),
        Way::Closed,
    ),
    staying(
        case(
            "a double fork and setsid, when a child that stays is closed",
            LEAVES,
            Sign::Survivor,
            Bare::Works,
            STAYS,
        ),
        Way::Closed,
    ),
    staying(
        case(
            "a double fork and setsid, when a child that stays is dropped",
            LEAVES,
            Sign::Survivor,
            Bare::Works,
            STAYS,
        ),
        Way::Dropped,
    ),
    staying(
        case(
            "a double fork and setsid, when a child that stays has ended",
            LEAVES_AND_ENDS,
            Sign::Survivor,
            Bare::Works,
            STAYS,
        ),
        Way::Closed,
    ),
];

/// Starts somebody who leaves, deaf to signals, and says so once that one is who it will be: its
/// end of the pipe is closed by what it executes.
const LEAVES: &str =
    "use POSIX; $SIG{$_} = 'IGNORE' for qw(HUP TERM INT QUIT); pipe R, W or exit 1;
     my $p = fork // exit 1;
     $p or do { setsid(); fork and exit 0; close R; open STDOUT, '>', '/dev/null';
         exec qw(sleep {MARK}) };
     close W; <R>; waitpid $p, 0; syswrite STDOUT, \"there\\n\"; sleep 1000";

/// The same, and then it ends itself.
const LEAVES_AND_ENDS: &str = "use POSIX; pipe R, W or exit 1; my $p = fork // exit 1;
     $p or do { setsid(); fork and exit 0; close R; open STDOUT, '>', '/dev/null';
         exec qw(sleep {MARK}) };
     close W; <R>; waitpid $p, 0; syswrite STDOUT, \"there\\n\"; exit 0";

/// A child that forks twice and ends well; it ends no line, so that its end is waited for.
const STAYS: &str = "my $p = fork // exit 1; $p or do { fork and exit 0; exit 0 }; waitpid $p, 0;
     syswrite STDOUT, 'there'; exit 0";

fn small_memory() -> Limits {
    Limits {
        memory_bytes: 64 << 20,
        ..Limits::default()
    }
}

fn small_files() -> Limits {
    Limits {
        file_bytes: 1 << 20,
        ..Limits::default()
    }
}
