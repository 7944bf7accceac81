//! What stands between the start and the command: limits are put on and descriptors are closed
//! before the command's first instruction.
//!
//! Limits belong to a process, so the thread that starts the child cannot take them upon itself,
//! and whatever is done to a child after its start is done too late. So the child first becomes a
//! program that makes a fixed list of system calls and then becomes the command. A tool of the
//! system could do that (`prlimit`), for the price of a second dynamic link; this one is an ELF
//! file of some hundred bytes that lives in memory, written here. The list is data; the code that
//! goes through it is the same each time, and is spelled out below, instruction by instruction.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::PathBuf;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Resource, getrlimit};

use crate::confine::Limits;

/// Goes through the list, then executes its first argument with the rest as its arguments.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const CODE: &[&[u8]] = &[
    &[0x49, 0x89, 0xE4],             //        mov  r12, rsp         argc, argv, envp
    &[0x48, 0x8D, 0x1D, 75, 0, 0, 0], //       lea  rbx, [rip + 75]  the list, behind the code
    &[0x48, 0x8B, 0x03],             // next:  mov  rax, [rbx]       number of the call
    &[0x48, 0x85, 0xC0],             //        test rax, rax
    &[0x78, 29],                     //        js   exec             the end of the list
    &[0x48, 0x8B, 0x7B, 0x08],       //        mov  rdi, [rbx + 8]
    &[0x48, 0x8B, 0x73, 0x10],       //        mov  rsi, [rbx + 16]
    &[0x48, 0x8B, 0x53, 0x18],       //        mov  rdx, [rbx + 24]
    &[0x4C, 0x8B, 0x53, 0x20],       //        mov  r10, [rbx + 32]
    &[0x0F, 0x05],                   //        syscall
    &[0x48, 0x85, 0xC0],             //        test rax, rax
    &[0x75, 32],                     //        jnz  fail
    &[0x48, 0x83, 0xC3, 0x28],       //        add  rbx, 40
    &[0xEB, 0xDB],                   //        jmp  next
    &[0x49, 0x8B, 0x04, 0x24],       // exec:  mov  rax, [r12]       argc
    &[0x49, 0x8D, 0x54, 0xC4, 0x10], //        lea  rdx, [r12 + rax * 8 + 16]   envp
    &[0x49, 0x8B, 0x7C, 0x24, 0x10], //        mov  rdi, [r12 + 16]  the file
    &[0x49, 0x8D, 0x74, 0x24, 0x18], //        lea  rsi, [r12 + 24]  its name and arguments
    &[0xB8, 59, 0, 0, 0],            //        mov  eax, 59          execve
    &[0x0F, 0x05],                   //        syscall               comes back only on failure
    &[0xBF, 126, 0, 0, 0],           // fail:  mov  edi, 126         as shells say: it cannot be executed
    &[0xB8, 231, 0, 0, 0],           //        mov  eax, 231         exit_group
    &[0x0F, 0x05],                   //        syscall
];
/// There is none for this processor yet.
#[cfg(not(target_arch = "x86_64"))]
const CODE: &[&[u8]] = &[];

/// Whether there is a launcher for this processor.
pub(super) const IS_THERE: bool = !CODE.is_empty();

/// Numbers of the system calls, as the kernel for this processor has them.
mod number {
    pub(super) const PRCTL: u64 = 157;
    pub(super) const PRLIMIT: u64 = 302;
    pub(super) const CLOSE_RANGE: u64 = 436;
}

/// Numbers of the limits.
mod limit {
    pub(super) const CPU: u64 = 0;
    pub(super) const FSIZE: u64 = 1;
    pub(super) const DATA: u64 = 2;
    pub(super) const CORE: u64 = 4;
    pub(super) const NPROC: u64 = 6;
    pub(super) const NOFILE: u64 = 7;
}

/// `prctl`: a signal for when the thread that started the child dies.
const SET_PARENT_DEATH_SIGNAL: u64 = 1;
const SIGKILL: u64 = 9;
/// The first descriptor behind the three streams.
const FIRST: u64 = 3;
/// What ends the list.
const END: u64 = u64::MAX;

/// Where the file is put in memory, and the sizes of its headers.
const BASE: u64 = 0x40_0000;
const HEADER: u64 = 64;
const SEGMENT: u64 = 56;
/// Bytes of one call in the list, and of one limit behind it.
const CALL: u64 = 40;
const PAIR: u64 = 16;

/// The descriptor that the command's own sandbox still needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// None but the streams.
    Nothing,
    /// This one.
    One(u32),
}

/// A launcher with its limits. It is closed on exec: the command does not see it.
#[derive(Debug)]
pub(super) struct Launcher {
    file: File,
}

impl Launcher {
    /// Puts `limits` on, with at most `tasks` tasks of the user.
    ///
    /// # Errors
    /// The system makes no such file.
    pub(super) fn new(limits: &Limits, tasks: u64, keep: Keep) -> io::Result<Self> {
        let image = image(limits, tasks, keep);
        let flags = MemfdFlags::CLOEXEC;
        let memory = memfd_create("launcher", flags | MemfdFlags::EXEC)
            // Before Linux 6.3 there is no such flag, and no need of it.
            .or_else(|_| memfd_create("launcher", flags))?;
        let mut writable = File::from(memory);
        writable.write_all(&image)?;
        // What is open for writing cannot be executed.
        let file = fs::File::open(format!("/proc/self/fd/{}", writable.as_raw_fd()))?;
        Ok(Self { file })
    }

    /// What to execute: in the child it is this file.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }
}

fn image(limits: &Limits, tasks: u64, keep: Keep) -> Vec<u8> {
    let cpu = limits.cpu.as_secs().max(1);
    let bounds = [
        // The second one more kills whoever catches the first.
        (limit::CPU, cpu, cpu.saturating_add(1)),
        (limit::FSIZE, limits.file_bytes, limits.file_bytes),
        (limit::DATA, limits.memory_bytes, limits.memory_bytes),
        (limit::CORE, 0, 0),
        (limit::NPROC, tasks, tasks),
        (limit::NOFILE, limits.open_files, limits.open_files),
    ];
    let hosts = [
        Resource::Cpu,
        Resource::Fsize,
        Resource::Data,
        Resource::Core,
        Resource::Nproc,
        Resource::Nofile,
    ];
    let closed = match keep {
        Keep::Nothing => vec![(FIRST, u64::from(u32::MAX))],
        Keep::One(kept) => {
            let kept = u64::from(kept);
            let below = (kept > FIRST).then(|| (FIRST, kept - 1));
            below
                .into_iter()
                .chain([(kept + 1, u64::from(u32::MAX))])
                .collect()
        }
    };
    let code: Vec<u8> = CODE.concat();
    let calls = (bounds.len() + closed.len() + 1) as u64;
    let list = HEADER + SEGMENT + code.len() as u64;
    let pairs = BASE + list + calls * CALL + 8;

    let mut list = Vec::new();
    let mut values = Vec::new();
    for (index, ((resource, soft, hard), host)) in bounds.into_iter().zip(hosts).enumerate() {
        let most = getrlimit(host).maximum.unwrap_or(u64::MAX);
        let at = pairs + index as u64 * PAIR;
        list.extend([number::PRLIMIT, 0, resource, at, 0]);
        values.extend([soft.min(most), hard.min(most)]);
    }
    for (from, to) in closed {
        list.extend([number::CLOSE_RANGE, from, to, 0, 0]);
    }
    list.extend([number::PRCTL, SET_PARENT_DEATH_SIGNAL, SIGKILL, 0, 0]);
    list.push(END);
    list.extend(values);
    let body: Vec<u8> = list.into_iter().flat_map(u64::to_ne_bytes).collect();
    let length = HEADER + SEGMENT + (code.len() + body.len()) as u64;
    [headers(length), code, body].concat()
}

/// The headers of an ELF file for this processor with one segment, which is the whole file.
fn headers(length: u64) -> Vec<u8> {
    const IDENTITY: [u8; 16] = [0x7F, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const EXECUTABLE: u16 = 2;
    const X86_64: u16 = 62;
    const LOAD: u32 = 1;
    const READ_AND_EXECUTE: u32 = 5;
    const PAGE: u64 = 0x1000;

    let mut bytes = IDENTITY.to_vec();
    bytes.extend(EXECUTABLE.to_le_bytes());
    bytes.extend(X86_64.to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
    // Entry, program headers, section headers (none).
    for offset in [BASE + HEADER + SEGMENT, HEADER, 0] {
        bytes.extend(offset.to_le_bytes());
    }
    bytes.extend(0_u32.to_le_bytes());
    // Sizes and counts: this header, program headers, section headers.
    for size in [HEADER as u16, SEGMENT as u16, 1, 0, 0, 0] {
        bytes.extend(size.to_le_bytes());
    }
    bytes.extend(LOAD.to_le_bytes());
    bytes.extend(READ_AND_EXECUTE.to_le_bytes());
    // Offset, address twice, size twice, alignment.
    for value in [0, BASE, BASE, length, length, PAGE] {
        bytes.extend(value.to_le_bytes());
    }
    bytes
}
