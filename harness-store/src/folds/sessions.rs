//! Which conversations began and ended.

use std::collections::BTreeMap;

use harness_core::{Principal, SessionId};

use crate::follow::Fold;
use crate::snapshot::Snapshot;
use crate::wire::as_text::Spelt;
use crate::wire::event::{CloseReason, OriginDoc};
use crate::wire::saved::SavedSession;
use crate::wire::{Event, Line};

/// What is known of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionState {
    /// Live or recorded.
    pub origin: OriginDoc,
    /// Whose it is.
    pub principal: Option<Principal>,
    /// The line at which it began.
    pub opened: u64,
    /// Why it ended; `None` while it goes on.
    pub closed: Option<CloseReason>,
}

/// The conversations of a workspace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sessions(BTreeMap<SessionId, SessionState>);

impl Sessions {
    /// What is known of a conversation.
    pub fn get(&self, session: &SessionId) -> Option<&SessionState> {
        self.0.get(session)
    }

    /// The conversations that go on, in order of name.
    pub fn open(&self) -> impl Iterator<Item = (&SessionId, &SessionState)> {
        self.0.iter().filter(|(_, state)| state.closed.is_none())
    }

    /// How many there ever were.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Sessions {
    pub(super) fn saved(&self) -> Vec<SavedSession> {
        let saved = self.0.iter().map(|(session, state)| {
            (
                Spelt(session.clone()),
                state.origin,
                state.principal.clone().map(Spelt),
                state.opened,
                state.closed,
            )
        });
        saved.collect()
    }

    pub(crate) fn restored(saved: Vec<SavedSession>) -> Self {
        let restored = saved
            .into_iter()
            .map(|(session, origin, principal, opened, closed)| {
                let state = SessionState {
                    origin,
                    principal: principal.map(|spelt| spelt.0),
                    opened,
                    closed,
                };
                (session.0, state)
            });
        Self(restored.collect())
    }
}

impl Fold for Sessions {
    fn apply(&mut self, line: &Line) {
        match line.event() {
            Some((record, Event::SessionOpened(opened))) => {
                self.0
                    .entry(opened.session.clone())
                    .or_insert_with(|| SessionState {
                        origin: opened.origin,
                        principal: opened.principal.clone(),
                        opened: record.seq,
                        closed: None,
                    });
            }
            Some((_, Event::SessionClosed(closed))) => {
                if let Some(state) = self.0.get_mut(&closed.session) {
                    state.closed.get_or_insert(closed.reason);
                }
            }
            _ => {}
        }
    }

    fn reset(&mut self) {
        self.0.clear();
    }

    fn takes(&self, kind: &str) -> bool {
        matches!(kind, "session_opened" | "session_closed")
    }

    fn take_up(&mut self, snapshot: &mut Snapshot) -> bool {
        snapshot.sessions().map(|taken| *self = taken).is_some()
    }
}
