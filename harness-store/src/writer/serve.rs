//! The thread's loop: wait, take the lock, catch up, serve what waits, give the lock back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::core::Core;
use super::queue::{Entry, Found, Queue, Serving, Work};
use super::ticket::Ticket;
use crate::error::StoreError;
use crate::journal::Committed;
use crate::lock::{BackOff, Held, LockFile};
use crate::snapshot;
use crate::wire::Event;

/// How long the last settling of the anchor waits for the lock.
const CLOSING_WAIT: Duration = Duration::from_millis(500);

pub(super) fn serve(queue: &Queue) {
    loop {
        match queue.take() {
            Found::Batch(batch, mut core) => {
                serve_batch(&mut core, batch);
                leave_snapshot(&mut core, snapshot::EVERY_WHEN_BUSY);
            }
            Found::Nothing(mut core) => {
                // Whoever holds the lock is about to write the anchor itself.
                if let Ok(Some(_held)) = core.lock.try_lock() {
                    settle(&mut core);
                }
                leave_snapshot(&mut core, snapshot::EVERY);
            }
            Found::Closed(mut core, unsettled) => {
                if (unsettled || core.state.has_begun())
                    && let Ok(_held) = core.lock.lock_within(CLOSING_WAIT)
                {
                    settle(&mut core);
                    // Without the note the next opening looks for itself.
                    let _ = core.leave_settled();
                }
                leave_snapshot(&mut core, snapshot::EVERY);
                return;
            }
        }
    }
}

/// Appends on the caller's own thread, which spares two changes of threads; the events come back if
/// anything is in the way.
pub(super) fn append_alone(
    queue: &Queue,
    events: Vec<Event>,
) -> Result<Result<Vec<Committed>, StoreError>, Vec<Event>> {
    let Some(mut core) = queue.alone() else {
        return Err(events);
    };
    // Whoever appends does not wait for a snapshot.
    if core.is_snapshot_due(snapshot::EVERY_WHEN_BUSY) {
        return Err(events);
    }
    let Ok(Some(_held)) = core.lock.try_lock() else {
        return Err(events);
    };
    let now = core.now();
    let journal = &mut core.journal;
    let appended = journal
        .catch_up(now)
        .and_then(|()| journal.append(&[events], now));
    Ok(appended.map(|committed| committed.into_iter().flatten().collect()))
}

/// Whoever waited has been answered. Without a snapshot the next opening reads more.
fn leave_snapshot(core: &mut Core, every: u64) {
    let _ = core.leave_snapshot(every);
}

/// A failure to settle loses nothing: the anchor still knows the head as the one to come.
fn settle(core: &mut Core) {
    let now = core.now();
    let _ = core
        .journal
        .catch_up(now)
        .and_then(|()| core.journal.settle());
}

fn serve_batch(core: &mut Serving<'_>, mut batch: Vec<Entry>) {
    let Some(_held) = take_lock(&core.lock, &mut batch) else {
        return;
    };
    let now = core.now();
    if let Err(error) = core.journal.catch_up(now) {
        refuse(&batch, &error);
        return;
    }
    let mut group: Vec<(Arc<Ticket>, Vec<Event>)> = Vec::new();
    for Entry { work, ticket } in batch {
        if !ticket.begin() {
            continue;
        }
        match work {
            Work::Append(events) => group.push((ticket, events)),
            Work::Job(job) => {
                append_group(core, &mut group);
                core.deadline = Some((Instant::now(), ticket.deadline));
                let outcome = catch_unwind(AssertUnwindSafe(|| job(core)));
                core.deadline = None;
                core.about_to_answer();
                ticket.done(
                    outcome
                        .map(|()| Vec::new())
                        .map_err(|_| StoreError::JobBroke),
                );
            }
        }
    }
    append_group(core, &mut group);
}

/// Writes and syncs what was queued side by side at once. If that fails for what one of them
/// holds, each is tried alone, so that it fails alone.
fn append_group(core: &mut Serving<'_>, group: &mut Vec<(Arc<Ticket>, Vec<Event>)>) {
    if group.is_empty() {
        return;
    }
    let (tickets, commits): (Vec<_>, Vec<_>) = std::mem::take(group).into_iter().unzip();
    let now = core.now();
    let appended = core.journal.append(&commits, now);
    core.about_to_answer();
    match appended {
        Ok(committed) => {
            for (ticket, committed) in tickets.iter().zip(committed) {
                ticket.done(Ok(committed));
            }
        }
        Err(_) if tickets.len() > 1 => {
            for (ticket, commit) in tickets.iter().zip(commits) {
                let alone = core.journal.append(&[commit], now);
                ticket.done(alone.map(|committed| committed.into_iter().flatten().collect()));
            }
        }
        Err(error) => {
            for ticket in &tickets {
                ticket.done(Err(error.clone()));
            }
        }
    }
}

/// Takes the lock while anybody still waits for it; `None` if nobody does.
fn take_lock(lock: &LockFile, batch: &mut Vec<Entry>) -> Option<Held> {
    let mut back_off = BackOff::new();
    loop {
        batch.retain(|entry| entry.ticket.is_waiting());
        if batch.is_empty() {
            return None;
        }
        match lock.try_lock() {
            Ok(Some(held)) => return Some(held),
            Ok(None) => thread::sleep(back_off.next_pause()),
            Err(error) => {
                refuse(batch, &error);
                return None;
            }
        }
    }
}

fn refuse(batch: &[Entry], error: &StoreError) {
    for entry in batch {
        if entry.ticket.begin() {
            entry.ticket.done(Err(error.clone()));
        }
    }
}
