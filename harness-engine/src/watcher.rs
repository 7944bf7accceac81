//! Working off what hosts reported: one session's reports in order, several sessions side by side,
//! every step bounded, every failure a line in the journal or in the tally, never the host's.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harness_core::{CleanString, CleanText, Origin, SessionId, Timestamp, TurnPayload};
use harness_rules::{RuleBook, ValidationDesk};
use harness_store::wire::event::{
    CloseReason, Health, HealthState, OriginDoc, SessionOpened, Skip, SkipReason,
};
use harness_store::wire::turn_digest;
use harness_store::{
    Breaker, Clock, Follower, Mailbox, Opening, Reader, SessionScores, Sessions, StoreError,
    TurnOutcome, Watch,
};
use tokio::sync::{Semaphore, mpsc};

use crate::config::Config;
use crate::evaluation::{Evaluation, Judges};
use crate::off_thread::{Lost, off_thread};
use crate::ports::HealthReport;
use crate::session::{Report, Session, Unscored};
use crate::skips::Skips;
use crate::validation::Wanted;

/// What the engine follows of the journal beside the rules.
pub(crate) type Seen = ((Mailbox, Skips), (Breaker, Sessions));

/// Everything that working off a report needs.
pub(crate) struct Watcher {
    pub(crate) watch: Watch,
    pub(crate) book: RuleBook,
    pub(crate) validation: ValidationDesk,
    pub(crate) judges: Judges,
    pub(crate) config: Arc<Config>,
    clock: Clock,
    permits: Semaphore,
    seen: Mutex<Follower<Seen>>,
    pub(crate) scores: Mutex<harness_store::Scores>,
    /// The state of the evaluator as it was last journaled.
    health: Mutex<HealthState>,
    pub(crate) wanted: Wanted,
    // INVARIANT: the last field, so that it goes when everything else is gone.
    _alive: mpsc::Sender<Infallible>,
}

/// What ends when nobody works with a watcher any more: no task, and no step that a task began on
/// another thread before it was aborted.
pub(crate) struct Gone(mpsc::Receiver<Infallible>);

impl Gone {
    /// Waits for it.
    pub(crate) async fn wait(mut self) {
        // Nothing is ever sent; this ends when the sender is dropped.
        let _ = self.0.recv().await;
    }
}

/// Why a report was not worked off.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WatchError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Desk(#[from] harness_rules::DeskError),
    #[error(transparent)]
    Lost(#[from] Lost),
    #[error("the system gives no random numbers")]
    NoRandomness,
}

impl Watcher {
    pub(crate) fn new(
        watch: Watch,
        reader: &Reader,
        book: RuleBook,
        validation: ValidationDesk,
        judges: Judges,
        config: Arc<Config>,
        clock: Clock,
    ) -> Result<(Self, Gone), StoreError> {
        let health = if book.ledger()?.in_outage() {
            HealthState::Down
        } else {
            HealthState::Up
        };
        let (alive, gone) = mpsc::channel(1);
        let watcher = Self {
            permits: Semaphore::new(config.concurrent_evaluations),
            seen: Mutex::new(reader.follow(Seen::default())),
            scores: Mutex::new(reader.scores()?),
            health: Mutex::new(health),
            wanted: Wanted::default(),
            watch,
            book,
            validation,
            judges,
            config,
            clock,
            _alive: alive,
        };
        Ok((watcher, Gone(gone)))
    }

    /// Works off a session's reports until there is none left.
    pub(crate) async fn work_off(self: Arc<Self>, session: Arc<Session>) {
        while let Some(report) = session.next() {
            // The semaphore is never closed; were it, the report would be worked off all the same.
            let _permit = self.permits.acquire().await;
            let worked = match report {
                Report::Turn(turn) => Self::turn(&self, &session, *turn).await,
                Report::End(reason) => Self::end(&self, &session, reason).await,
            };
            if let Err(error) = worked {
                tracing::warn!(%error, "a report could not be worked off");
                session.count(|tally| tally.failures.push(error.to_string()));
            }
        }
    }

    /// The time, of the workspace's clock.
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// The sessions that are happening and open in the journal, with the turns recorded of each.
    pub(crate) async fn open_elsewhere(
        self: &Arc<Self>,
    ) -> Result<Vec<(SessionId, usize)>, WatchError> {
        let watcher = Arc::clone(self);
        off_thread(move || {
            let open: Vec<SessionId> = {
                let seen = watcher.seen()?;
                let (_, (_, sessions)) = seen.get();
                sessions
                    .open()
                    .filter(|(_, state)| state.origin == OriginDoc::Live)
                    .map(|(session, _)| session.clone())
                    .collect()
            };
            let mut scores = lock(&watcher.scores);
            scores.refresh()?;
            Ok(open
                .into_iter()
                .map(|session| {
                    let turns = scores.get(&session).map_or(0, SessionScores::turn_count);
                    (session, turns)
                })
                .collect())
        })
        .await?
    }

    /// Ends a session that nobody reports to any more. Whatever its last turn still waited for is
    /// missing.
    pub(crate) async fn end_abandoned(
        self: &Arc<Self>,
        session: SessionId,
    ) -> Result<(), WatchError> {
        let watcher = Arc::clone(self);
        let was_open = off_thread(move || watcher.close(&session, CloseReason::Idle)).await??;
        if was_open {
            self.decide().await?;
        }
        Ok(())
    }

    /// Opens a session, durably, before anything of it is shown or judged.
    pub(crate) async fn open(
        self: &Arc<Self>,
        session: &SessionId,
        origin: Origin,
        principal: Option<harness_core::Principal>,
    ) -> Result<Opening, WatchError> {
        let (watcher, session) = (Arc::clone(self), session.clone());
        let origin = match origin {
            Origin::Live => OriginDoc::Live,
            Origin::Recorded => OriginDoc::Recorded,
        };
        Ok(off_thread(move || {
            watcher.watch.open_session(SessionOpened {
                session,
                origin,
                principal,
            })
        })
        .await??)
    }

    async fn turn(
        self: &Arc<Self>,
        session: &Arc<Session>,
        turn: TurnPayload,
    ) -> Result<(), WatchError> {
        self.ask_again(session).await?;
        let digest = turn_digest(&turn);
        let (watcher, id, index) = (Arc::clone(self), turn.session.clone(), turn.index);
        let known = off_thread(move || watcher.known(&id, index)).await??;
        match known.digest {
            Some(known) if known == digest => return Ok(()),
            Some(_) => return self.skip(&turn, SkipReason::TurnChanged).await,
            None => {}
        }
        let opening = self
            .open(&turn.session, turn.origin, turn.principal.clone())
            .await?;
        if opening == Opening::HasEnded {
            return self.skip(&turn, SkipReason::SessionClosed).await;
        }
        let evaluation = self.judges.evaluate(&turn, known.gates).await;
        self.check_health(&evaluation).await?;
        let is_last = turn.index.saturating_add(1) >= TurnPayload::MAX_TURNS;
        let evaluated = Unscored {
            shown: session.task.shown(),
            turn,
            digest,
            evaluation,
        };
        let evaluation = evaluated.evaluation.clone();
        if self.record_for(session, &evaluated, evaluation).await? {
            session.count(|tally| tally.recorded += 1);
            if evaluated.evaluation.awaits_a_score() {
                session.await_scores(evaluated);
            }
        }
        if is_last {
            Self::end(self, session, CloseReason::Turns).await?;
        }
        Ok(())
    }

    /// Records what an evaluation says of a turn, and lets the validation desk look at what that
    /// settles. Whether anything was recorded.
    async fn record_for(
        self: &Arc<Self>,
        session: &Arc<Session>,
        of: &Unscored,
        evaluation: Evaluation,
    ) -> Result<bool, WatchError> {
        let watcher = Arc::clone(self);
        let (turn, digest, shown) = (of.turn.clone(), of.digest, of.shown.clone());
        let (alerts, outcome) = off_thread(move || {
            let alerts = u32::from(!evaluation.conditions().is_empty());
            watcher
                .record(turn, digest, &evaluation, shown)
                .map(|outcome| (alerts, outcome))
        })
        .await??;
        let TurnOutcome::Recorded { posted, .. } = outcome else {
            return Ok(false);
        };
        session.count(|tally| {
            tally.alerts += alerts;
            tally.notices.extend(posted);
        });
        self.decide().await?;
        Ok(true)
    }

    /// Asks once more for the scores that had not come when their turns were recorded. Nobody is
    /// asked in an outage, nor after a judge that gives no answer: what is still missing at the end
    /// counts as missing.
    async fn ask_again(self: &Arc<Self>, session: &Arc<Session>) -> Result<(), WatchError> {
        let mut is_down = *lock(&self.health) == HealthState::Down;
        for mut waiting in session.take_unscored() {
            if !is_down {
                let turn = &waiting.turn;
                let (watcher, id, index) = (Arc::clone(self), turn.session.clone(), turn.index);
                let known = off_thread(move || watcher.known(&id, index)).await??;
                let is_overtaken = known.last.is_some_and(|last| last > index);
                let late = self
                    .judges
                    .ask_again(turn, &mut waiting.evaluation, known.gates, is_overtaken)
                    .await;
                is_down = waiting.evaluation.unavailable.is_some();
                if late.findings.iter().any(|finding| finding.score.is_some()) {
                    self.record_for(session, &waiting, late).await?;
                }
            }
            if waiting.evaluation.awaits_a_score() {
                session.await_scores(waiting);
            }
        }
        Ok(())
    }

    async fn end(
        self: &Arc<Self>,
        session: &Arc<Session>,
        reason: CloseReason,
    ) -> Result<(), WatchError> {
        self.ask_again(session).await?;
        let (watcher, id) = (Arc::clone(self), session.id().clone());
        let was_open = off_thread(move || watcher.close(&id, reason)).await??;
        if was_open {
            self.decide().await?;
        }
        Ok(())
    }

    /// Lets the validation desk look at the journal.
    pub(crate) async fn decide(self: &Arc<Self>) -> Result<harness_rules::Decided, WatchError> {
        if self.config.observe_only {
            return Ok(harness_rules::Decided::default());
        }
        let watcher = Arc::clone(self);
        let identity = self.judges.evaluator.identity();
        let decided = off_thread(move || watcher.validation.decide(&identity)).await??;
        self.wanted.follow(&decided);
        Ok(decided)
    }

    async fn skip(
        self: &Arc<Self>,
        turn: &TurnPayload,
        reason: SkipReason,
    ) -> Result<(), WatchError> {
        let session =
            CleanText::new(turn.session.as_str().to_owned()).unwrap_or_else(|_| CleanText::empty());
        self.note_skip(session, Some(turn.index), reason).await
    }

    /// Journals that something was not evaluated, once.
    pub(crate) async fn note_skip(
        self: &Arc<Self>,
        session: CleanString,
        turn_index: Option<u32>,
        reason: SkipReason,
    ) -> Result<(), WatchError> {
        let watcher = Arc::clone(self);
        off_thread(move || {
            let skip = Skip {
                session,
                turn_index,
                reason,
            };
            let is_known = watcher.seen()?.get().0.1.contains(&skip);
            if !is_known {
                let wait = harness_store::DEFAULT_LOCK_WAIT;
                watcher.watch.append(wait, vec![skip.into()])?;
            }
            Ok::<(), StoreError>(())
        })
        .await??;
        Ok(())
    }

    /// Asks for the evaluator's health after a failure, or while it is down, and journals a change
    /// before the turn that showed it, so that the turn counts as inside the outage.
    async fn check_health(self: &Arc<Self>, evaluation: &Evaluation) -> Result<(), WatchError> {
        let before = *lock(&self.health);
        if evaluation.unavailable.is_none() && before == HealthState::Up {
            return Ok(());
        }
        let limit = std::time::Duration::from_secs(self.config.eval_timeout_s);
        let report = tokio::time::timeout(limit, self.judges.evaluator.health())
            .await
            .unwrap_or_else(|_| HealthReport::Down(clean("the health check gave no answer")));
        let (state, detail) = match report {
            HealthReport::Up => (HealthState::Up, CleanText::empty()),
            HealthReport::Down(detail) => (HealthState::Down, detail),
        };
        if state == before {
            return Ok(());
        }
        *lock(&self.health) = state;
        let change = Health {
            source: self.judges.evaluator.identity().name,
            state,
            detail,
        };
        let watcher = Arc::clone(self);
        off_thread(move || {
            watcher
                .watch
                .append(harness_store::DEFAULT_LOCK_WAIT, vec![change.into()])
        })
        .await??;
        Ok(())
    }

    /// The mailbox, breaker and sessions, brought up to date.
    pub(crate) fn seen(&self) -> Result<MutexGuard<'_, Follower<Seen>>, StoreError> {
        let mut seen = lock(&self.seen);
        seen.refresh()?;
        Ok(seen)
    }
}

fn clean(text: &'static str) -> CleanString {
    CleanText::new(text).unwrap_or_else(|_| CleanText::empty())
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
