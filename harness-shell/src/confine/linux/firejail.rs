//! `firejail`: a program that becomes root to make namespaces, then gives that up.
//!
//! It names what is hidden, not what is shown. So at the time of preparing every folder at the root
//! that is not granted is hidden, and the one that holds the workspace shows nothing else.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path};

use super::installed;
use super::means::Program;
use crate::confine::{Cause, Confinement};

/// What stays in sight at the root: the system's programs, and what it makes anew itself.
const SHOWN: &[&str] = &[
    "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "run", "sbin", "usr",
];

/// Beside those that it denies by itself: every socket, and memory that no limit counts.
const DENIED: &str = "--seccomp=socket,io_uring_setup,io_uring_enter,io_uring_register,\
    memfd_create,memfd_secret,shmget,shmat,mq_open,msgget,semget";

/// Variables that it adds.
const ADDED: &[&str] = &[
    "FIREJAIL_QUIET",
    "KDE_FORK_SLAVES",
    "PROMPT_COMMAND",
    "QML_DISABLE_DISK_CACHE",
    "QT_X11_NO_MITSHM",
    "SHELL",
    "container",
];

#[derive(Debug)]
pub(super) struct Firejail {
    options: Vec<OsString>,
    file: &'static str,
}

impl Firejail {
    /// Tasks of its own, beside those of the command.
    pub(super) const TASKS: u64 = 8;

    /// Turns a confinement into its options.
    ///
    /// # Errors
    /// It is not installed, or has no option for what is asked.
    pub(super) fn prepare(confinement: &Confinement) -> Result<Self, Cause> {
        let file = installed(&["/usr/bin/firejail"]).ok_or(Cause::Missing("firejail"))?;
        if !confinement.network.is_none() {
            return Err(Cause::CannotExpress("single ports or kinds of socket"));
        }
        if !confinement.reads.is_empty() {
            return Err(Cause::CannotExpress("further folders to read"));
        }
        let workspace = confinement.workspace.path();
        let path = plain(workspace).ok_or(Cause::CannotExpress("the workspace's path"))?;
        let top = workspace
            .components()
            .find_map(|component| match component {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .ok_or(Cause::CannotExpress("the workspace's path"))?;
        let mut options: Vec<String> = [
            "--quiet",
            "--noprofile",
            "--net=none",
            "--ipc-namespace",
            "--caps.drop=all",
            "--nonewprivs",
            "--nogroups",
            "--noroot",
            "--restrict-namespaces",
            DENIED,
            "--deterministic-exit-code",
            "--deterministic-shutdown",
            "--private-dev",
            "--private-etc=ld.so.cache,alternatives",
            // Of `/run` nothing is shown but its own.
            "--whitelist=/run/firejail/lib",
        ]
        .map(str::to_owned)
        .into();
        options.extend(hidden(top)?);
        options.push(format!("--whitelist={path}"));
        for folder in ["/", "/dev", &format!("/{top}")] {
            options.push(format!("--read-only={folder}"));
        }
        options.push(format!("--read-write={path}"));
        options.push(format!("--private-cwd={path}"));
        Ok(Self {
            options: options.into_iter().map(OsString::from).collect(),
            file,
        })
    }

    /// What to execute for `program`, as the launcher takes it.
    pub(super) fn arguments(&self, program: &Program) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = [self.file, "firejail"].map(OsString::from).into();
        arguments.extend(self.options.iter().cloned());
        arguments.extend(["--", "/usr/bin/env"].map(OsString::from));
        arguments.extend(ADDED.iter().map(|name| format!("--unset={name}").into()));
        arguments.push("--".into());
        arguments.push(program.file.clone());
        arguments.extend(program.words.iter().skip(1).cloned());
        arguments
    }
}

/// Options that hide what lies at the root and is not granted.
fn hidden(top: &str) -> Result<Vec<String>, Cause> {
    let unreadable = |error: std::io::Error| Cause::Broken(error.to_string());
    let mut options = Vec::new();
    for entry in fs::read_dir("/").map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default();
        if name == top || SHOWN.iter().any(|shown| name == *shown) {
            continue;
        }
        let path = plain(&path).ok_or(Cause::CannotExpress("a name at the root"))?;
        options.push(format!("--blacklist={path}"));
    }
    Ok(options)
}

/// A path that it takes literally.
fn plain(path: &Path) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    path.to_str().filter(|path| path.chars().all(is_plain))
}
