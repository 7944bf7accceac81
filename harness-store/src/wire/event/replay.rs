//! Events of replay and regression: what was run, in which order, and how it came out. What a pair
//! was won or lost on is in its line, so that its evidence can be derived again.

use harness_core::{CaseId, CaseKind, RuleId, SessionId};
use serde::{Deserialize, Serialize};

use super::evidence::TrialName;
use crate::wire::as_text::{list, one, optional};

/// A round of replay began: candidates get their turns, as far as its budget goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidationRoundStarted {
    /// Its number, from 1.
    pub round: u64,
    /// The candidates that wait, in the order of their turns.
    #[serde(with = "list")]
    pub candidates: Vec<RuleId>,
}

/// A candidate's turn began: one attempt at replaying these cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidationCandidateStarted {
    /// The rule.
    #[serde(with = "one")]
    pub rule: RuleId,
    /// The opening.
    #[serde(with = "one")]
    pub trial: TrialName,
    /// Which attempt of the opening, from 1.
    pub attempt: u32,
    /// Attempts that the opening has.
    pub attempts: u32,
    /// Pairs that each case is run in.
    pub seeds: u32,
    /// Failures that share a signature with the rule.
    #[serde(with = "list")]
    pub failures: Vec<CaseId>,
    /// Wins to protect.
    #[serde(with = "list")]
    pub wins: Vec<CaseId>,
}

/// A run of a pair: with the rule, or without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayArm {
    /// The rule was shown.
    With,
    /// It was hidden.
    Without,
}

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// It ended before the agent's first step.
    NotStarted,
    /// It started and has no score: it counts as failed.
    Unscored,
    /// It has a score.
    Scored,
}

/// One run of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayRun {
    /// The session that the replay named.
    #[serde(with = "optional", default)]
    pub session: Option<SessionId>,
    /// How far it came.
    pub end: RunEnd,
    /// Whether a call was made whose answer the rule changes.
    pub surfaced: bool,
    /// Whether the outcome was wrong; `None` where nobody checks outcomes.
    pub outcome_failed: Option<bool>,
    /// Whether a target condition fired.
    pub target_failed: Option<bool>,
}

/// Why a pair counts for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidReason {
    /// The environment was not ready in time.
    Environment,
    /// The environment of one run was not that of the other.
    Drift,
    /// The replay said that a run failed before its first step.
    NotStarted,
    /// The replay panicked before the agent's first step.
    Panicked,
    /// The replay gave no answer in time, and the agent had made no step.
    TimedOut,
    /// The replay named a session of which no turn was reported, or one that is no fresh run.
    Session,
    /// The replay ran with another seed.
    Seed,
    /// A run would not surface the rule.
    NotSurfaced,
}

/// A case was run with and without the rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidationReplayCase {
    /// The rule.
    #[serde(with = "one")]
    pub rule: RuleId,
    /// The opening.
    #[serde(with = "one")]
    pub trial: TrialName,
    /// The case.
    #[serde(with = "one")]
    pub case: CaseId,
    /// What it is kept for.
    #[serde(with = "one")]
    pub kind: CaseKind,
    /// Which pair of this case in the opening, from 1; both runs were made with this seed.
    pub seed: u64,
    /// Which run came first: a coin that the opening's key throws.
    pub first: ReplayArm,
    /// The trial's number in the workspace, on the first pair that counts only.
    pub t: Option<u64>,
    /// The run with the rule.
    pub with: ReplayRun,
    /// The run without it.
    pub without: ReplayRun,
    /// Why the pair counts for nothing, if so.
    pub void: Option<VoidReason>,
}

/// Why a candidate's turn ended without a verdict of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingReason {
    /// All pairs were run; the evidence says what follows.
    Undecided,
    /// All pairs were run, and none counts.
    AllVoid,
    /// The round's budget was used up.
    BudgetSpent,
    /// The environment was not ready in time.
    EnvironmentNotReady,
    /// No case is left that can be replayed and shares a signature with the rule.
    NoCase,
    /// Whoever was running it is gone.
    Interrupted,
}

/// A candidate's turn ended; what the opening has shown so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidationVerdict {
    /// The rule.
    #[serde(with = "one")]
    pub rule: RuleId,
    /// The opening.
    #[serde(with = "one")]
    pub trial: TrialName,
    /// Which attempt.
    pub attempt: u32,
    /// Why it ended; what follows from the evidence stands in a line of its own.
    pub pending: PendingReason,
    /// Pairs of failures that the rule won.
    pub wins: u64,
    /// Pairs of failures that it lost.
    pub losses: u64,
    /// The evidence of benefit.
    pub e_value: f64,
    /// The greatest evidence of harm in any one case.
    pub e_veto: f64,
}

/// A round ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidationRoundFinished {
    /// Its number.
    pub round: u64,
    /// Candidates that had their turn.
    pub served: u64,
    /// Pairs that were run.
    pub pairs: u64,
    /// Of those, the ones that count for nothing.
    pub void: u64,
}

/// How a case of the eval set came out under today's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseResult {
    /// Nothing failed.
    Passed,
    /// Something did, or no score came.
    Failed,
    /// The run says nothing: it did not start, or its replay did not keep to the rules.
    Void,
    /// It was not run: it cannot be replayed, or nobody here can.
    Skipped,
}

/// One case of a regression run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegressionCase {
    /// The case.
    #[serde(with = "one")]
    pub case: CaseId,
    /// What it is kept for; a win that failed is a regression.
    #[serde(with = "one")]
    pub kind: CaseKind,
    /// How it came out.
    pub result: CaseResult,
}

/// Cases of the eval set were replayed under the rules of then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Regression {
    /// The rules whose promotion asked for it; none where an operator or host did.
    #[serde(with = "list", default)]
    pub promoted: Vec<RuleId>,
    /// The cases, in the order in which they were run.
    pub cases: Vec<RegressionCase>,
}
