//! An evaluated turn: one commit, then its files, then the line that marks it as seen.

use std::collections::BTreeSet;

use harness_core::{
    MetricName, Notice, NoticeId, Origin, Principal, Score, SessionId, Timestamp, layout,
};

use super::notices::{Decided, decide};
use super::{Watch, WatchEvent};
use crate::error::StoreError;
use crate::mailbox_files;
use crate::wire::Event;
use crate::wire::dump::DumpDoc;
use crate::wire::event::OriginDoc;
use crate::wire::hex;
use crate::wire::notice::NoticeDoc;
use crate::wire::score::{GateState, ScoreLine, ScoresLine, TurnCounts};
use crate::writer::Core;

/// A notice to post, and the evaluation behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticeToPost {
    /// The notice; pending.
    pub notice: Notice,
    /// What the evaluation said.
    pub dump: Option<DumpDoc>,
}

/// An evaluated turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnRecord {
    /// The conversation.
    pub session: SessionId,
    /// The turn.
    pub index: u32,
    /// What it is known by: [`crate::wire::turn_digest`].
    pub digest: [u8; 32],
    /// Live or recorded.
    pub origin: Origin,
    /// Whose conversation it is.
    pub principal: Option<Principal>,
    /// When the turn ended, where that is known; the breaker counts in this time.
    pub ended_at: Option<Timestamp>,
    /// The scores; `None` where one was asked for and is missing.
    pub scores: Vec<(MetricName, Option<Score>)>,
    /// The gate after the turn, every metric that it knows of this session.
    pub gates: Vec<(MetricName, GateState)>,
    /// How much was done in the turn, where that was counted.
    pub counts: Option<TurnCounts>,
    /// Notices to post.
    pub notices: Vec<NoticeToPost>,
    /// Turns for which a reported condition is not reported again.
    pub cooldown_turns: u32,
    /// Whether notices are only journaled.
    pub observe_only: bool,
    /// The evaluation, for `traces/latest_eval.json`; not written with `observe_only`.
    pub latest: Option<DumpDoc>,
    /// What else belongs to the commit: recoveries, health, skips.
    pub events: Vec<WatchEvent>,
}

/// What became of a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnOutcome {
    /// It is recorded.
    Recorded {
        /// Notices posted, in order; the breaker's own call for a person among them.
        posted: Vec<NoticeId>,
        /// Notices whose conditions had all been reported already.
        repeated: Vec<NoticeId>,
        /// Notices that the breaker held back.
        suppressed: Vec<NoticeId>,
        /// How the writing of the mailbox's files went. If it failed it is done later.
        files: Result<(), StoreError>,
    },
    /// It was recorded before; nothing was written.
    AlreadySeen,
    /// Another turn was recorded under the same session and number; nothing was written.
    Changed,
    /// The session has ended; nothing was written.
    SessionEnded,
}

impl Watch {
    /// Records an evaluated turn, once, whoever else offers it. A turn of which scores were missing
    /// takes them up when it is offered again with these, and with nothing that was recorded.
    ///
    /// # Errors
    /// The journal or the scores cannot be written, or were busy; offered again, the turn is
    /// recorded without posting anything twice.
    pub fn record_turn(&self, record: TurnRecord) -> Result<TurnOutcome, StoreError> {
        self.record_turn_with(record, || Ok(Vec::new()))
    }

    /// Records an evaluated turn with what it settles in trials: `observed` is asked under the
    /// lock once the turn is known to be new, and its events are in the same commit.
    ///
    /// # Errors
    /// What `observed` fails with, then nothing is written; and as for [`Self::record_turn`].
    pub fn record_turn_with(
        &self,
        record: TurnRecord,
        observed: impl FnOnce() -> Result<Vec<WatchEvent>, StoreError> + Send + 'static,
    ) -> Result<TurnOutcome, StoreError> {
        self.with_core(move |core| record_turn(core, record, observed))
    }
}

fn record_turn(
    core: &mut Core,
    mut record: TurnRecord,
    observed: impl FnOnce() -> Result<Vec<WatchEvent>, StoreError>,
) -> Result<TurnOutcome, StoreError> {
    core.scores.refresh()?;
    if let Some(session) = core.scores.get(&record.session)
        && let Some(digest) = session.digest(record.index)
    {
        if *digest != record.digest {
            return Ok(TurnOutcome::Changed);
        }
        if !is_late(&record, session.unscored(record.index)) {
            return Ok(TurnOutcome::AlreadySeen);
        }
    }
    let now = core.now();
    let state = core.refreshed()?;
    let session = state.sessions.get(&record.session);
    if session.is_some_and(|session| session.closed.is_some()) {
        return Ok(TurnOutcome::SessionEnded);
    }
    let Decided {
        mut events,
        posted,
        repeated,
        suppressed,
    } = decide(&record, state, now)?;
    events.extend(record.events.drain(..).map(Event::from));
    events.extend(observed()?.into_iter().map(Event::from));
    core.commit(events)?;
    let files = write_files(core, &record, &posted, now);
    let line = ScoresLine::Turn(score_line(&record, now));
    core.scores.append(&[line], &core.sink)?;
    Ok(TurnOutcome::Recorded {
        posted: posted.into_iter().map(|posted| posted.notice.id).collect(),
        repeated,
        suppressed,
        files,
    })
}

/// Whether a record brings a score that was missing of its turn.
fn is_late(record: &TurnRecord, missing: Option<&BTreeSet<MetricName>>) -> bool {
    missing.is_some_and(|missing| {
        let mut scores = record.scores.iter();
        scores.any(|(metric, score)| score.is_some() && missing.contains(metric))
    })
}

fn write_files(
    core: &mut Core,
    record: &TurnRecord,
    posted: &[NoticeToPost],
    now: Timestamp,
) -> Result<(), StoreError> {
    core.redo_files()?;
    if !posted.is_empty() {
        core.files_lag = true;
        for NoticeToPost { notice, dump } in posted {
            let doc = NoticeDoc::from_domain(notice);
            mailbox_files::post(&core.root, &core.sink, &doc, dump.as_ref())?;
        }
        core.state.refresh()?;
        let mailbox = &core.state.get().mailbox;
        mailbox_files::write_status(&core.root, &core.sink, mailbox, now)?;
        core.files_lag = false;
    }
    if let Some(latest) = record.latest.as_ref().filter(|_| !record.observe_only) {
        let bytes = core.sink.document(latest)?;
        core.root.replace(layout::latest_eval().as_str(), &bytes)?;
    }
    Ok(())
}

fn score_line(record: &TurnRecord, now: Timestamp) -> ScoreLine {
    ScoreLine {
        ts: now,
        session: record.session.clone(),
        turn: record.index,
        digest: hex(&record.digest),
        origin: match record.origin {
            Origin::Live => OriginDoc::Live,
            Origin::Recorded => OriginDoc::Recorded,
        },
        principal: record.principal.clone(),
        scores: ScoreLine::scores_of(&record.scores),
        gate: ScoreLine::gate_of(&record.gates),
        counts: record.counts,
    }
}
