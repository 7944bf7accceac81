//! The desk of the repair agent: the only way to propose a rule.
//!
//! An episode is opened once, may propose at most once and ends exactly once, by type: proposing
//! consumes an [`OpenEpisode`] and gives a [`ProposedEpisode`], which has no `propose`:
//!
//! ```compile_fail
//! # use harness_rules::{OpenEpisode, Proposal};
//! fn two_rules(episode: OpenEpisode, one: Proposal, two: Proposal) {
//!     let _ = episode.propose(one);
//!     let _ = episode.propose(two);
//! }
//! ```

mod attempt;
mod episode;
mod told;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harness_core::{
    CleanString, Episode, MetricRegistry, Notice, RepairSessionId, Timestamp, Trace, layout,
};
use harness_store::wire::dump::DumpDoc;
use harness_store::wire::event::{RepairContext, RepairStarted};
use harness_store::wire::sha256;
use harness_store::{Follower, Mailbox, Reader, RepairEvent, RepairLog, StoreError};

use crate::attempts::AttemptLog;
use crate::book::RuleBook;
use crate::desk::{COMMIT_DEADLINE, DeskError};
use attempt::Attempt;

pub use episode::{OpenEpisode, ProposeOutcome, ProposedEpisode, WithoutRule};
pub use told::{Abandoned, Category, Ended, ModelTurn, ToolCallNote, Usage};

/// The repair desk.
pub struct RepairDesk {
    shared: Arc<Shared>,
}

struct Shared {
    book: RuleBook,
    log: RepairLog,
    registry: MetricRegistry,
    reader: Reader,
    waiting: Mutex<Follower<Waiting>>,
}

/// What waits, and how often it was tried.
type Waiting = (Mailbox, AttemptLog);

/// An opened episode: fresh, or one that proposed in an earlier attempt.
pub enum Opened {
    /// It may propose.
    Fresh(OpenEpisode),
    /// It proposed before an earlier attempt was cut short; this attempt continues with that.
    Continued(ProposedEpisode),
}

impl RepairDesk {
    pub(crate) fn new(
        book: RuleBook,
        reader: Reader,
        log: RepairLog,
        registry: MetricRegistry,
    ) -> Self {
        let waiting = Mutex::new(reader.follow(Waiting::default()));
        Self {
            shared: Arc::new(Shared {
                book,
                log,
                registry,
                reader,
                waiting,
            }),
        }
    }

    /// The episodes that wait: pending notices for an agent, related ones together. Those that were
    /// never tried come first, oldest first; then those tried before, fewest attempts first, and
    /// only once the back-off after their last attempt is over. So a failing episode never starves
    /// a newer one.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn episodes(&self, now: Timestamp) -> Result<Vec<Episode>, DeskError> {
        let waiting = self.shared.waiting()?;
        let (mailbox, attempts) = waiting.get();
        let mut due: Vec<(u32, Episode)> = coalesce(mailbox)
            .into_iter()
            .filter_map(|episode| {
                let tries = attempts.of(episode.id());
                tries.is_due(now).then_some((tries.count, episode))
            })
            .collect();
        due.sort_by(|(a, left), (b, right)| {
            a.cmp(b).then_with(|| left.notices().cmp(right.notices()))
        });
        Ok(due.into_iter().map(|(_, episode)| episode).collect())
    }

    /// How many attempts began on the day of `now`, in UTC.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn attempts_on_day_of(&self, now: Timestamp) -> Result<u32, DeskError> {
        Ok(self.shared.waiting()?.get().1.on_day_of(now))
    }

    /// Begins an attempt. One episode at a time is repaired in a workspace, across processes.
    ///
    /// # Errors
    /// [`DeskError::EpisodeUnderWay`]; [`DeskError::NotPending`]; or the journal cannot be written.
    pub fn open(
        &self,
        episode: &Episode,
        model: CleanString,
        repair_session: RepairSessionId,
    ) -> Result<Opened, DeskError> {
        let flight = self
            .shared
            .log
            .take_off()?
            .ok_or(DeskError::EpisodeUnderWay)?;
        let (notices, attempt) = self.shared.pending(episode)?;
        let context = RepairContext {
            episode: episode.id().clone(),
            notices: episode.notices().to_vec(),
            attempt,
            repair_session: repair_session.to_string(),
            recommended_scope: notices.iter().find_map(|n| n.recommended_scope.clone()),
            selected_scope: None,
            scope_rationale: None,
            considered_rules: Vec::new(),
            suppression: None,
        };
        let earlier = self
            .shared
            .book
            .ledger()?
            .proposal_of(episode.id())
            .map(|record| record.rule.id.clone());
        self.shared.append(
            RepairStarted {
                context: context.clone(),
                model,
            }
            .into(),
        )?;
        let attempt = Attempt {
            episode: episode.clone(),
            traces: self.shared.traces_of(&notices),
            notices,
            context,
            reader: self.shared.book.full_reader(),
            flight: Some(flight),
            shared: Arc::clone(&self.shared),
        };
        Ok(match earlier {
            None => Opened::Fresh(OpenEpisode { attempt }),
            Some(rule) => Opened::Continued(ProposedEpisode { attempt, rule }),
        })
    }
}

impl Shared {
    fn append(&self, event: RepairEvent) -> Result<(), DeskError> {
        self.log.append(COMMIT_DEADLINE, vec![event])?;
        Ok(())
    }

    fn waiting(&self) -> Result<MutexGuard<'_, Follower<Waiting>>, StoreError> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.refresh()?;
        Ok(waiting)
    }

    /// The notices of an episode, all of them pending, and the number of the next attempt.
    fn pending(&self, episode: &Episode) -> Result<(Vec<Notice>, u32), DeskError> {
        let waiting = self.waiting()?;
        let (mailbox, attempts) = waiting.get();
        let notices: Vec<Notice> = episode
            .notices()
            .iter()
            .filter_map(|id| mailbox.get(id).cloned())
            .filter(Notice::is_repairable)
            .collect();
        if notices.len() == episode.notices().len() {
            let attempt = attempts.of(episode.id()).count.saturating_add(1);
            Ok((notices, attempt))
        } else {
            Err(DeskError::NotPending(episode.id().clone()))
        }
    }

    /// The traces in the dumps of these notices, each once. A dump is found by its notice's id; one
    /// that is missing or does not read costs its evidence, not the episode.
    fn traces_of(&self, notices: &[Notice]) -> Vec<Trace> {
        let mut traces: Vec<Trace> = Vec::new();
        for notice in notices {
            let dump = self
                .reader
                .file(&layout::dump(&notice.id))
                .ok()
                .flatten()
                .and_then(|bytes| serde_json::from_slice::<DumpDoc>(&bytes).ok());
            for document in dump.into_iter().flat_map(|dump| dump.x_traces) {
                if let Ok(trace) = document.try_into_domain()
                    && notice.flagged_traces.contains(trace.id())
                    && traces.iter().all(|other| other.id() != trace.id())
                {
                    traces.push(trace);
                }
            }
        }
        traces
    }
}

/// Related pending notices together, each notice in one episode.
fn coalesce(mailbox: &Mailbox) -> Vec<Episode> {
    let mut groups: Vec<Vec<&Notice>> = Vec::new();
    for notice in mailbox.pending().filter(|n| n.is_repairable()) {
        let (related, mut rest): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group| group.iter().any(|other| notice.is_related_to(other)));
        let mut joined: Vec<&Notice> = related.into_iter().flatten().collect();
        joined.push(notice);
        rest.push(joined);
        groups = rest;
    }
    groups
        .into_iter()
        .filter_map(|group| {
            let first = group.first()?;
            let ids = group.iter().map(|notice| notice.id.clone()).collect();
            Episode::new(first.session.clone(), first.turn_index, ids, sha256)
        })
        .collect()
}
