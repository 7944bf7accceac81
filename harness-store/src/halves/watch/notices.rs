//! Which notices of a turn are posted: not the ones that were reported already, not the ones
//! that the breaker holds back.

use std::collections::BTreeMap;

use harness_core::{CleanText, Notice, NoticeId, Severity, Signature, Timestamp};

use super::turn::{NoticeToPost, TurnRecord};
use crate::error::StoreError;
use crate::folds::State;
use crate::folds::breaker::{Breaker, Verdict};
use crate::random;
use crate::wire::Event;
use crate::wire::event::{self, BreakerState, NoticePosted};
use crate::wire::notice::NoticeDoc;

/// What becomes of the notices of a turn.
#[derive(Debug, Default)]
pub(super) struct Decided {
    /// For the journal.
    pub(super) events: Vec<Event>,
    /// For the mailbox.
    pub(super) posted: Vec<NoticeToPost>,
    /// Reported already.
    pub(super) repeated: Vec<NoticeId>,
    /// Held back by the breaker.
    pub(super) suppressed: Vec<NoticeId>,
}

/// Decides, under the lock, over the notices of a turn.
pub(super) fn decide(
    record: &TurnRecord,
    state: &State,
    now: Timestamp,
) -> Result<Decided, StoreError> {
    let mut decided = Decided::default();
    if record.notices.is_empty() {
        return Ok(decided);
    }
    let mut breaker = state.breaker.clone();
    let mut reported: BTreeMap<Signature, u32> = state
        .mailbox
        .reported(&record.session)
        .map(|(signature, turn)| (signature.clone(), turn))
        .collect();
    for offered in &record.notices {
        let notice = &offered.notice;
        let known =
            state.mailbox.get(&notice.id).is_some() || state.mailbox.is_resolved(&notice.id);
        if known || is_repeated(notice, &reported, record.cooldown_turns) {
            decided.repeated.push(notice.id.clone());
            continue;
        }
        if record.observe_only {
            decided.events.push(posted(notice, record, true));
        } else if !decided.pass_breaker(offered, record, &mut breaker, now)? {
            continue;
        }
        for signature in &notice.signatures {
            reported.insert(signature.clone(), notice.turn_index);
        }
    }
    Ok(decided)
}

/// Whether every condition of a notice was reported and neither is over nor cooled down.
fn is_repeated(notice: &Notice, reported: &BTreeMap<Signature, u32>, cooldown: u32) -> bool {
    let holds = |signature: &Signature| {
        reported
            .get(signature)
            .is_some_and(|turn| notice.turn_index.saturating_sub(*turn) < cooldown)
    };
    !notice.signatures.is_empty() && notice.signatures.iter().all(holds)
}

impl Decided {
    /// Posts a notice unless the breaker holds it back; says whether it was posted.
    fn pass_breaker(
        &mut self,
        offered: &NoticeToPost,
        record: &TurnRecord,
        breaker: &mut Breaker,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let notice = &offered.notice;
        let principal = notice.principal.as_ref();
        let for_people = notice.severity == Severity::NeedsHuman;
        let verdict = if for_people {
            Verdict::Post
        } else {
            breaker.judge(principal, record.ended_at)
        };
        let mut change = |state, everyone, breaker: &mut Breaker| {
            let change = event::Breaker {
                state,
                principal: principal.cloned(),
                everyone,
            };
            breaker.change(&change);
            self.events.push(Event::Breaker(change));
        };
        if verdict == Verdict::Suppress {
            let everyone = breaker.is_paused_for_all();
            change(BreakerState::Suppressed, everyone, breaker);
            self.suppressed.push(notice.id.clone());
            return Ok(false);
        }
        if matches!(verdict, Verdict::Trip | Verdict::TripEveryone) {
            change(BreakerState::Tripped, false, breaker);
        }
        if verdict == Verdict::TripEveryone {
            change(BreakerState::Tripped, true, breaker);
        }
        breaker.count(&NoticeDoc::from_domain(notice), record.ended_at);
        self.events.push(posted(notice, record, false));
        self.posted.push(offered.clone());
        if verdict != Verdict::Post {
            let call = call_for_help(notice, verdict, now)?;
            self.events.push(posted(&call, record, false));
            self.posted.push(NoticeToPost {
                notice: call,
                dump: None,
            });
        }
        Ok(true)
    }
}

fn posted(notice: &Notice, record: &TurnRecord, observe_only: bool) -> Event {
    Event::Notice(Box::new(NoticePosted {
        notice: NoticeDoc::from_domain(notice),
        observe_only,
        turn_time: record.ended_at,
    }))
}

/// The one notice for people that says that the breaker tripped.
fn call_for_help(notice: &Notice, verdict: Verdict, now: Timestamp) -> Result<Notice, StoreError> {
    const ONE: &str = "repair is paused for one principal: more than 5 notices in 600 s of turn \
                       time; an operator resumes it";
    const ALL: &str = "repair is paused for all: 5 principals have had more than 5 notices each in \
                       600 s of turn time; an operator resumes it";
    let text = if verdict == Verdict::TripEveryone {
        ALL
    } else {
        ONE
    };
    // The low half of the bits; an id has 32.
    let random = (random::bits()? & u64::from(u32::MAX)) as u32;
    Ok(Notice {
        id: NoticeId::from_parts(now, random),
        created_at: now,
        severity: Severity::NeedsHuman,
        metrics: Vec::new(),
        flagged_traces: Vec::new(),
        signal_breakdown: Vec::new(),
        signatures: Vec::new(),
        summary: CleanText::new(text).map_or_else(|_| CleanText::empty(), CleanText::into_owned),
        scope_hints: Vec::new(),
        recommended_scope: None,
        task_summary: None,
        shown_rules: Vec::new(),
        resolution: None,
        ..notice.clone()
    })
}
