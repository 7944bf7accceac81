//! One candidate's turn: pairs that are handed out once, and what came of each, handed back once.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use harness_core::{CaseId, CaseKind, EvalCase, MetricName, RuleId, SessionId};
use harness_store::wire::event::{ReplayArm, ReplayRun, RunEnd, TrialName, VoidReason};

use crate::book::RuleBook;
use crate::evidence::ArmKey;
use crate::ledger::{Trial, coin};
use crate::toolset::{RunArm, TaskToolset};

/// A candidate's turn.
#[must_use = "a turn that began has to be ended"]
pub struct ReplayPlan {
    pub(super) rule: RuleId,
    pub(super) trial: TrialName,
    pub(super) attempt: u32,
    pub(super) has_cases: bool,
    pairs: VecDeque<ReplayPair>,
}

impl ReplayPlan {
    /// The plan over these cases. Each seed is run on every case before the next is on any, wins
    /// first, so that a turn that is cut short has looked at all of them.
    pub(super) fn new(
        book: &RuleBook,
        (rule, trial, attempt): (&RuleId, &Trial, u32),
        key: &ArmKey,
        (failures, wins): (Vec<EvalCase>, Vec<EvalCase>),
        seeds: u32,
        active: &BTreeSet<RuleId>,
    ) -> Self {
        let cases: Vec<Arc<EvalCase>> = wins.into_iter().chain(failures).map(Arc::new).collect();
        let pair = |case: &Arc<EvalCase>, seed: u64| {
            let arm = |shown| {
                let candidate = Some((rule.clone(), shown));
                Arc::new(RunArm::new(candidate, active.clone()))
            };
            ReplayPair {
                book: book.clone(),
                rule: rule.clone(),
                trial: trial.name,
                target: match case.kind {
                    CaseKind::Failure => trial.target.clone(),
                    CaseKind::Win => None,
                },
                first: coin(key, &case.id, seed),
                case: Arc::clone(case),
                seed,
                with: arm(true),
                without: arm(false),
            }
        };
        let pairs = (0..u64::from(seeds))
            .flat_map(|at| cases.iter().map(move |case| (case, at)))
            .map(|(case, at)| pair(case, trial.replay.next_seed(&case.id) + at))
            .collect();
        Self {
            rule: rule.clone(),
            trial: trial.name,
            attempt,
            has_cases: !cases.is_empty(),
            pairs,
        }
    }

    /// The rule.
    pub const fn rule(&self) -> &RuleId {
        &self.rule
    }

    /// Pairs that are still to be run.
    pub fn left(&self) -> usize {
        self.pairs.len()
    }

    /// The next pair to run.
    pub fn next_pair(&mut self) -> Option<ReplayPair> {
        self.pairs.pop_front()
    }
}

/// One case with one seed, to be run with the candidate and without it.
#[must_use = "a pair that was taken has to be handed back"]
pub struct ReplayPair {
    book: RuleBook,
    rule: RuleId,
    trial: TrialName,
    target: Option<MetricName>,
    case: Arc<EvalCase>,
    seed: u64,
    first: ReplayArm,
    with: Arc<RunArm>,
    without: Arc<RunArm>,
}

/// What became of a run, as its host and its judges have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// The session that the host named.
    pub session: Option<SessionId>,
    /// How it ended.
    pub outcome: RunOutcome,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// Before the agent's first step.
    NotStarted,
    /// It started, and no score came: it counts as failed.
    Unscored,
    /// It was scored.
    Scored {
        /// Whether the outcome was wrong, where somebody checks outcomes.
        outcome_failed: Option<bool>,
        /// Whether a condition of the pair's target fired.
        target_failed: bool,
    },
}

impl ReplayPair {
    /// What is to be run.
    pub fn case(&self) -> &EvalCase {
        &self.case
    }

    /// The seed of both runs.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The metric whose conditions count; `None` for any, as for every win.
    pub const fn target(&self) -> Option<&MetricName> {
        self.target.as_ref()
    }

    /// The two runs in the order in which they are to be made.
    pub const fn order(&self) -> [ReplayArm; 2] {
        match self.first {
            ReplayArm::With => [ReplayArm::With, ReplayArm::Without],
            ReplayArm::Without => [ReplayArm::Without, ReplayArm::With],
        }
    }

    /// The four tools of one run.
    pub fn tools(&self, arm: ReplayArm) -> TaskToolset {
        TaskToolset::of_run(self.book.clone(), Arc::clone(self.arm(arm)))
    }

    /// Whether the agent of a run has called one of its tools.
    pub fn has_called(&self, arm: ReplayArm) -> bool {
        self.arm(arm).was_called()
    }

    const fn arm(&self, arm: ReplayArm) -> &Arc<RunArm> {
        match arm {
            ReplayArm::With => &self.with,
            ReplayArm::Without => &self.without,
        }
    }

    /// Both runs were made; whether the pair counts is decided where it is recorded.
    pub fn ran(self, with: RunReport, without: RunReport) -> ReplayResult {
        self.result(with, without, None)
    }

    /// The pair counts for nothing, whatever its runs did.
    pub fn void(self, why: VoidReason, with: RunReport, without: RunReport) -> ReplayResult {
        self.result(with, without, Some(why))
    }

    fn result(self, with: RunReport, without: RunReport, void: Option<VoidReason>) -> ReplayResult {
        let checks_outcomes = [&with, &without].iter().any(|report| {
            matches!(
                report.outcome,
                RunOutcome::Scored {
                    outcome_failed: Some(_),
                    ..
                }
            )
        });
        ReplayResult {
            with: run(with, &self.with, checks_outcomes),
            without: run(without, &self.without, checks_outcomes),
            rule: self.rule,
            trial: self.trial,
            case: self.case.id.clone(),
            kind: self.case.kind,
            seed: self.seed,
            first: self.first,
            void,
        }
    }
}

fn run(report: RunReport, arm: &RunArm, checks_outcomes: bool) -> ReplayRun {
    let (end, outcome_failed, target_failed) = match report.outcome {
        RunOutcome::NotStarted => (RunEnd::NotStarted, None, None),
        RunOutcome::Unscored => (
            RunEnd::Unscored,
            checks_outcomes.then_some(true),
            Some(true),
        ),
        RunOutcome::Scored {
            outcome_failed,
            target_failed,
        } => (RunEnd::Scored, outcome_failed, Some(target_failed)),
    };
    ReplayRun {
        session: report.session,
        end,
        surfaced: arm.has_surfaced(),
        outcome_failed,
        target_failed,
    }
}

/// What a pair came to. Only the pair itself makes one, and it is gone with it.
#[derive(Debug)]
#[must_use = "what a pair came to has to be recorded"]
pub struct ReplayResult {
    pub(super) rule: RuleId,
    pub(super) trial: TrialName,
    pub(super) case: CaseId,
    pub(super) kind: CaseKind,
    pub(super) seed: u64,
    pub(super) first: ReplayArm,
    pub(super) with: ReplayRun,
    pub(super) without: ReplayRun,
    pub(super) void: Option<VoidReason>,
}
