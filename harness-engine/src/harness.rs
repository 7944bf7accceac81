//! The loop, as a host holds it.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use harness_core::{
    CleanString, CleanText, Episode, NoticeId, Origin, Principal, RepairSessionId, SessionId,
    TurnPayload,
};
use harness_repair::{RepairAgent, RepairError, RepairResult};
use harness_rules::{Decided, DeskError, Desks, RepairDesk, RuleBook, Settings, TaskToolset};
use harness_sanitize::{Gate, Intake};
use harness_store::wire::event::{CloseReason, RegressionCase, SkipReason};
use harness_store::{Capture, GuardLog, OpenOptions, Opening, Reader, StoreError, Workspace};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::evaluation::Judges;
use crate::off_thread::{Lost, off_thread};
use crate::replay::Replay;
use crate::roster::Roster;
use crate::runs::Runs;
use crate::session::{Pushed, Report};
use crate::setup::{OpenError, Repair, Setup};
use crate::validation::{replay_cases, validate};
use crate::watcher::{Gone, WatchError, Watcher};

/// Why something could not be done. The host's own loop may go on.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// The workspace could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A desk could not do its part.
    #[error(transparent)]
    Desk(#[from] DeskError),
    /// The session has ended in this workspace and is not opened again. The host's fault: a new
    /// conversation needs a new id.
    #[error("the session has ended; a new conversation needs a new id")]
    SessionEnded,
    /// As many sessions are watched as may be. The host's fault, or the configuration's.
    #[error("{limit} sessions are watched already; end some, or raise HARNESS_TRACKED_SESSIONS")]
    TooManySessions {
        /// The bound.
        limit: usize,
    },
    /// The runtime is shutting down.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers")]
    NoRandomness,
}

impl From<WatchError> for HarnessError {
    fn from(error: WatchError) -> Self {
        match error {
            WatchError::Store(error) => Self::Store(error),
            WatchError::Desk(error) => Self::Desk(error),
            WatchError::Lost(lost) => Self::Lost(lost),
            WatchError::NoRandomness => Self::NoRandomness,
        }
    }
}

/// What became of a reported turn, said at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Recorded {
    /// It will be evaluated.
    Accepted,
    /// It will not: the session's queue is full, or as many sessions are watched as may be. The
    /// journal says so.
    Refused,
}

/// What a session has come to since the last time, once.
#[derive(Debug, Default)]
#[must_use]
pub struct Settled {
    /// Whether everything that was reported has been worked off within the budget.
    pub complete: bool,
    /// Turns recorded.
    pub recorded: u32,
    /// Turns in which a condition fired.
    pub alerts: u32,
    /// Notices posted.
    pub notices: Vec<NoticeId>,
    /// What could not be worked off, in words.
    pub failures: Vec<String>,
    /// What the one repair attempt came to, where one was due.
    pub repair: Option<RepairResult>,
}

/// How often silent sessions are looked for.
const SILENCE_CHECK: Duration = Duration::from_secs(60);

/// A running loop around one workspace. Dropping it leaves the workspace as it is;
/// [`Harness::close`] also waits for what is under way.
pub struct Harness {
    watcher: Arc<Watcher>,
    roster: Arc<Roster>,
    repair_desk: Arc<RepairDesk>,
    agent: Option<RepairAgent>,
    guard_log: Mutex<Option<GuardLog>>,
    reader: Reader,
    runtime: Handle,
    gone: Gone,
    silence: AbortOnDrop,
    runs: Option<Runs>,
    validation: AbortOnDrop,
}

/// A task that ends with its owner.
struct AbortOnDrop<T = ()>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Harness {
    /// Opens a workspace and starts watching. What an earlier process left undone is done first.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(setup: Setup) -> Result<Self, OpenError> {
        Self::open_with(setup, None)
    }

    /// As [`Harness::open`], for a host that can replay captured cases: candidates are tried on
    /// them before any session sees one, and wins are replayed after each promotion, unasked.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open_replaying(setup: Setup, replay: Arc<dyn Replay>) -> Result<Self, OpenError> {
        Self::open_with(setup, Some(replay))
    }

    fn open_with(setup: Setup, replay: Option<Arc<dyn Replay>>) -> Result<Self, OpenError> {
        let runtime = Handle::try_current().map_err(|_| OpenError::NoRuntime)?;
        let config = Arc::new(setup.config);
        let redactor = Arc::new(setup.redactor);
        let mut options = OpenOptions {
            redactor: Arc::clone(&redactor),
            ..OpenOptions::default()
        };
        if let Some(clock) = setup.clock {
            options.clock = clock;
        }
        let clock = Arc::clone(&options.clock);
        let halves = Workspace::open(&setup.paths, options)?;
        let judges = Judges::new(setup.evaluator, setup.verifier, Arc::clone(&config));
        let settings = Settings {
            replay: replay.as_ref().map(|_| config.replay()),
            judge: Some(judges.evaluator.identity()),
            ..config.rules()
        };
        let desks = Desks::of(halves, judges.registry().clone(), settings);
        let runs = replay.map(|replay| Runs {
            replay,
            judges: judges.clone(),
            config: Arc::clone(&config),
        });
        desks.validation.restore_files(&desks.reader)?;
        let (model, sink) = match setup.repair {
            Repair::Off => (None, None),
            Repair::With(model) => (Some(model), None),
            Repair::Traced(model, sink) => (Some(model), Some(sink)),
        };
        let agent = match model {
            Some(model) if !config.observe_only => {
                let intake = Arc::new(Intake::new(Gate::default(), (*redactor).clone()));
                let mut agent = RepairAgent::new(model, intake).with_bounds(config.repair());
                if let Some(sink) = sink {
                    agent = agent.with_traces(sink);
                }
                Some(match &config.domain_policy {
                    Some(policy) => agent.with_domain_policy(policy),
                    None => agent,
                })
            }
            Some(_) | None => None,
        };
        let (watcher, gone) = Watcher::new(
            desks.watch,
            &desks.reader,
            desks.book,
            desks.validation,
            judges,
            config,
            clock,
        )?;
        let watcher = Arc::new(watcher);
        let roster = Arc::new(Roster::new(Arc::clone(&watcher), runtime.clone()));
        let silence = AbortOnDrop(runtime.spawn(end_silent(Arc::downgrade(&roster))));
        let validation = validate(Arc::clone(&watcher), runs.clone());
        let validation = AbortOnDrop(runtime.spawn(validation));
        if !watcher.config.observe_only {
            // What an earlier process left undone.
            watcher.wanted.ask();
        }
        Ok(Self {
            watcher,
            roster,
            repair_desk: Arc::new(desks.repair),
            agent,
            guard_log: Mutex::new(Some(desks.guard)),
            reader: desks.reader,
            runtime,
            gone,
            silence,
            runs,
            validation,
        })
    }

    /// Begins a session that is happening, and gives its task agent the four tools. Durable before
    /// it returns, so that whatever the tools show is shown to a session that is known.
    ///
    /// # Errors
    /// [`HarnessError::SessionEnded`], [`HarnessError::TooManySessions`], or the workspace cannot be
    /// written.
    pub async fn begin_session(
        &self,
        session: &SessionId,
        principal: Option<Principal>,
    ) -> Result<TaskToolset, HarnessError> {
        let watched = self
            .roster
            .watched(session)
            .ok_or(HarnessError::TooManySessions {
                limit: self.watcher.config.tracked_sessions,
            })?;
        match self.watcher.open(session, Origin::Live, principal).await? {
            Opening::Opened | Opening::WasOpen => {
                Ok(self.watcher.book.task_tools(Arc::clone(&watched.task)))
            }
            Opening::HasEnded => {
                self.roster.forget(session);
                Err(HarnessError::SessionEnded)
            }
        }
    }

    /// Takes a finished turn and returns at once; it is evaluated in the background.
    pub fn record_turn(&self, turn: TurnPayload) -> Recorded {
        let turn = turn.bounded();
        let (name, index) = (turn.session.clone(), turn.index);
        let pushed = self.roster.watched(&name).map(|session| {
            session.task.turn_ended(index);
            self.roster.push(&session, Report::Turn(Box::new(turn)))
        });
        if matches!(pushed, Some(Pushed::Queued | Pushed::StartWorker)) {
            return Recorded::Accepted;
        }
        let watcher = Arc::clone(&self.watcher);
        self.runtime.spawn(async move {
            let name =
                CleanText::new(name.as_str().to_owned()).unwrap_or_else(|_| CleanText::empty());
            if let Err(error) = watcher
                .note_skip(name, Some(index), SkipReason::QueueFull)
                .await
            {
                tracing::warn!(%error, "a refused turn could not be journaled");
            }
        });
        Recorded::Refused
    }

    /// Says that a host used a name that is no session id, such as one of a repair session: its
    /// turns are left unscored, and the journal says so.
    ///
    /// # Errors
    /// The workspace cannot be written.
    pub async fn refuse_session(&self, name: CleanString) -> Result<(), HarnessError> {
        Ok(self
            .watcher
            .note_skip(name, None, SkipReason::RepairPrefix)
            .await?)
    }

    /// Ends a session after what was reported of it. Later turns of it belong to no trial.
    pub fn end_session(&self, session: &SessionId) {
        if let Some(session) = self.roster.watched(session) {
            self.roster.push(&session, Report::End(CloseReason::Host));
        }
    }

    /// Waits for everything that was reported of a session, makes one bounded repair attempt where
    /// one is due, and says what came of it; each thing is said once.
    ///
    /// The attempt is at an episode of this session if one waits, else at the one that waits
    /// longest. `complete` is false if the budget ran out first.
    pub async fn settle(&self, session: &SessionId) -> Settled {
        let budget = Duration::from_secs(self.watcher.config.settle_budget_s);
        let Some(watched) = self.roster.known(session) else {
            return Settled {
                complete: true,
                ..Settled::default()
            };
        };
        let settled = tokio::time::timeout(budget, async {
            watched.settled().await;
            self.repair_one(session).await
        })
        .await;
        let tally = watched.take_tally();
        let mut failures = tally.failures;
        let (complete, repair) = match settled {
            Ok(Ok(repair)) => (true, repair),
            Ok(Err(error)) => {
                failures.push(error.to_string());
                (true, None)
            }
            Err(_) => (false, None),
        };
        Settled {
            complete,
            recorded: tally.recorded,
            alerts: tally.alerts,
            notices: tally.notices,
            failures,
            repair,
        }
    }

    /// Keeps a finished turn as a win to protect in the eval set, with the scores that it gets now.
    /// It is not recorded by this. [`Capture::FullOfWins`] if there is no room; a turn whose replay
    /// input held a secret is kept and cannot be replayed.
    ///
    /// # Errors
    /// The workspace cannot be written.
    pub async fn capture_win(&self, turn: TurnPayload) -> Result<Capture, HarnessError> {
        Ok(self.watcher.capture_win(turn.bounded()).await?)
    }

    /// Lets the validation desk decide what can be decided, as at the boundary of a phase, and waits
    /// for one round of replay where candidates wait for one, as long as the configuration says.
    /// What was decided meanwhile is told once.
    ///
    /// # Errors
    /// The workspace cannot be read or written.
    pub async fn settle_validation(&self) -> Result<Decided, HarnessError> {
        let budget = Duration::from_secs(self.watcher.config.settle_budget_s);
        let mut decided = self.watcher.decide().await?;
        if self.runs.is_some() && !self.watcher.config.observe_only {
            let look = self.watcher.wanted.ask();
            // Where the time is up the round goes on, and a later call tells what came of it.
            let _ = tokio::time::timeout(budget, self.watcher.wanted.had(look)).await;
        }
        decided.extend(self.watcher.wanted.take_untold());
        Ok(decided)
    }

    /// Replays the newest `limit` cases of the eval set under today's rules, one run each, and
    /// journals how they came out; without a replay each is skipped.
    ///
    /// # Errors
    /// The workspace cannot be read or written.
    pub async fn replay_cases(&self, limit: usize) -> Result<Vec<RegressionCase>, HarnessError> {
        let runs = self.runs.as_ref();
        Ok(replay_cases(&self.watcher, runs, None, limit, Vec::new()).await?)
    }

    /// Ends every session that was silent for as long as the configuration says. This happens by
    /// itself once a minute; a host calls it to have it now.
    ///
    /// # Errors
    /// The workspace cannot be read or written.
    pub async fn end_silent_sessions(&self) -> Result<(), HarnessError> {
        Ok(self.roster.end_silent().await?)
    }

    /// Waits for what is under way, as long as the configuration says, and lets go of the
    /// workspace; it is closed once the host's toolsets are dropped too. Returns whether all of it
    /// ended in time; what did not goes on, and is lost only with the process.
    pub async fn close(self) -> bool {
        let drain = Duration::from_secs(self.watcher.config.drain_s);
        let Self {
            watcher,
            roster,
            gone,
            mut silence,
            mut validation,
            ..
        } = self;
        silence.0.abort();
        validation.0.abort();
        // Aborted, so these say that they were, at once.
        let _ = (&mut silence.0).await;
        let _ = (&mut validation.0).await;
        drop((watcher, roster));
        tokio::time::timeout(drain, gone.wait()).await.is_ok()
    }

    /// The half of the workspace that records what became of tool calls, for whoever guards them:
    /// once, and then `None`. It can record nothing else, and the workspace is not closed before it
    /// is dropped.
    pub fn take_guard_log(&self) -> Option<GuardLog> {
        self.guard_log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// The rules, for reading.
    pub fn book(&self) -> &RuleBook {
        &self.watcher.book
    }

    /// The workspace, for reading.
    pub const fn reader(&self) -> &Reader {
        &self.reader
    }

    async fn repair_one(&self, session: &SessionId) -> Result<Option<RepairResult>, HarnessError> {
        let Some(agent) = &self.agent else {
            return Ok(None);
        };
        let Some(episode) = self.next_episode(session).await? else {
            return Ok(None);
        };
        let bits = getrandom::u64().map_err(|_| HarnessError::NoRandomness)?;
        let (agent, desk) = (agent.clone(), Arc::clone(&self.repair_desk));
        let session = RepairSessionId::from_bits(bits);
        // A task of its own: what the model does is no part of the host's task or of its spans, and
        // a panic of the model's ends there.
        let repairing = async move { agent.run(desk, episode, session).await };
        let mut repairing = AbortOnDrop(self.runtime.spawn(repairing));
        let repaired = (&mut repairing.0).await.map_err(|_| Lost)?;
        match repaired {
            Ok(result) => {
                if result.new_rule.is_some() {
                    self.watcher.decide().await?;
                }
                Ok(Some(result))
            }
            // Somebody else repairs, or has resolved it: nothing is lost, the next call looks again.
            Err(RepairError::NotOpened(DeskError::EpisodeUnderWay | DeskError::NotPending(_))) => {
                Ok(None)
            }
            Err(RepairError::NotOpened(error) | RepairError::NotRecorded(error)) => {
                Err(error.into())
            }
            Err(RepairError::Stopped) => Err(Lost.into()),
        }
    }

    /// The episode to try next: of this session if one is due, else the first that is. None while
    /// the breaker has paused repair, or the day's attempts are used up.
    async fn next_episode(&self, session: &SessionId) -> Result<Option<Episode>, HarnessError> {
        let (watcher, desk) = (Arc::clone(&self.watcher), Arc::clone(&self.repair_desk));
        let session = session.clone();
        let now = self.watcher.now();
        off_thread(move || {
            if desk.attempts_on_day_of(now)? >= watcher.config.episodes_per_day {
                return Ok(None);
            }
            let mut episodes = desk.episodes(now)?;
            let seen = watcher.seen()?;
            let (_, (breaker, sessions)) = seen.get();
            episodes.retain(|episode| {
                let principal = sessions
                    .get(episode.session())
                    .and_then(|state| state.principal.as_ref());
                !breaker.is_paused(principal)
            });
            let own = episodes
                .iter()
                .position(|episode| *episode.session() == session)
                .unwrap_or(0);
            Ok((own < episodes.len()).then(|| episodes.swap_remove(own)))
        })
        .await?
    }
}

/// Looks for silent sessions until the harness is gone. A failure is tried again at the next look.
async fn end_silent(roster: Weak<Roster>) {
    loop {
        tokio::time::sleep(SILENCE_CHECK).await;
        let Some(roster) = roster.upgrade() else {
            return;
        };
        if let Err(error) = roster.end_silent().await {
            tracing::warn!(%error, "silent sessions could not be ended");
        }
    }
}
