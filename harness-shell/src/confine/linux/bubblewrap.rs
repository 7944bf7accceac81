//! `bwrap`: namespaces of its own, the system read-only, the workspace the one folder to write.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::Path;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};

use super::filter::{self, Metadata};
use super::launcher::Keep;
use super::means::Program;
use super::{SYSTEM, installed};
use crate::confine::{Cause, Confinement};

#[derive(Debug)]
pub(super) struct Bubblewrap {
    /// Options of the confinement.
    options: Vec<OsString>,
    file: &'static str,
    /// The program of the filter, as the kernel takes it.
    filter: File,
}

/// One run: its arguments, and the descriptor that has to stay open for it.
pub(super) struct Run {
    pub(super) arguments: Vec<OsString>,
    filter: File,
}

impl Bubblewrap {
    /// Tasks of its own, beside those of the command.
    pub(super) const TASKS: u64 = 2;

    /// Turns a confinement into its options.
    ///
    /// # Errors
    /// It is not installed, or has no option for what is asked.
    pub(super) fn prepare(confinement: &Confinement) -> Result<Self, Cause> {
        let file = installed(&["/usr/bin/bwrap", "/bin/bwrap"]).ok_or(Cause::Missing("bwrap"))?;
        if !confinement.network.is_none() {
            // It shares the whole network or none of it.
            return Err(Cause::CannotExpress("single ports or kinds of socket"));
        }
        let broken = |error: io::Error| Cause::Broken(error.to_string());
        // What may only be read is on mounts that nothing changes, modes and times included.
        let program =
            filter::compile(&confinement.network, Metadata::OfAnyPath).map_err(Cause::Broken)?;
        Ok(Self {
            options: options(confinement),
            file,
            filter: written(&program).map_err(broken)?,
        })
    }

    /// Makes ready to run `program` once.
    ///
    /// # Errors
    /// Of the system.
    pub(super) fn run(&self, program: &Program) -> io::Result<Run> {
        // A reader of its own, from the start. What the host starts meanwhile inherits it too, and
        // finds nothing in it that is not in this crate's source.
        let filter = File::open(format!("/proc/self/fd/{}", self.filter.as_raw_fd()))?;
        fcntl_setfd(&filter, FdFlags::empty())?;
        let mut arguments: Vec<OsString> = [self.file, "bwrap"].map(OsString::from).into();
        arguments.extend(self.options.iter().cloned());
        let number = filter.as_raw_fd().to_string();
        arguments.extend(["--seccomp", &number, "--"].map(OsString::from));
        arguments.push(program.file.clone());
        arguments.extend(program.words.iter().skip(1).cloned());
        Ok(Run { arguments, filter })
    }
}

impl Run {
    /// What the launcher must leave open.
    pub(super) fn keep(&self) -> Keep {
        u32::try_from(self.filter.as_raw_fd()).map_or(Keep::Nothing, Keep::One)
    }
}

fn options(confinement: &Confinement) -> Vec<OsString> {
    let mut options: Vec<OsString> = [
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        // The command is the first process of its namespace, so that the end of one is that of both.
        "--as-pid-1",
        "--cap-drop",
        "ALL",
    ]
    .map(OsString::from)
    .into();
    let reads = confinement.reads.iter().map(|path| &**path);
    for path in SYSTEM.iter().map(Path::new).chain(reads) {
        options.push("--ro-bind-try".into());
        options.extend([path.into(), path.into()]);
    }
    let workspace = confinement.workspace.path();
    options.extend(["--proc", "/proc", "--dev", "/dev", "--bind"].map(OsString::from));
    options.extend([workspace.into(), workspace.into()]);
    options.extend(["--chdir".into(), workspace.into()]);
    // Nothing may be made outside the workspace, not even in memory.
    options.extend(["--remount-ro", "/dev", "--remount-ro", "/"].map(OsString::from));
    options
}

/// A file in memory with the instructions of `program`.
fn written(program: seccompiler::BpfProgramRef<'_>) -> io::Result<File> {
    let mut file = File::from(memfd_create("filter", MemfdFlags::CLOEXEC)?);
    for instruction in program {
        file.write_all(&instruction.code.to_ne_bytes())?;
        file.write_all(&[instruction.jt, instruction.jf])?;
        file.write_all(&instruction.k.to_ne_bytes())?;
    }
    Ok(file)
}
