//! What the store itself derives from the journal.

pub(crate) mod attempts;
pub(crate) mod breaker;
pub(crate) mod mailbox;
pub(crate) mod notices;
pub(crate) mod sessions;

use crate::follow::Fold;
use crate::wire::Line;

/// All of it, as the writer keeps it.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) mailbox: mailbox::Mailbox,
    pub(crate) breaker: breaker::Breaker,
    pub(crate) sessions: sessions::Sessions,
    pub(crate) attempts: attempts::Attempts,
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
}
