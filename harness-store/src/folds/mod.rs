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

    fn takes(&self, kind: &str) -> bool {
        self.mailbox.takes(kind)
            || self.breaker.takes(kind)
            || self.sessions.takes(kind)
            || self.attempts.takes(kind)
    }

    fn take_up(&mut self, snapshot: &mut Snapshot) -> bool {
        self.mailbox.take_up(snapshot)
            && self.breaker.take_up(snapshot)
            && self.sessions.take_up(snapshot)
            && self.attempts.take_up(snapshot)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;
    use std::iter;

    use harness_core::Timestamp;

    use super::*;
    use crate::fixture::notice;
    use crate::wire::event::NoticePosted;
    use crate::wire::event::samples::of_every_kind;
    use crate::wire::notice::NoticeDoc;
    use crate::wire::{Body, Event, Record};

    #[test]
    fn a_kind_that_is_not_taken_says_nothing_whatever_came_before_it() {
        let line = |event| {
            Line::Chained(Record {
                seq: 0,
                prev: None,
                ts: Timestamp::EPOCH,
                more: false,
                offset: 0,
                digest: [0; 32],
                body: Body::Known(event),
            })
        };
        // Of the samples none recovers from what another reports.
        let reported = Event::Notice(Box::new(NoticePosted {
            notice: NoticeDoc::from_domain(&notice("n-2", "s", 1, "breach:tool_correctness")),
            observe_only: false,
            turn_time: None,
        }));
        let lines: Vec<(&str, Line)> = iter::once(("notice", reported))
            .chain(of_every_kind())
            .map(|(kind, event)| (kind, line(event)))
            .collect();
        passes_what_it_does_not_take::<State>(&lines);
        // Each is followed by itself too.
        passes_what_it_does_not_take::<mailbox::Mailbox>(&lines);
        passes_what_it_does_not_take::<breaker::Breaker>(&lines);
        passes_what_it_does_not_take::<sessions::Sessions>(&lines);
        passes_what_it_does_not_take::<attempts::Attempts>(&lines);
    }

    fn passes_what_it_does_not_take<F: Fold + Default + Debug>(lines: &[(&str, Line)]) {
        let shown = |fold: &F| format!("{fold:?}");
        let mut fold = F::default();
        let (nothing, mut acts) = (shown(&fold), false);
        for (_, before) in lines {
            fold.apply(before);
            acts |= shown(&fold) != nothing;
            for (kind, line) in lines {
                if fold.takes(kind) {
                    continue;
                }
                let held = shown(&fold);
                fold.apply(line);
                assert_eq!(shown(&fold), held, "{kind}");
            }
        }
        assert!(acts);
    }
}
