//! The engine's half: sessions, evaluated turns, captured cases.

mod notices;
mod turn;

use std::sync::Arc;

use harness_core::{EvalCase, SessionId};

use super::{WatchEvent, half};
use crate::error::StoreError;
use crate::evalset::{Capture, EvalSet};
use crate::wire::Event;
use crate::wire::event::{SessionClosed, SessionOpened};
use crate::writer::{Core, Writer};

pub use turn::{NoticeToPost, TurnOutcome, TurnRecord};

/// Records what the engine sees. Each operation is one turn of the lock and waits for it as long
/// as the workspace was opened with.
#[derive(Debug)]
pub struct Watch {
    pub(super) writer: Arc<Writer>,
}

/// Where a conversation stood when it was to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// It is open now and was not known before.
    Opened,
    /// It was open.
    WasOpen,
    /// It has ended; it is not opened again.
    HasEnded,
}

impl Watch {
    pub(crate) const fn new(writer: Arc<Writer>) -> Self {
        Self { writer }
    }

    /// Opens a conversation unless it is known.
    ///
    /// # Errors
    /// The journal cannot be written, or was busy.
    pub fn open_session(&self, opened: SessionOpened) -> Result<Opening, StoreError> {
        self.with_core(move |core| {
            let known = core.refreshed()?.sessions.get(&opened.session);
            match known.map(|state| state.closed) {
                Some(Some(_)) => Ok(Opening::HasEnded),
                Some(None) => Ok(Opening::WasOpen),
                None => {
                    core.commit(vec![Event::SessionOpened(opened)])?;
                    Ok(Opening::Opened)
                }
            }
        })
    }

    /// Closes a conversation if it is open; says whether it was.
    ///
    /// # Errors
    /// The journal cannot be written, or was busy.
    pub fn close_session(&self, closed: SessionClosed) -> Result<bool, StoreError> {
        self.close_session_with(closed, || Ok(Vec::new()))
    }

    /// Closes a conversation if it is open, with what else that settles: `settled` is asked under
    /// the lock, and its events are in the same commit.
    ///
    /// # Errors
    /// What `settled` fails with; the journal cannot be written, or was busy.
    pub fn close_session_with(
        &self,
        closed: SessionClosed,
        settled: impl FnOnce() -> Result<Vec<WatchEvent>, StoreError> + Send + 'static,
    ) -> Result<bool, StoreError> {
        self.with_core(move |core| {
            if !is_open(core, &closed.session)? {
                return Ok(false);
            }
            let mut events: Vec<Event> = settled()?.into_iter().map(Into::into).collect();
            events.push(Event::SessionClosed(closed));
            core.commit(events)?;
            Ok(true)
        })
    }

    /// Captures a case into the eval set; makes room by removing the oldest failures.
    ///
    /// # Errors
    /// Its file or the journal cannot be written, or was busy.
    pub fn capture_case(&self, case: EvalCase) -> Result<Capture, StoreError> {
        self.with_core(move |core| EvalSet::keep(case, core))
    }

    fn with_core<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Core) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.run(self.writer.lock_wait(), job)?
    }
}

half!(Watch, WatchEvent);

fn is_open(core: &mut Core, session: &SessionId) -> Result<bool, StoreError> {
    let state = core.refreshed()?.sessions.get(session);
    Ok(state.is_some_and(|state| state.closed.is_none()))
}
