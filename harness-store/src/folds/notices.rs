//! Notices as their files say them, put together from the journal once, for whoever writes files.

use std::collections::{BTreeMap, BTreeSet};

use harness_core::{Notice, NoticeId};

use super::mailbox::resolution;
use crate::follow::Fold;
use crate::wire::{Event, Line};

/// Posted notices, with their resolutions.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    /// Which to collect; all if this is `None`.
    wanted: Option<BTreeSet<NoticeId>>,
    found: BTreeMap<NoticeId, Notice>,
}

impl Notices {
    pub(crate) fn of(wanted: BTreeSet<NoticeId>) -> Self {
        Self {
            wanted: Some(wanted),
            found: BTreeMap::new(),
        }
    }

    fn wants(&self, id: &NoticeId) -> bool {
        self.wanted.as_ref().is_none_or(|ids| ids.contains(id))
    }

    /// What was found, in order of id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Notice> {
        self.found.values()
    }
}

impl Fold for Notices {
    fn apply(&mut self, line: &Line) {
        match line.event() {
            Some((_, Event::Notice(posted))) if !posted.observe_only => {
                if self.wants(&posted.notice.id)
                    && let Ok(notice) = posted.notice.clone().try_into_domain()
                {
                    self.found.entry(notice.id.clone()).or_insert(notice);
                }
            }
            Some((record, Event::ScopeFull(full))) => {
                if let Some(notice) = full.notice(record).filter(|notice| self.wants(&notice.id)) {
                    self.found.entry(notice.id.clone()).or_insert(notice);
                }
            }
            Some((record, Event::RepairNoticeResolved(resolved))) => {
                for id in &resolved.context.notices {
                    if let Some(notice) = self.found.get_mut(id).filter(|found| found.is_pending())
                    {
                        notice.resolution = Some(resolution(resolved, record.ts));
                    }
                }
            }
            _ => {}
        }
    }

    fn reset(&mut self) {
        self.found.clear();
    }

    fn takes(&self, kind: &str) -> bool {
        matches!(kind, "notice" | "scope_full" | "repair_notice_resolved")
    }
}
