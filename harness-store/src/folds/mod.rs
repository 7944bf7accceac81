//! What the store itself derives from the journal.

pub(crate) mod attempts;
pub(crate) mod breaker;
pub(crate) mod mailbox;
pub(crate) mod notices;
pub(crate) mod sessions;

use crate::follow::Fold;
use crate::snapshot::Snapshot;
use crate::wire::Line;

/// All of it, as the writer keeps it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct State {
    pub(crate) mailbox: mailbox::Mailbox,
    pub(crate) breaker: breaker::Breaker,
    pub(crate) sessions: sessions::Sessions,
    pub(crate) attempts: attempts::Attempts,
}

impl State {
    /// Writes all of it for a snapshot, a line each, in the order in which that one reads them.
    pub(crate) fn save(&self, to: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(&mut *to, &self.mailbox.saved())?;
        to.push(b'\n');
        serde_json::to_writer(&mut *to, &self.breaker.saved())?;
        to.push(b'\n');
        serde_json::to_writer(&mut *to, &self.sessions.saved())?;
        to.push(b'\n');
        serde_json::to_writer(&mut *to, &self.attempts.saved())?;
        to.push(b'\n');
        Ok(())
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
        self.mailbox.take_up(snapshot)
            && self.breaker.take_up(snapshot)
            && self.sessions.take_up(snapshot)
            && self.attempts.take_up(snapshot)
    }
}
