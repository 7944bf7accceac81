//! The events of the journal: closed sets with typed fields, one file a writing half.
//!
//! Every line is an envelope (`type`, `ts`, `seq`, `prev`) around the fields of one event. The
//! names are those of FORMATS; a kind that this version does not know is kept and shown, and
//! changes no state.

mod evidence;
mod guard;
mod maintenance;
mod repair;
mod replay;
#[cfg(test)]
pub(crate) mod samples;
mod watch;

use serde::{Deserialize, Serialize};

pub use evidence::{
    Path, Quarantine, RulePromote, RuleRetire, RuleRetireEvidence, ScopeFull, TrialAssigned,
    TrialKind, TrialName, TrialObserved, TrialObservedCause, TrialOpened, WorthAssigned,
    WorthObserved,
};
pub use guard::{
    CapScope, Digest, GuardAbort, GuardApproval, GuardAssistantMessage, GuardCapHit,
    GuardContextTrimmed, GuardCostLimit, GuardInjectionFlag, GuardIntentDrift, GuardModelError,
    GuardModelRequest, GuardModelResponse, GuardPermissionDecision, GuardPlan, GuardRollback,
    GuardSessionEnd, GuardSessionStart, GuardToolResult, GuardToolTimeout, GuardUserMessage,
    GuardValidationError,
};
pub use maintenance::{
    AlertModelFitted, Config, OperatorAct, OperatorAction, RecordSkipped, RuleImport, ScopeCount,
    ScopeIndexRegenerated, Segment, TailRepaired,
};
pub use repair::{
    RepairCandidateAdded, RepairContext, RepairEnd, RepairModelTurn, RepairNoticeResolved,
    RepairStarted, RepairToolCall, RuleAdd,
};
pub use replay::{
    CaseResult, PendingReason, Regression, RegressionCase, ReplayArm, ReplayRun, RunEnd,
    ValidationCandidateStarted, ValidationReplayCase, ValidationRoundFinished,
    ValidationRoundStarted, ValidationVerdict, VoidReason,
};
pub use watch::{
    Breaker, BreakerState, CloseReason, EvalsetCapture, Health, HealthState, NoticePosted,
    OriginDoc, Recovery, SessionClosed, SessionOpened, Skip, SkipReason,
};

/// One event. Which half may append which is in the half's own event type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "each variant is documented at the struct it holds"
)]
pub enum Event {
    // The watch half.
    SessionOpened(SessionOpened),
    SessionClosed(SessionClosed),
    Notice(Box<NoticePosted>),
    Recovery(Recovery),
    Health(Health),
    Skip(Skip),
    EvalsetCapture(EvalsetCapture),
    Breaker(Breaker),
    TrialObserved(TrialObserved),
    WorthObserved(WorthObserved),
    // The entry log.
    TrialAssigned(TrialAssigned),
    WorthAssigned(WorthAssigned),
    // The repair desk.
    RepairStarted(RepairStarted),
    RepairModelTurn(RepairModelTurn),
    RepairToolCall(RepairToolCall),
    RuleAdd(Box<RuleAdd>),
    RepairCandidateAdded(RepairCandidateAdded),
    RepairNoticeResolved(RepairNoticeResolved),
    RepairCompleted(RepairEnd),
    RepairDuplicate(RepairEnd),
    RepairAlreadyCovered(RepairEnd),
    RepairNoProposal(RepairEnd),
    RepairUnactionable(RepairEnd),
    RepairTimedOut(RepairEnd),
    RepairFailed(RepairEnd),
    RepairCancelled(RepairEnd),
    // The validation desk.
    TrialOpened(TrialOpened),
    RulePromote(Box<RulePromote>),
    RuleRetire(RuleRetire),
    Quarantine(Quarantine),
    ScopeFull(ScopeFull),
    ValidationRoundStarted(ValidationRoundStarted),
    ValidationCandidateStarted(ValidationCandidateStarted),
    ValidationReplayCase(Box<ValidationReplayCase>),
    ValidationVerdict(ValidationVerdict),
    ValidationRoundFinished(ValidationRoundFinished),
    Regression(Regression),
    // The operator desk.
    OperatorAction(OperatorAction),
    RuleImport(Box<RuleImport>),
    AlertModelFitted(AlertModelFitted),
    // The guard.
    #[serde(rename = "guard.session_start")]
    GuardSessionStart(GuardSessionStart),
    #[serde(rename = "guard.user_message")]
    GuardUserMessage(GuardUserMessage),
    #[serde(rename = "guard.llm_request")]
    GuardModelRequest(GuardModelRequest),
    #[serde(rename = "guard.llm_response")]
    GuardModelResponse(GuardModelResponse),
    #[serde(rename = "guard.assistant_message")]
    GuardAssistantMessage(GuardAssistantMessage),
    #[serde(rename = "guard.llm_call_error")]
    GuardModelError(GuardModelError),
    #[serde(rename = "guard.permission_decision")]
    GuardPermissionDecision(GuardPermissionDecision),
    #[serde(rename = "guard.validation_error")]
    GuardValidationError(GuardValidationError),
    #[serde(rename = "guard.intent_drift_suspected")]
    GuardIntentDrift(GuardIntentDrift),
    #[serde(rename = "guard.approval_granted")]
    GuardApprovalGranted(GuardApproval),
    #[serde(rename = "guard.approval_denied")]
    GuardApprovalDenied(GuardApproval),
    #[serde(rename = "guard.plan_approved")]
    GuardPlanApproved(GuardPlan),
    #[serde(rename = "guard.plan_rejected")]
    GuardPlanRejected(GuardPlan),
    #[serde(rename = "guard.tool_result")]
    GuardToolResult(GuardToolResult),
    #[serde(rename = "guard.tool_timeout")]
    GuardToolTimeout(GuardToolTimeout),
    #[serde(rename = "guard.injection_flag")]
    GuardInjectionFlag(GuardInjectionFlag),
    #[serde(rename = "guard.context_trimmed")]
    GuardContextTrimmed(GuardContextTrimmed),
    #[serde(rename = "guard.iteration_cap_hit")]
    GuardCapHit(GuardCapHit),
    #[serde(rename = "guard.cost_limit_hit")]
    GuardCostLimit(GuardCostLimit),
    #[serde(rename = "guard.session_abort")]
    GuardAbort(GuardAbort),
    #[serde(rename = "guard.rollback")]
    GuardRollback(GuardRollback),
    #[serde(rename = "guard.session_end")]
    GuardSessionEnd(GuardSessionEnd),
    // The writer itself.
    Config(Config),
    ScopeIndexRegenerated(ScopeIndexRegenerated),
    Segment(Segment),
    TailRepaired(TailRepaired),
    RecordSkipped(RecordSkipped),
}

/// The kinds that this version knows, as `type` spells them.
pub const KINDS: [&str; 67] = [
    "session_opened",
    "session_closed",
    "notice",
    "recovery",
    "health",
    "skip",
    "evalset_capture",
    "breaker",
    "trial_observed",
    "worth_observed",
    "trial_assigned",
    "worth_assigned",
    "repair_started",
    "repair_model_turn",
    "repair_tool_call",
    "rule_add",
    "repair_candidate_added",
    "repair_notice_resolved",
    "repair_completed",
    "repair_duplicate",
    "repair_already_covered",
    "repair_no_proposal",
    "repair_unactionable",
    "repair_timed_out",
    "repair_failed",
    "repair_cancelled",
    "trial_opened",
    "rule_promote",
    "rule_retire",
    "quarantine",
    "scope_full",
    "validation_round_started",
    "validation_candidate_started",
    "validation_replay_case",
    "validation_verdict",
    "validation_round_finished",
    "regression",
    "operator_action",
    "rule_import",
    "alert_model_fitted",
    "guard.session_start",
    "guard.user_message",
    "guard.llm_request",
    "guard.llm_response",
    "guard.assistant_message",
    "guard.llm_call_error",
    "guard.permission_decision",
    "guard.validation_error",
    "guard.intent_drift_suspected",
    "guard.approval_granted",
    "guard.approval_denied",
    "guard.plan_approved",
    "guard.plan_rejected",
    "guard.tool_result",
    "guard.tool_timeout",
    "guard.injection_flag",
    "guard.context_trimmed",
    "guard.iteration_cap_hit",
    "guard.cost_limit_hit",
    "guard.session_abort",
    "guard.rollback",
    "guard.session_end",
    "config",
    "scope_index_regenerated",
    "segment",
    "tail_repaired",
    "record_skipped",
];

impl Event {
    /// Reads an event of a kind that is frequent from the bytes of its line, the line's other
    /// fields left alone; `None` for any other kind, and where it does not read. It is what reading
    /// the enum itself gives, several times as fast: serde reads an enum that is told by a field
    /// twice.
    pub(crate) fn of_kind(kind: &str, bytes: &[u8]) -> Option<Self> {
        fn read<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Option<T> {
            serde_json::from_slice(bytes).ok()
        }
        Some(match kind {
            "session_opened" => Self::SessionOpened(read(bytes)?),
            "session_closed" => Self::SessionClosed(read(bytes)?),
            "notice" => Self::Notice(read(bytes)?),
            "recovery" => Self::Recovery(read(bytes)?),
            "trial_observed" => Self::TrialObserved(read(bytes)?),
            "trial_assigned" => Self::TrialAssigned(read(bytes)?),
            "repair_started" => Self::RepairStarted(read(bytes)?),
            "repair_model_turn" => Self::RepairModelTurn(read(bytes)?),
            "repair_tool_call" => Self::RepairToolCall(read(bytes)?),
            "rule_add" => Self::RuleAdd(read(bytes)?),
            "repair_candidate_added" => Self::RepairCandidateAdded(read(bytes)?),
            "repair_notice_resolved" => Self::RepairNoticeResolved(read(bytes)?),
            "repair_completed" => Self::RepairCompleted(read(bytes)?),
            "repair_duplicate" => Self::RepairDuplicate(read(bytes)?),
            "repair_already_covered" => Self::RepairAlreadyCovered(read(bytes)?),
            "repair_no_proposal" => Self::RepairNoProposal(read(bytes)?),
            "repair_unactionable" => Self::RepairUnactionable(read(bytes)?),
            "repair_timed_out" => Self::RepairTimedOut(read(bytes)?),
            "repair_failed" => Self::RepairFailed(read(bytes)?),
            "repair_cancelled" => Self::RepairCancelled(read(bytes)?),
            _ => return None,
        })
    }

    /// Whether the event can be written and will read back: numbers are finite, documents within
    /// it are what they claim to be.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self) -> Result<(), String> {
        let finite = |numbers: &[f64]| {
            if numbers.iter().all(|number| number.is_finite()) {
                Ok(())
            } else {
                Err("a number is not finite".to_owned())
            }
        };
        match self {
            Self::Notice(posted) => posted.notice.clone().try_into_domain().map(drop),
            Self::RuleAdd(added) => added.rule.clone().try_into_domain().map(drop),
            Self::RuleImport(imported) if imported.rule.x_imported => {
                imported.rule.clone().try_into_domain().map(drop)
            }
            Self::RuleImport(_) => Err("an imported rule does not say so".to_owned()),
            Self::RulePromote(promoted) => {
                finite(&[promoted.e_value, promoted.threshold])?;
                promoted.rule.clone().try_into_domain().map(drop)
            }
            Self::RuleRetire(retired) => retired.evidence.as_ref().map_or(Ok(()), |evidence| {
                finite(&[evidence.e_value, evidence.e_harm, evidence.threshold])
            }),
            Self::TrialOpened(opened) => finite(&[opened.starting_e, opened.alpha, opened.phi]),
            Self::TrialAssigned(assigned) => finite(&[assigned.pi]),
            Self::ValidationVerdict(ended) => finite(&[ended.e_value, ended.e_veto]),
            Self::AlertModelFitted(fitted) => finite(&[
                fitted.auroc,
                fitted.auroc_low,
                fitted.auroc_high,
                fitted.precision_top_tenth,
            ]),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Serde names the variants it would have taken, so the list can be compared with it.
    #[test]
    fn the_list_of_kinds_is_that_of_the_enum() {
        let refused = serde_json::from_str::<Event>(r#"{"type":"novelty"}"#).unwrap_err();
        let message = refused.to_string();
        let listed: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
        let mut ours = KINDS.to_vec();
        let mut theirs = listed.clone();
        ours.sort_unstable();
        theirs.sort_unstable();
        assert_eq!(ours, theirs, "{message}");
    }
}
