//! One run of a case by a host that may do anything, and a pair of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use harness_core::{CleanString, EvalCase, MetricName, SessionId, TurnPayload};
use harness_rules::{ReplayPair, ReplayResult, RunOutcome, RunReport, TaskToolset};
use harness_store::wire::event::{ReplayArm, VoidReason};
use tokio::task::JoinHandle;

use crate::config::Config;
use crate::evaluation::Judges;
use crate::replay::{Replay, ReplayFailure, ReplayRun, Replayed};
use crate::watcher::lock;

/// A host's replay with the judges and bounds of a harness.
#[derive(Clone)]
pub(crate) struct Runs {
    pub(crate) replay: Arc<dyn Replay>,
    pub(crate) judges: Judges,
    pub(crate) config: Arc<Config>,
}

/// What a run came to.
pub(crate) struct Ran {
    pub(crate) report: RunReport,
    /// Why its pair counts for nothing, whatever the other run does.
    pub(crate) void: Option<VoidReason>,
}

/// A pair, run as far as it could be.
pub(crate) struct PairRan {
    pub(crate) result: ReplayResult,
    /// Time that its runs took, apart from waiting for the environment.
    pub(crate) spent: Duration,
    /// Whether the environment could be had.
    pub(crate) environment: Environment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Environment {
    Ready,
    NotReady,
}

/// A task that ends with whoever waits for it.
struct Tethered<T>(JoinHandle<T>);

impl<T> Drop for Tethered<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// How a host's future ended.
enum Ended<T> {
    Answered(Result<T, ReplayFailure>),
    Panicked,
    TimedOut,
}

/// Runs a host's future where a panic of it stays, and no longer than `limit`.
async fn contained<T: Send + 'static>(
    limit: Duration,
    work: impl Future<Output = Result<T, ReplayFailure>> + Send + 'static,
) -> Ended<T> {
    let mut task = Tethered(tokio::spawn(work));
    match tokio::time::timeout(limit, &mut task.0).await {
        Ok(Ok(answer)) => Ended::Answered(answer),
        Ok(Err(_)) => Ended::Panicked,
        Err(_) => Ended::TimedOut,
    }
}

impl Runs {
    /// Runs both runs of a pair, in its order.
    pub(crate) async fn pair(&self, pair: ReplayPair) -> PairRan {
        let mut ran: BTreeMap<bool, Ran> = BTreeMap::new();
        let (mut spent, mut states) = (Duration::ZERO, Vec::new());
        let mut void = None;
        for arm in pair.order() {
            let Some(state) = self.environment(pair.case()).await else {
                void = Some(VoidReason::Environment);
                break;
            };
            states.push(state);
            if states.first() != states.last() {
                void = Some(VoidReason::Drift);
                break;
            }
            let began = Instant::now();
            let one = self
                .run(
                    pair.case(),
                    pair.tools(arm),
                    pair.seed(),
                    pair.target(),
                    || pair.has_called(arm),
                )
                .await;
            spent += began.elapsed();
            void = one.void;
            ran.insert(arm == ReplayArm::With, one);
            // There is nothing to compare the other run with.
            if void.is_some() {
                break;
            }
        }
        let mut report = |with: bool| {
            ran.remove(&with).map_or(
                RunReport {
                    session: None,
                    outcome: RunOutcome::NotStarted,
                },
                |ran| ran.report,
            )
        };
        let (with, without) = (report(true), report(false));
        PairRan {
            result: match void {
                None => pair.ran(with, without),
                Some(why) => pair.void(why, with, without),
            },
            spent,
            environment: match void {
                Some(VoidReason::Environment) => Environment::NotReady,
                _ => Environment::Ready,
            },
        }
    }

    /// The state that a case's environment is in, if it can be had in time.
    pub(crate) async fn environment(&self, case: &EvalCase) -> Option<CleanString> {
        let (replay, case) = (Arc::clone(&self.replay), case.clone());
        let limit = Duration::from_secs(self.config.replay_environment_s);
        match contained(limit, async move { replay.environment(&case).await }).await {
            Ended::Answered(answer) => answer.ok(),
            Ended::Panicked | Ended::TimedOut => None,
        }
    }

    /// Runs a case once. A run that broke off before the agent's first step says nothing; one that
    /// broke off after it has failed, or else a rule that breaks runs would win by it.
    pub(crate) async fn run(
        &self,
        case: &EvalCase,
        tools: TaskToolset,
        seed: u64,
        target: Option<&MetricName>,
        has_called: impl Fn() -> bool,
    ) -> Ran {
        let reported = Arc::new(Mutex::new(Vec::new()));
        let run = ReplayRun::new(case.clone(), tools, seed, Arc::clone(&reported));
        let replay = Arc::clone(&self.replay);
        let limit = Duration::from_secs(self.config.replay_timeout_s);
        let ended = contained(limit, async move { replay.run(run).await }).await;
        let turns = std::mem::take(&mut *lock(&reported));
        let has_started = has_called() || turns.iter().any(|turn| !turn.trace.spans().is_empty());
        let broke = |why| {
            let session = turns.first().map(|turn| turn.session.clone());
            let (outcome, void) = if has_started {
                (RunOutcome::Unscored, None)
            } else {
                (RunOutcome::NotStarted, Some(why))
            };
            Ran {
                report: RunReport { session, outcome },
                void,
            }
        };
        match ended {
            Ended::TimedOut => broke(VoidReason::TimedOut),
            Ended::Panicked => broke(VoidReason::Panicked),
            Ended::Answered(Err(_)) => broke(VoidReason::NotStarted),
            Ended::Answered(Ok(replayed)) => {
                let void = refused(&replayed, seed, &turns);
                let outcome = match void {
                    Some(_) => RunOutcome::Unscored,
                    None => self.judged(&replayed.session, turns, target).await,
                };
                Ran {
                    report: RunReport {
                        session: Some(replayed.session),
                        outcome,
                    },
                    void,
                }
            }
        }
    }

    /// What the judges say of a run's turns, one after the other.
    async fn judged(
        &self,
        session: &SessionId,
        turns: Vec<TurnPayload>,
        target: Option<&MetricName>,
    ) -> RunOutcome {
        let mut gates = BTreeMap::new();
        let (mut outcome_failed, mut target_failed) = (false, false);
        for turn in turns.iter().filter(|turn| turn.session == *session) {
            let evaluation = self.judges.evaluate(turn, gates).await;
            if evaluation.is_missing_a_score() {
                return RunOutcome::Unscored;
            }
            for (_, metric) in evaluation.conditions() {
                outcome_failed |= metric.as_str() == MetricName::OUTCOME_CORRECT;
                target_failed |= target.is_none_or(|target| *target == metric);
            }
            gates = evaluation.gates;
        }
        RunOutcome::Scored {
            outcome_failed: self.judges.verifier.is_some().then_some(outcome_failed),
            target_failed,
        }
    }
}

/// What makes a run's answer worthless: another seed, or a session of which nothing was reported.
fn refused(replayed: &Replayed, seed: u64, turns: &[TurnPayload]) -> Option<VoidReason> {
    if replayed.seed != seed {
        Some(VoidReason::Seed)
    } else if turns.iter().all(|turn| turn.session != replayed.session) {
        Some(VoidReason::Session)
    } else {
        None
    }
}
