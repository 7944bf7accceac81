//! The sessions that are watched, and the ones that an earlier process left open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harness_core::{SessionId, Timestamp};
use harness_store::wire::event::CloseReason;
use tokio::runtime::Handle;

use crate::session::{Pushed, Report, Session};
use crate::watcher::{WatchError, Watcher};

/// The sessions around one watcher.
pub(crate) struct Roster {
    watcher: Arc<Watcher>,
    runtime: Handle,
    watched: Mutex<HashMap<SessionId, Arc<Session>>>,
    /// Sessions that are open in the journal and not watched here: the turns they had when they
    /// were last found to have more, and when that was.
    elsewhere: Mutex<HashMap<SessionId, (usize, Timestamp)>>,
}

impl Roster {
    /// An empty roster.
    pub(crate) fn new(watcher: Arc<Watcher>, runtime: Handle) -> Self {
        Self {
            watcher,
            runtime,
            watched: Mutex::default(),
            elsewhere: Mutex::default(),
        }
    }

    /// The session, if it is watched.
    pub(crate) fn known(&self, session: &SessionId) -> Option<Arc<Session>> {
        lock(&self.watched).get(session).cloned()
    }

    pub(crate) fn forget(&self, session: &SessionId) {
        lock(&self.watched).remove(session);
    }

    /// The session, watched from now on; makes room by forgetting ended ones. `None` where there is
    /// no room.
    pub(crate) fn watched(&self, session: &SessionId) -> Option<Arc<Session>> {
        let mut watched = lock(&self.watched);
        if let Some(known) = watched.get(session) {
            return Some(Arc::clone(known));
        }
        let limit = self.watcher.config.tracked_sessions;
        if watched.len() >= limit {
            watched.retain(|_, session| !session.is_over());
        }
        if watched.len() >= limit {
            return None;
        }
        let new = Session::new(session.clone(), self.watcher.now());
        watched.insert(session.clone(), Arc::clone(&new));
        Some(new)
    }

    /// Queues a report, and has it worked off.
    pub(crate) fn push(&self, session: &Arc<Session>, report: Report) -> Pushed {
        let pushed = session.push(report, self.watcher.now());
        if pushed == Pushed::StartWorker {
            let (watcher, session) = (Arc::clone(&self.watcher), Arc::clone(session));
            self.runtime.spawn(watcher.work_off(session));
        }
        pushed
    }

    /// Ends every session that was silent for as long as the configuration says: those watched
    /// here, and those that the journal has open, whose process may be gone.
    pub(crate) async fn end_silent(&self) -> Result<(), WatchError> {
        let now = self.watcher.now();
        let limit = self.watcher.config.session_idle_s;
        let silent: Vec<Arc<Session>> = lock(&self.watched)
            .values()
            .filter(|session| session.is_silent_for(limit, now))
            .cloned()
            .collect();
        for session in silent {
            self.push(&session, Report::End(CloseReason::Idle));
        }
        for (session, turns) in self.watcher.open_elsewhere().await? {
            if lock(&self.watched).contains_key(&session) {
                continue;
            }
            let since = {
                let mut elsewhere = lock(&self.elsewhere);
                let last = elsewhere.entry(session.clone()).or_insert((turns, now));
                if last.0 != turns {
                    *last = (turns, now);
                }
                last.1
            };
            if now.seconds_since(since) >= i64::try_from(limit).unwrap_or(i64::MAX) {
                lock(&self.elsewhere).remove(&session);
                self.watcher.end_abandoned(session).await?;
            }
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
