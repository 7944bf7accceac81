//! What the policy knows of programs by name.
//!
//! A name that is in none of these tables is not known, and asks.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::readers;
use super::wrappers::Wrapper;
use crate::policy::Grammar;

/// What a name means where a command stands.
pub(super) enum Known {
    /// It is refused.
    Refused(&'static str),
    /// It asks a person.
    Asks(&'static str, &'static str),
    /// It is judged by its words.
    Reader(Grammar),
    /// It runs what its words say.
    Wrapper(&'static Wrapper),
    /// It is judged by code of its own.
    Own(Own),
}

/// Programs with code of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    Cd,
    Text,
    Test,
    Export,
    Set,
    Shell,
    Eval,
    Find,
    Git,
    Remove,
    Env,
    Xargs,
}

/// Refused, and why.
const REFUSED: &[(&str, &[&str])] = &[
    (
        "takes the privileges of another user",
        &[
            "sudo", "su", "doas", "pkexec", "runuser", "sg", "newgrp", "sudoedit", "visudo",
        ],
    ),
    (
        "leaves the confinement, or enters another",
        &[
            "chroot",
            "nsenter",
            "unshare",
            "docker",
            "podman",
            "nerdctl",
            "lxc",
            "machinectl",
            "systemd-run",
            "systemd-nspawn",
            "bwrap",
            "firejail",
        ],
    ),
    (
        "changes disks or file systems",
        &[
            "mkfs",
            "mke2fs",
            "mkswap",
            "fdisk",
            "sfdisk",
            "cfdisk",
            "parted",
            "wipefs",
            "mount",
            "umount",
            "losetup",
            "cryptsetup",
            "swapon",
            "swapoff",
            "shred",
            "debugfs",
            "blkdiscard",
        ],
    ),
    (
        "stops the machine or its services, or starts others",
        &[
            "shutdown",
            "reboot",
            "halt",
            "poweroff",
            "init",
            "telinit",
            "systemctl",
            "service",
            "initctl",
            "rc-service",
            "launchctl",
            "crontab",
            "at",
            "batch",
            "atd",
        ],
    ),
    (
        "changes users, the kernel or the firewall",
        &[
            "useradd",
            "userdel",
            "usermod",
            "groupadd",
            "groupdel",
            "groupmod",
            "adduser",
            "deluser",
            "passwd",
            "chpasswd",
            "insmod",
            "rmmod",
            "modprobe",
            "kexec",
            "sysctl",
            "iptables",
            "ip6tables",
            "nft",
            "ufw",
            "setcap",
            "setfacl",
            "chattr",
            "ldconfig",
            "update-alternatives",
        ],
    ),
    (
        "opens a raw connection, by which a shell may be handed out",
        &[
            "nc", "ncat", "netcat", "socat", "telnet", "rlogin", "rsh", "rexec",
        ],
    ),
];

/// Asks, by which rule, and why.
const ASKS: &[(&str, &str, &[&str])] = &[
    (
        "general.network",
        "talks to the network",
        &[
            "curl",
            "wget",
            "fetch",
            "aria2c",
            "ssh",
            "scp",
            "sftp",
            "rsync",
            "ftp",
            "ping",
            "dig",
            "nslookup",
            "host",
            "gh",
            "aws",
            "gcloud",
            "az",
            "kubectl",
            "helm",
            "terraform",
        ],
    ),
    (
        "general.code",
        "runs code that the policy cannot read",
        &[
            "python", "python2", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua",
            "java", "make", "cmake", "ninja", "cargo", "go", "npm", "npx", "yarn", "pnpm", "pip",
            "pip3", "uv", "pytest", "tox", "mvn", "gradle", "source", ".", "vim", "vi", "ed", "ex",
            "emacs", "nano", "less", "more", "man",
        ],
    ),
    (
        "general.machine",
        "tells about the machine, not about the workspace",
        &[
            "id", "whoami", "who", "w", "last", "users", "groups", "uname", "hostname", "ps",
            "top", "pstree", "netstat", "ss", "ifconfig", "ip", "route", "arp", "lsof", "df",
            "free", "uptime", "lsblk", "lscpu", "dmesg", "printenv", "which", "whereis", "type",
            "getent",
        ],
    ),
    (
        "general.change",
        "changes or removes what is there",
        &[
            "chmod", "chown", "chgrp", "ln", "link", "unlink", "truncate", "dd", "install",
            "patch", "rename", "split", "csplit", "tar", "zip", "unzip", "gzip", "gunzip", "bzip2",
            "xz", "kill", "pkill", "killall",
        ],
    ),
];

const OWN: &[(&str, Own)] = &[
    ("cd", Own::Cd),
    ("pushd", Own::Cd),
    ("echo", Own::Text),
    ("true", Own::Text),
    ("false", Own::Text),
    (":", Own::Text),
    ("test", Own::Test),
    ("[", Own::Test),
    ("export", Own::Export),
    ("declare", Own::Export),
    ("local", Own::Export),
    ("readonly", Own::Export),
    ("typeset", Own::Export),
    ("set", Own::Set),
    ("sh", Own::Shell),
    ("bash", Own::Shell),
    ("dash", Own::Shell),
    ("zsh", Own::Shell),
    ("ksh", Own::Shell),
    ("mksh", Own::Shell),
    ("ash", Own::Shell),
    ("rbash", Own::Shell),
    ("eval", Own::Eval),
    ("find", Own::Find),
    ("git", Own::Git),
    ("rm", Own::Remove),
    ("rmdir", Own::Remove),
    ("env", Own::Env),
    ("xargs", Own::Xargs),
];

static KNOWN: LazyLock<HashMap<&'static str, Known>> = LazyLock::new(|| {
    let mut known = HashMap::new();
    for (why, names) in REFUSED {
        known.extend(names.iter().map(|name| (*name, Known::Refused(why))));
    }
    for (rule, why, names) in ASKS {
        known.extend(names.iter().map(|name| (*name, Known::Asks(rule, why))));
    }
    let readers = readers::grammars().into_iter();
    known.extend(readers.map(|grammar| (grammar.name(), Known::Reader(grammar))));
    let wrappers = super::wrappers::WRAPPERS.iter();
    known.extend(wrappers.map(|wrapper| (wrapper.name, Known::Wrapper(wrapper))));
    known.extend(OWN.iter().map(|(name, own)| (*name, Known::Own(*own))));
    known
});

/// Folders whose programs are known by their bare name.
const OF_THE_SYSTEM: &[&str] = &[
    "/bin/",
    "/sbin/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/usr/local/sbin/",
];

/// The bare name of a program of the system.
pub(super) fn bare(name: &str) -> &str {
    let bare = OF_THE_SYSTEM
        .iter()
        .find_map(|folder| name.strip_prefix(folder));
    bare.filter(|bare| !bare.contains('/')).unwrap_or(name)
}

/// What is known of a program.
pub(super) fn known(name: &str) -> Option<&'static Known> {
    // Makers of file systems have a name each.
    let name = if name.starts_with("mkfs.") {
        "mkfs"
    } else {
        name
    };
    KNOWN.get(name)
}

/// Whether a program brings in what others wrote.
pub(super) fn fetches(name: &str) -> bool {
    matches!(known(name), Some(Known::Asks("general.network", _)))
        || matches!(name, "nc" | "ncat" | "netcat" | "socat")
}

/// Variables that decide what other programs run or load, or where they send what they know.
const STEERING: &[&str] = &[
    "PATH",
    "ENV",
    "BASH_ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "IFS",
    "PS4",
    "PROMPT_COMMAND",
    "CDPATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5LIB",
    "PERL5OPT",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "HISTFILE",
    "RUSTC_WRAPPER",
    "RUSTC",
    "CC",
    "CXX",
    "HOME",
    "PWD",
];
const STEERING_PREFIXES: &[&str] = &["LD_", "DYLD_", "GIT_", "BASH_FUNC_", "NPM_CONFIG_", "SSH_"];

/// Variables that change how output looks, and nothing else.
const LOOKS: &[&str] = &[
    "LANG", "LANGUAGE", "TZ", "NO_COLOR", "COLUMNS", "LINES", "CLICOLOR",
];

/// What setting a variable means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    /// It steers programs.
    Steers,
    /// It is the script's own, or changes looks.
    Harmless,
    /// Nobody knows.
    Unknown,
}

pub(super) fn variable(name: &str) -> Variable {
    let steers = STEERING.contains(&name)
        || STEERING_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix));
    let own = name
        .bytes()
        .all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if steers {
        Variable::Steers
    } else if own || LOOKS.contains(&name) || name.starts_with("LC_") {
        Variable::Harmless
    } else {
        Variable::Unknown
    }
}
