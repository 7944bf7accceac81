//! Validation beside the host: rounds of replay while candidates wait for them, and a look at the
//! wins after each promotion.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use harness_core::{CaseKind, EvalCase, RuleId};
use harness_rules::{Decided, ReplayPlan, ReplayRound, TurnEnd};
use harness_store::wire::event::{CaseResult, RegressionCase};
use tokio::sync::watch;

use crate::off_thread::off_thread;
use crate::runs::{Environment, Runs};
use crate::watcher::{WatchError, Watcher, lock};

/// How long to wait between two rounds, so that an environment that is down has time to come back.
const PAUSE: Duration = Duration::from_secs(60);
/// Decisions that wait for whoever asks for them; older ones are in the journal alone.
const MAX_UNTOLD: usize = 256;
/// The seed of runs that are compared with nothing.
const REGRESSION_SEED: u64 = 1;

/// What wakes validation, and what came of it.
pub(crate) struct Wanted {
    asked: watch::Sender<u64>,
    done: watch::Sender<u64>,
    promoted: Mutex<Vec<RuleId>>,
    untold: Mutex<Decided>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            asked: watch::Sender::new(0),
            done: watch::Sender::new(0),
            promoted: Mutex::default(),
            untold: Mutex::default(),
        }
    }
}

impl Wanted {
    /// Asks for a look; the number to wait for.
    pub(crate) fn ask(&self) -> u64 {
        let mut number = 0;
        self.asked.send_modify(|asked| {
            *asked += 1;
            number = *asked;
        });
        number
    }

    /// Asks for what follows from decisions: rounds for what was opened, a look at the wins for
    /// what was promoted.
    pub(crate) fn follow(&self, decided: &Decided) {
        if decided.opened.is_empty() && decided.promoted.is_empty() {
            return;
        }
        let mut promoted = lock(&self.promoted);
        promoted.extend(decided.promoted.iter().cloned());
        drop(promoted);
        self.ask();
    }

    /// Waits until the look of that number has been had.
    pub(crate) async fn had(&self, number: u64) {
        let mut done = self.done.subscribe();
        // The sender lives in `self`, so this ends only by coming true.
        let _ = done.wait_for(|done| *done >= number).await;
    }

    /// What was decided beside the host since it was last told.
    pub(crate) fn take_untold(&self) -> Decided {
        std::mem::take(&mut lock(&self.untold))
    }

    fn tell_later(&self, decided: Decided) {
        let mut untold = lock(&self.untold);
        if untold.promoted.len() + untold.retired.len() + untold.opened.len() < MAX_UNTOLD {
            untold.extend(decided);
        }
    }
}

/// Validates for as long as it is polled: dropped, it leaves at worst a turn that the next round
/// ends as interrupted. What is asked for from this call on is not missed.
pub(crate) fn validate(
    watcher: Arc<Watcher>,
    runs: Option<Runs>,
) -> impl Future<Output = ()> + Send + 'static {
    let mut asked = watcher.wanted.asked.subscribe();
    async move {
        let mut waits = false;
        loop {
            if waits {
                // Woken or not, it is time for another round.
                let _ = tokio::time::timeout(PAUSE, asked.changed()).await;
            } else if asked.changed().await.is_err() {
                return;
            }
            let number = *asked.borrow_and_update();
            waits = look(&watcher, runs.as_ref()).await;
            watcher.wanted.done.send_replace(number);
        }
    }
}

/// What is due now; whether there is to be another round.
async fn look(watcher: &Arc<Watcher>, runs: Option<&Runs>) -> bool {
    let promoted = std::mem::take(&mut *lock(&watcher.wanted.promoted));
    if !promoted.is_empty()
        && let Err(error) = look_at_wins(watcher, runs, promoted).await
    {
        tracing::warn!(%error, "the wins could not be looked at");
    }
    match round(watcher, runs).await {
        Ok(ran) => ran,
        Err(error) => {
            tracing::warn!(%error, "a round of replay broke off");
            true
        }
    }
}

/// One round: every candidate that waits has its turn, as far as the budget goes. Whether there was
/// anything to do.
async fn round(watcher: &Arc<Watcher>, runs: Option<&Runs>) -> Result<bool, WatchError> {
    let desk = Arc::clone(watcher);
    let Some(mut round) = off_thread(move || desk.validation.begin_round()).await?? else {
        return Ok(false);
    };
    let Some(runs) = runs else {
        return Ok(false);
    };
    let mut budget = Duration::from_secs(watcher.config.replay_round_s);
    while !budget.is_zero() {
        let desk = Arc::clone(watcher);
        let (back, plan) = off_thread(move || {
            let plan = desk.validation.next_turn(&mut round);
            (round, plan)
        })
        .await?;
        round = back;
        let Some(plan) = plan? else {
            break;
        };
        round = turn(watcher, runs, round, plan, &mut budget).await?;
        let decided = watcher.decide().await?;
        watcher.wanted.tell_later(decided);
    }
    let desk = Arc::clone(watcher);
    off_thread(move || desk.validation.end_round(round)).await??;
    Ok(true)
}

/// One candidate's turn.
async fn turn(
    watcher: &Arc<Watcher>,
    runs: &Runs,
    mut round: ReplayRound,
    mut plan: ReplayPlan,
    budget: &mut Duration,
) -> Result<ReplayRound, WatchError> {
    let mut end = TurnEnd::AllRun;
    while let Some(pair) = plan.next_pair() {
        let ran = runs.pair(pair).await;
        *budget = budget.saturating_sub(ran.spent);
        let desk = Arc::clone(watcher);
        let (back, taken) = off_thread(move || {
            let taken = desk.validation.take(&mut round, ran.result);
            (round, taken)
        })
        .await?;
        round = back;
        taken?;
        if ran.environment == Environment::NotReady {
            end = TurnEnd::EnvironmentNotReady;
            break;
        }
        if budget.is_zero() && plan.left() > 0 {
            end = TurnEnd::BudgetSpent;
            break;
        }
    }
    let desk = Arc::clone(watcher);
    off_thread(move || desk.validation.end_turn(&plan, end)).await??;
    Ok(round)
}

/// Replays a sample of the wins under today's rules and journals how they came out.
async fn look_at_wins(
    watcher: &Arc<Watcher>,
    runs: Option<&Runs>,
    promoted: Vec<RuleId>,
) -> Result<(), WatchError> {
    let sample = watcher.config.regression_wins;
    replay_cases(watcher, runs, Some(CaseKind::Win), sample, promoted).await?;
    Ok(())
}

/// Replays the newest cases under today's rules and journals how they came out, if there are any.
pub(crate) async fn replay_cases(
    watcher: &Arc<Watcher>,
    runs: Option<&Runs>,
    kind: Option<CaseKind>,
    limit: usize,
    promoted: Vec<RuleId>,
) -> Result<Vec<RegressionCase>, WatchError> {
    let desk = Arc::clone(watcher);
    let cases = off_thread(move || desk.validation.newest_cases(kind, limit)).await??;
    let mut results = Vec::new();
    for case in cases {
        results.push(RegressionCase {
            result: match runs.filter(|_| case.replay_input.is_some()) {
                Some(runs) => replay_today(watcher, runs, &case).await?,
                None => CaseResult::Skipped,
            },
            case: case.id,
            kind: case.kind,
        });
    }
    if !results.is_empty() {
        let (desk, cases) = (Arc::clone(watcher), results.clone());
        off_thread(move || desk.validation.record_regression(promoted, cases)).await??;
    }
    Ok(results)
}

async fn replay_today(
    watcher: &Arc<Watcher>,
    runs: &Runs,
    case: &EvalCase,
) -> Result<CaseResult, WatchError> {
    use harness_rules::RunOutcome;

    if runs.environment(case).await.is_none() {
        return Ok(CaseResult::Void);
    }
    let desk = Arc::clone(watcher);
    let today = off_thread(move || desk.validation.run_today()).await??;
    let ran = runs
        .run(case, today.tools(), REGRESSION_SEED, None, || {
            today.has_called()
        })
        .await;
    Ok(match (ran.void, ran.report.outcome) {
        (Some(_), _) | (None, RunOutcome::NotStarted) => CaseResult::Void,
        (
            None,
            RunOutcome::Scored {
                outcome_failed,
                target_failed: false,
            },
        ) if outcome_failed != Some(true) => CaseResult::Passed,
        (None, _) => CaseResult::Failed,
    })
}
