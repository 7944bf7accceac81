//! Which processes there may be in a tree that starts no more of them. All that there are, of which
//! the tree's are few: so where it is known that no others can be, those that came after its first.
//!
//! The kernel gives numbers out in a row and says which was the last. It comes back to a number
//! only when it has gone once round all of them, which takes longer than [`BRIEF`] where they are
//! [`MANY`], whoever starts what.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use rustix::fs::Dir;
use rustix::process::Pid;

/// Numbers for processes and threads, as many as a system gives out that has not been told to give
/// fewer.
const MANY: u32 = 32_768;
/// A time in which nobody goes once round that many numbers: it takes some microseconds to be given
/// one, under a lock that all processors share.
const BRIEF: Duration = Duration::from_millis(5);
/// Processes of anybody's that are looked at one by one, and not all that there are.
const FEW: usize = 256;
/// Bytes that `/proc/loadavg` has at most: three numbers with two places, two counts, a number.
const LOAD: usize = 128;

/// Read once the tree is killed.
pub(super) struct Roll {
    /// Opened while that may be done.
    all: Dir,
    last: Option<File>,
    /// The tree's first process, and a time before its start.
    pub(super) first: Option<(Pid, Instant)>,
}

impl Roll {
    pub(super) fn open() -> io::Result<Self> {
        Ok(Self {
            all: Dir::new(File::open("/proc")?)?,
            last: numbers_are_many()
                .then(|| File::open("/proc/loadavg").ok())
                .flatten(),
            first: None,
        })
    }

    pub(super) fn call(&mut self) -> Vec<Pid> {
        if let Some(few) = self.since_the_first() {
            return few;
        }
        self.all.rewind();
        let names =
            (&mut self.all).filter_map(|entry| entry.ok()?.file_name().to_str().ok()?.parse().ok());
        names.filter_map(Pid::from_raw).collect()
    }

    /// Those with numbers from the first's to the last that was given out, if they are few and
    /// there can be no others. Where the system tells no last number, or an older one, there are none.
    fn since_the_first(&mut self) -> Option<Vec<Pid>> {
        let (first, before) = self.first?;
        let mut load = [0; LOAD];
        let length = self.last.as_ref()?.read_at(&mut load, 0).ok()?;
        let load = str::from_utf8(load.get(..length)?).ok()?;
        // A line that ends, so none of it is missing.
        let last: i32 = load.strip_suffix('\n')?.rsplit(' ').next()?.parse().ok()?;
        let numbers = first.as_raw_nonzero().get()..=last;
        // Looked at behind what it bounds.
        let is_brief = before.elapsed() < BRIEF;
        let is_few = (1..=FEW).contains(&numbers.clone().count());
        (is_brief && is_few).then(|| numbers.filter_map(Pid::from_raw).collect())
    }
}

/// Whether this system has [`MANY`] numbers for processes.
fn numbers_are_many() -> bool {
    static ARE_MANY: LazyLock<bool> = LazyLock::new(|| {
        let most = fs::read_to_string("/proc/sys/kernel/pid_max");
        most.is_ok_and(|most| most.trim().parse::<u32>().is_ok_and(|most| most >= MANY))
    });
    *ARE_MANY
}
