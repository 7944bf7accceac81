//! What the store itself derives from the journal.

pub(crate) mod attempts;
pub(crate) mod breaker;
pub(crate) mod mailbox;
pub(crate) mod notices;
pub(crate) mod sessions;

use crate::follow::Fold;
use crate::snapshot::Snapshot;
use crate::wire::Line;
use crate::wire::saved::SavedState;

/// All of it, as the writer keeps it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct State {
    pub(crate) mailbox: mailbox::Mailbox,
    pub(crate) breaker: breaker::Breaker,
    pub(crate) sessions: sessions::Sessions,
    pub(crate) attempts: attempts::Attempts,
}

impl State {
    /// All of it, for a snapshot.
    pub(crate) fn saved(&self) -> SavedState {
        SavedState {
            mailbox: self.mailbox.saved(),
            breaker: self.breaker.saved(),
            sessions: self.sessions.saved(),
            attempts: self.attempts.saved(),
        }
    }

    /// What a snapshot holds; `None` if one of its records does not read.
    pub(crate) fn restored(saved: SavedState) -> Option<Self> {
        Some(Self {
            mailbox: mailbox::Mailbox::restored(saved.mailbox)?,
            breaker: breaker::Breaker::restored(saved.breaker),
            sessions: sessions::Sessions::restored(saved.sessions),
            attempts: attempts::Attempts::restored(saved.attempts),
        })
    }
}

impl Fold for State {
    fn apply(&mut self, line: &Line) {
        self.mailbox.apply(line);
        self.breaker.apply(line);
        self.sessions.apply(line);
        self.attempts.apply(line);
    }

    fn reset(&mut self) {
        *self = Self::default();
    }

    fn take_up(&mut self, snapshot: &mut Snapshot) -> bool {
        *self = std::mem::take(&mut snapshot.state);
        true
    }
}
