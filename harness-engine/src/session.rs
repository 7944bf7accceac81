//! A watched session: a queue of what its host reported, worked off in order, one thing at a time.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use harness_core::{NoticeId, RuleId, SessionId, Timestamp, TurnPayload};
use harness_rules::TaskSession;
use harness_store::wire::event::CloseReason;
use tokio::sync::watch;

use crate::evaluation::Evaluation;

/// Things a session's queue holds at most; a turn of one more is refused.
pub(crate) const MAX_QUEUED: usize = 64;

/// What a host reported.
pub(crate) enum Report {
    Turn(Box<TurnPayload>),
    End(CloseReason),
}

/// Recorded turns of a session of which scores are still waited for, at most. Each holds its trace;
/// the oldest is given up for a newer one, and what it lacks is missing.
const MAX_UNSCORED: usize = 4;

/// A recorded turn of which a score has not come and may yet.
pub(crate) struct Unscored {
    pub(crate) turn: TurnPayload,
    pub(crate) digest: [u8; 32],
    pub(crate) evaluation: Evaluation,
    /// The rules that the session had been shown by then.
    pub(crate) shown: Vec<RuleId>,
}

/// What came of the turns since the last `settle`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) alerts: u32,
    pub(crate) notices: Vec<NoticeId>,
    pub(crate) recorded: u32,
    pub(crate) failures: Vec<String>,
}

#[derive(Default)]
struct Queue {
    reports: VecDeque<Report>,
    is_worked: bool,
}

pub(crate) struct Session {
    pub(crate) task: Arc<TaskSession>,
    queue: Mutex<Queue>,
    idle: watch::Sender<bool>,
    tally: Mutex<Tally>,
    unscored: Mutex<VecDeque<Unscored>>,
    is_ended: AtomicBool,
    last_report: Mutex<Timestamp>,
}

/// What pushing a report leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// It waits behind others that are being worked off.
    Queued,
    /// It waits, and somebody has to start working.
    StartWorker,
    /// There was no room.
    Full,
}

impl Session {
    pub(crate) fn new(id: SessionId, now: Timestamp) -> Arc<Self> {
        Arc::new(Self {
            task: TaskSession::new(id),
            queue: Mutex::default(),
            idle: watch::Sender::new(true),
            tally: Mutex::default(),
            unscored: Mutex::default(),
            is_ended: AtomicBool::new(false),
            last_report: Mutex::new(now),
        })
    }

    pub(crate) fn id(&self) -> &SessionId {
        self.task.id()
    }

    /// Queues a report that came at `now`. An end always finds room, as there is one a session.
    pub(crate) fn push(&self, report: Report, now: Timestamp) -> Pushed {
        let mut queue = lock(&self.queue);
        if queue.reports.len() >= MAX_QUEUED && matches!(report, Report::Turn(_)) {
            return Pushed::Full;
        }
        if matches!(report, Report::End(_)) {
            self.is_ended.store(true, Ordering::Release);
        }
        *lock(&self.last_report) = now;
        queue.reports.push_back(report);
        self.idle.send_replace(false);
        if std::mem::replace(&mut queue.is_worked, true) {
            Pushed::Queued
        } else {
            Pushed::StartWorker
        }
    }

    /// The next report; after `None` the worker has ended and the session is idle.
    pub(crate) fn next(&self) -> Option<Report> {
        let mut queue = lock(&self.queue);
        let report = queue.reports.pop_front();
        if report.is_none() {
            queue.is_worked = false;
            self.idle.send_replace(true);
        }
        report
    }

    /// Waits until everything that was reported has been worked off.
    pub(crate) async fn settled(&self) {
        let mut idle = self.idle.subscribe();
        // The sender lives in `self`, so this ends only by becoming idle.
        let _ = idle.wait_for(|is_idle| *is_idle).await;
    }

    pub(crate) fn is_idle(&self) -> bool {
        *self.idle.borrow()
    }

    /// Adds to the tally.
    pub(crate) fn count(&self, add: impl FnOnce(&mut Tally)) {
        add(&mut lock(&self.tally));
    }

    /// Takes the tally; each thing is told once.
    pub(crate) fn take_tally(&self) -> Tally {
        std::mem::take(&mut lock(&self.tally))
    }

    /// Waits for the scores of a recorded turn.
    pub(crate) fn await_scores(&self, unscored: Unscored) {
        let mut waiting = lock(&self.unscored);
        if waiting.len() >= MAX_UNSCORED {
            waiting.pop_front();
        }
        waiting.push_back(unscored);
    }

    /// Takes the turns whose scores are waited for, oldest first.
    pub(crate) fn take_unscored(&self) -> VecDeque<Unscored> {
        std::mem::take(&mut lock(&self.unscored))
    }

    /// Whether its end was reported and everything has been worked off: it need not be watched.
    pub(crate) fn is_over(&self) -> bool {
        self.is_ended.load(Ordering::Acquire) && self.is_idle()
    }

    /// Whether it has not ended, waits for nothing and was last heard of `seconds` ago or earlier.
    pub(crate) fn is_silent_for(&self, seconds: u64, now: Timestamp) -> bool {
        let silence = now.seconds_since(*lock(&self.last_report));
        !self.is_ended.load(Ordering::Acquire)
            && self.is_idle()
            && silence >= i64::try_from(seconds).unwrap_or(i64::MAX)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use harness_core::{CleanText, Origin, Trace, TraceId};

    use super::*;

    fn turn(index: u32) -> Report {
        let id = SessionId::parse("s").unwrap();
        let trace = Trace::new(TraceId::parse("t").unwrap(), CleanText::empty(), Vec::new());
        Report::Turn(Box::new(TurnPayload::new(id, index, Origin::Live, trace)))
    }

    #[tokio::test]
    async fn one_worker_and_a_bounded_queue() {
        let session = Session::new(SessionId::parse("s").unwrap(), Timestamp::EPOCH);
        assert_eq!(session.push(turn(0), Timestamp::EPOCH), Pushed::StartWorker);
        for index in 1..MAX_QUEUED {
            assert_eq!(
                session.push(turn(index as u32), Timestamp::EPOCH),
                Pushed::Queued
            );
        }
        assert_eq!(session.push(turn(99), Timestamp::EPOCH), Pushed::Full);
        assert_eq!(
            session.push(Report::End(CloseReason::Host), Timestamp::EPOCH),
            Pushed::Queued
        );
        while session.next().is_some() {
            assert!(!session.is_idle());
        }
        session.settled().await;
        assert_eq!(session.push(turn(1), Timestamp::EPOCH), Pushed::StartWorker);
    }
}
