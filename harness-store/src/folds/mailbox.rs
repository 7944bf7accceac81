//! The mailbox, as the journal says it is.

use std::collections::BTreeMap;

use harness_core::{Notice, NoticeId, Resolution, SessionId, Severity, Signature, Timestamp};

use crate::follow::Fold;
use crate::snapshot::Snapshot;
use crate::wire::as_text::Spelt;
use crate::wire::event::{NoticePosted, RepairNoticeResolved};
use crate::wire::notice::NoticeDoc;
use crate::wire::saved::{PendingNotices, SavedMailbox};
use crate::wire::{Event, Line, hex, json, sha256, unhex};

/// Notices that wait, notices that were resolved, and conditions that were reported and are not
/// known to be over. Of a resolved notice only its id and what its file says are kept, as a hash:
/// there may be very many.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mailbox {
    pending: BTreeMap<NoticeId, Notice>,
    resolved: BTreeMap<NoticeId, [u8; 32]>,
    reported: BTreeMap<SessionId, BTreeMap<Signature, u32>>,
}

impl Mailbox {
    /// The notices that wait, oldest id first.
    pub fn pending(&self) -> impl DoubleEndedIterator<Item = &Notice> {
        self.pending.values()
    }

    /// How many wait.
    pub fn pending_count(&self) -> usize {
        self.pending.len()
    }

    /// A notice that waits.
    pub fn get(&self, id: &NoticeId) -> Option<&Notice> {
        self.pending.get(id)
    }

    /// The notices of a conversation that wait.
    pub fn of_session<'m>(&'m self, session: &'m SessionId) -> impl Iterator<Item = &'m Notice> {
        self.pending()
            .filter(move |notice| notice.session == *session)
    }

    /// Whether a notice was resolved.
    pub fn is_resolved(&self, id: &NoticeId) -> bool {
        self.resolved.contains_key(id)
    }

    /// How many were resolved.
    pub fn resolved_count(&self) -> usize {
        self.resolved.len()
    }

    /// The gravest severity that waits.
    pub fn max_severity(&self) -> Option<Severity> {
        self.pending.values().map(|notice| notice.severity).max()
    }

    /// The newest notice that waits.
    pub fn latest(&self) -> Option<&Notice> {
        self.pending
            .values()
            .max_by_key(|notice| (notice.created_at, &notice.id))
    }

    /// The turn at which a condition of a conversation was last reported, if it is not known to
    /// be over.
    pub fn reported_at(&self, session: &SessionId, signature: &Signature) -> Option<u32> {
        self.reported.get(session)?.get(signature).copied()
    }

    /// The conditions of a conversation that were reported and are not known to be over.
    pub fn reported<'m>(
        &'m self,
        session: &SessionId,
    ) -> impl Iterator<Item = (&'m Signature, u32)> + use<'m> {
        self.reported
            .get(session)
            .into_iter()
            .flatten()
            .map(|(signature, turn)| (signature, *turn))
    }

    /// The SHA-256 of what the file of a resolved notice says.
    pub(crate) fn digest_of_resolved(&self, id: &NoticeId) -> Option<&[u8; 32]> {
        self.resolved.get(id)
    }

    /// The resolved notices, and the SHA-256 of what the file of each says.
    pub(crate) fn resolved(&self) -> impl Iterator<Item = (&NoticeId, &[u8; 32])> {
        self.resolved.iter()
    }

    pub(super) fn saved(&self) -> SavedMailbox<Vec<NoticeDoc>> {
        let spelt = |signature: &Signature| Spelt(signature.clone());
        SavedMailbox {
            pending: self.pending().map(NoticeDoc::from_domain).collect(),
            resolved: self
                .resolved()
                .map(|(id, digest)| (Spelt(id.clone()), hex(digest)))
                .collect(),
            reported: self
                .reported
                .iter()
                .map(|(session, reported)| {
                    let reported = reported.iter();
                    let reported = reported.map(|(signature, turn)| (spelt(signature), *turn));
                    (Spelt(session.clone()), reported.collect())
                })
                .collect(),
        }
    }

    /// `None` if a hash does not read.
    pub(crate) fn restored(saved: SavedMailbox<PendingNotices>) -> Option<Self> {
        let mut mailbox = Self {
            pending: saved.pending.0,
            ..Self::default()
        };
        for (id, digest) in saved.resolved {
            mailbox.resolved.insert(id.0, unhex(&digest)?);
        }
        for (session, reported) in saved.reported {
            let reported = reported.into_iter();
            let reported = reported.map(|(signature, turn)| (signature.0, turn));
            mailbox.reported.insert(session.0, reported.collect());
        }
        Some(mailbox)
    }

    fn post(&mut self, posted: &NoticePosted) {
        // A notice that does not read never gets here: its record is an invalid one.
        let Ok(notice) = posted.notice.clone().try_into_domain() else {
            return;
        };
        let reported = self.reported.entry(notice.session.clone()).or_default();
        for signature in &notice.signatures {
            reported.insert(signature.clone(), notice.turn_index);
        }
        if !posted.observe_only {
            self.put(notice);
        }
    }

    fn put(&mut self, notice: Notice) {
        if self.resolved.contains_key(&notice.id) {
            return;
        }
        if notice.is_pending() {
            self.pending.insert(notice.id.clone(), notice);
        } else {
            // It was taken over with its resolution.
            self.put_away(&notice);
        }
    }

    fn resolve(&mut self, resolved: &RepairNoticeResolved, at: Timestamp) {
        for id in &resolved.context.notices {
            let Some(mut notice) = self.pending.remove(id) else {
                continue;
            };
            notice.resolution = Some(resolution(resolved, at));
            self.put_away(&notice);
        }
    }

    fn put_away(&mut self, notice: &Notice) {
        // A document that JSON cannot say has no file; nothing that was read from JSON is one.
        let file = json::to_pretty(&NoticeDoc::from_domain(notice)).unwrap_or_default();
        self.resolved.insert(notice.id.clone(), sha256(&file));
    }
}

/// What an event says of each notice that it resolves.
pub(crate) fn resolution(resolved: &RepairNoticeResolved, at: Timestamp) -> Resolution {
    Resolution {
        acked_at: at,
        kind: resolved.kind,
        rule: resolved.rule.clone(),
        note: resolved.note.clone(),
    }
}

impl Fold for Mailbox {
    fn apply(&mut self, line: &Line) {
        match line.event() {
            Some((_, Event::Notice(posted))) => self.post(posted),
            Some((record, Event::ScopeFull(full))) => {
                if let Some(notice) = full.notice(record) {
                    self.put(notice);
                }
            }
            Some((record, Event::RepairNoticeResolved(resolved))) => {
                self.resolve(resolved, record.ts);
            }
            Some((_, Event::Recovery(recovery))) => {
                if let Some(reported) = self.reported.get_mut(&recovery.session) {
                    reported.remove(&recovery.signature);
                }
            }
            Some((_, Event::SessionClosed(closed))) => {
                self.reported.remove(&closed.session);
            }
            _ => {}
        }
    }

    fn reset(&mut self) {
        *self = Self::default();
    }

    fn takes(&self, kind: &str) -> bool {
        matches!(
            kind,
            "notice" | "scope_full" | "repair_notice_resolved" | "recovery" | "session_closed"
        )
    }

    fn take_up(&mut self, snapshot: &mut Snapshot) -> bool {
        snapshot.mailbox().map(|taken| *self = taken).is_some()
    }
}
