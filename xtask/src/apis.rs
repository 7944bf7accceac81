//! What a crate can do to the world, told from its text.
//!
//! The scan finds names. It does not see a method called on a value (`file.write_all`), but it
//! sees where that file was opened for writing; and it reads neither the text of outside crates
//! nor what a macro writes. The list of outside crates is the other half of the answer.

use crate::source;
use crate::tree::{Member, Tree};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Names that say one kind of use.
pub(crate) struct Kind {
    /// The section of the surface file.
    pub(crate) name: &'static str,
    /// Why a reviewer wants to know.
    pub(crate) reason: &'static str,
    needles: &'static [&'static str],
}

/// Every kind that is looked for.
pub(crate) const KINDS: &[Kind] = &[
    Kind {
        name: "unsafe",
        reason: "the compiler's guarantees end here",
        needles: &["unsafe"],
    },
    Kind {
        name: "process",
        reason: "starts or ends a process, or changes the limits and rights of one",
        needles: &[
            "CommandExt",
            "process as",
            "process::*",
            "process::Command",
            "process::abort",
            "process::exit",
            "rustix::process",
            "rustix::runtime",
            "rustix::thread",
            "tokio::process",
        ],
    },
    Kind {
        name: "network",
        reason: "bytes may leave or enter the machine",
        needles: &[
            "TcpListener",
            "TcpStream",
            "ToSocketAddrs",
            "UdpSocket",
            "UnixDatagram",
            "UnixListener",
            "UnixStream",
            "hyper",
            "net as",
            "net::*",
            "reqwest",
            "rustix::net",
            "tokio::net",
        ],
    },
    Kind {
        name: "file_write",
        reason: "creates, changes, moves or deletes files; opening by flags counts, they decide",
        needles: &[
            "DirBuilder",
            "File as",
            "File::create",
            "File::create_new",
            "File::options",
            "OFlags",
            "OpenOptions",
            "chmodat",
            "fallocate",
            "fchmod",
            "fs as",
            "fs::*",
            "fs::copy",
            "fs::create_dir",
            "fs::create_dir_all",
            "fs::hard_link",
            "fs::remove_dir",
            "fs::remove_dir_all",
            "fs::remove_file",
            "fs::rename",
            "fs::set_permissions",
            "fs::write",
            "ftruncate",
            "linkat",
            "memfd_create",
            "mkdirat",
            "mknodat",
            "openat",
            "openat2",
            "renameat",
            "renameat_with",
            "set_len",
            "symlink",
            "symlinkat",
            "tempfile",
            "tokio::fs",
            "unlinkat",
            "utimensat",
        ],
    },
    Kind {
        name: "environment",
        reason: "depends on, or changes, what surrounds the process",
        needles: &[
            "env =",
            "env as",
            "env::*",
            "env::args",
            "env::args_os",
            "env::current_dir",
            "env::current_exe",
            "env::home_dir",
            "env::remove_var",
            "env::set_current_dir",
            "env::set_var",
            "env::temp_dir",
            "env::var",
            "env::var_os",
            "env::vars",
            "env::vars_os",
        ],
    },
    Kind {
        name: "clock",
        reason: "the result depends on when it runs; waiting counts",
        needles: &[
            "Instant as",
            "Instant::now",
            "SystemTime as",
            "SystemTime::now",
            "UNIX_EPOCH",
            "rustix::time",
            "thread::sleep",
            "time::interval",
            "time::sleep",
            "time::timeout",
        ],
    },
];

/// What the non-test text under a crate's `src` (and its build script) uses: for each kind, one
/// `file: name` for each name in each file.
pub(crate) fn of_crate(
    tree: &Tree,
    files: &[PathBuf],
    member: &Member,
) -> Result<BTreeMap<&'static str, BTreeSet<String>>> {
    let mut texts = Vec::new();
    let mut for_tests_only = BTreeSet::new();
    for file in files {
        let Ok(within) = file.strip_prefix(&member.folder) else {
            continue;
        };
        if !(within.starts_with("src") || within == Path::new("build.rs")) {
            continue;
        }
        let code = source::code(&tree.read(file)?);
        let (code, modules) = source::without_tests(&code);
        for module in modules {
            for_tests_only.insert(submodules(within).join(module));
        }
        texts.push((within.to_path_buf(), code));
    }
    let mut found: BTreeMap<_, _> = KINDS.iter().map(|k| (k.name, BTreeSet::new())).collect();
    for (within, code) in texts {
        if for_tests_only
            .iter()
            .any(|module| within.starts_with(module))
            || for_tests_only.contains(&within.with_extension(""))
        {
            continue;
        }
        for (kind, needle) in uses(&code) {
            let entry = format!("{}: {needle}", within.display());
            found.entry(kind).or_default().insert(entry);
        }
    }
    Ok(found)
}

/// Each kind and name that a stripped text uses.
fn uses(code: &str) -> Vec<(&'static str, &'static str)> {
    let imports = source::imports(code).join("\n");
    let mut found = Vec::new();
    for kind in KINDS {
        for needle in kind.needles {
            if source::has_word(code, needle) || source::has_word(&imports, needle) {
                found.push((kind.name, *needle));
            }
        }
    }
    found
}

/// The folder in which the modules that `file` declares lie.
fn submodules(file: &Path) -> PathBuf {
    let stem = file.file_stem().and_then(|stem| stem.to_str());
    match stem {
        Some("lib" | "main" | "mod") => file.parent().map(Path::to_path_buf).unwrap_or_default(),
        _ => file.with_extension(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_found_under_every_spelling() {
        for (text, kind) in [
            ("unsafe { f() }", "unsafe"),
            ("std::process::Command::new(a)", "process"),
            ("use std::process::{ExitCode, Command as C};", "process"),
            ("use std::{net::{TcpStream as S}};", "network"),
            ("std::fs::write(a, b)", "file_write"),
            ("use std::fs::{read, write as w};", "file_write"),
            ("use std::fs as files;", "file_write"),
            ("use std::fs::*;", "file_write"),
            ("use rustix::fs::{OFlags, openat2};", "file_write"),
            ("use std::{env::{self as e}};", "environment"),
            ("#[arg(long, env = x)]", "environment"),
            ("use std::time::Instant as Clock;", "clock"),
            ("let f = Instant::now;", "clock"),
        ] {
            let kinds: Vec<_> = uses(text).into_iter().map(|(kind, _)| kind).collect();
            assert!(kinds.contains(&kind), "{text}: {kinds:?}");
        }
    }

    #[test]
    fn harmless_text_is_not() {
        for text in [
            "#![forbid(unsafe_code)]",
            "use std::process::ExitCode;",
            "use std::net::IpAddr;",
            "fs::read(a)",
            "use std::time::{Duration, Instant};",
            "let command = clap::Command::new(a);",
            "// unsafe",
        ] {
            assert_eq!(uses(&source::code(text)), [], "{text}");
        }
    }

    #[test]
    fn names_are_sorted_and_listed_once() {
        for kind in KINDS {
            assert!(kind.needles.is_sorted(), "{}", kind.name);
        }
    }
}
