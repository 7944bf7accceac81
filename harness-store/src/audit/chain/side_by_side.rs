//! Looking at the lines of a file on several threads, and walking along them in their order.
//!
//! What a line says does not depend on those before it, so any thread looks at any block. What the
//! lines mean together depends on all before them: that is told by the walk, which takes the blocks
//! one after the other, whoever has looked at them.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::Walk;
use super::look::Seen;
use crate::identity::WorkspaceId;
use crate::lines::{Block, Blocks};
use crate::root::Handle;
use crate::wire::Linked;

/// Threads at most.
const MAX_THREADS: usize = 4;
/// Bytes of a block, about: so many that a thread seldom asks for one, and that it holds in a
/// processor's own cache what it reads twice.
const BLOCK: usize = 128 * 1024;
/// Blocks that a thread may be ahead of the walk, so that one that is held up holds up no other.
const AHEAD: u64 = 16;
/// Lines that a thread hands over at once at most.
pub(super) const MAX_SEEN: usize = 2048;

/// How the work is shared.
pub(super) struct Way {
    pub(super) threads: usize,
    pub(super) block: usize,
}

impl Way {
    pub(super) fn of_this_machine() -> Self {
        Self {
            threads: thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS)),
            block: BLOCK,
        }
    }
}

/// Walks along the complete lines of a file of `length` bytes.
pub(super) fn walk_part(
    file: &Handle,
    length: u64,
    workspace: &WorkspaceId,
    way: &Way,
    walk: &mut Walk<'_>,
) -> io::Result<()> {
    let work = Work {
        workspace,
        source: Mutex::new(Source {
            blocks: Blocks::new(file, 0, length, way.block),
            number: 0,
        }),
        turns: Mutex::new(Turns {
            walk,
            turn: 0,
            waiting: BTreeMap::new(),
            spare: Vec::new(),
            end: None,
        }),
        changed: Condvar::new(),
    };
    // A thread more for each whole block, so that a small file costs none.
    let blocks = usize::try_from(length).map_or(usize::MAX, |length| length / way.block);
    thread::scope(|scope| {
        for _ in 1..way.threads.min(blocks) {
            // Without it the others look at all of them.
            let _ = thread::Builder::new().spawn_scoped(scope, || work.take_part());
        }
        work.take_part();
    });
    let turns = work
        .turns
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    turns.end.unwrap_or(Ok(()))
}

/// What the threads share.
struct Work<'w, 'f, 'r> {
    workspace: &'w WorkspaceId,
    source: Mutex<Source<'f>>,
    turns: Mutex<Turns<'w, 'r>>,
    changed: Condvar,
}

/// Where the blocks come from.
struct Source<'f> {
    blocks: Blocks<'f>,
    /// The number of the next.
    number: u64,
}

/// The walk, and whose turn it is.
struct Turns<'w, 'r> {
    walk: &'w mut Walk<'r>,
    /// The number of the block that it takes next.
    turn: u64,
    /// What was seen of later ones.
    waiting: BTreeMap<u64, Vec<Seen>>,
    /// Emptied lists.
    spare: Vec<Vec<Seen>>,
    /// Why nobody goes on, if it is over before the file is.
    end: Option<io::Result<()>>,
}

/// Ends the work if the thread that holds it breaks: its block would be waited for for ever.
struct Bound<'b, 'w, 'f, 'r>(&'b Work<'w, 'f, 'r>);

impl Drop for Bound<'_, '_, '_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.give_up(io::Error::other("a thread broke"));
        }
    }
}

impl Work<'_, '_, '_> {
    /// Looks at blocks until there is none left.
    fn take_part(&self) {
        let bound = Bound(self);
        if let Err(error) = self.look_at_blocks() {
            self.give_up(error);
        }
        drop(bound);
    }

    fn look_at_blocks(&self) -> io::Result<()> {
        let (mut buffer, mut seen) = (Vec::new(), Vec::new());
        loop {
            let (number, block) = {
                let mut source = guard(&self.source);
                let Some(block) = source.blocks.next_into(&mut buffer)? else {
                    return Ok(());
                };
                let number = source.number;
                source.number += 1;
                (number, block)
            };
            let mut lines = match block {
                Block::Lines(offset, lines) => Linked::new(offset, lines),
                Block::TooLong(raw) => {
                    seen.push(Seen::alone(raw, self.workspace));
                    Linked::new(0, &[])
                }
            };
            loop {
                let room = MAX_SEEN.saturating_sub(seen.len());
                let some = lines.by_ref().take(room);
                seen.extend(some.map(|line| Seen::of(&line, self.workspace)));
                let is_last = lines.is_over();
                match self.hand_over(number, seen, is_last) {
                    Some(spare) => seen = spare,
                    None => return Ok(()),
                }
                if is_last {
                    break;
                }
            }
        }
    }

    /// Hands over what was seen of a block, all of it or what comes next, and gets an empty list in
    /// exchange; `None` if nobody goes on.
    fn hand_over(&self, number: u64, seen: Vec<Seen>, is_last: bool) -> Option<Vec<Seen>> {
        let mut turns = guard(&self.turns);
        // What is handed over piece by piece is not kept: the walk takes each as it comes.
        while turns.turn != number && !(is_last && number - turns.turn < AHEAD) {
            if turns.end.is_some() {
                return None;
            }
            turns = self
                .changed
                .wait(turns)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if turns.turn != number {
            turns.waiting.insert(number, seen);
        } else {
            turns.take(seen);
            if is_last {
                turns.turn += 1;
                while let Some(seen) = {
                    let turn = turns.turn;
                    turns.waiting.remove(&turn)
                } {
                    turns.take(seen);
                    turns.turn += 1;
                }
                self.changed.notify_all();
            }
        }
        turns
            .end
            .is_none()
            .then(|| turns.spare.pop().unwrap_or_default())
    }

    fn give_up(&self, error: io::Error) {
        guard(&self.turns).end.get_or_insert(Err(error));
        self.changed.notify_all();
    }
}

impl Turns<'_, '_> {
    fn take(&mut self, mut seen: Vec<Seen>) {
        self.walk.take(&seen);
        seen.clear();
        self.spare.push(seen);
    }
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
