//! Which half may append what.

use harness_core::RepairStatus;

use crate::wire::Event;
use crate::wire::event::{
    Breaker, EvalsetCapture, GuardAbort, GuardApproval, GuardAssistantMessage, GuardCapHit,
    GuardContextTrimmed, GuardCostLimit, GuardInjectionFlag, GuardIntentDrift, GuardModelError,
    GuardModelRequest, GuardModelResponse, GuardPermissionDecision, GuardPlan, GuardRollback,
    GuardSessionEnd, GuardSessionStart, GuardToolResult, GuardToolTimeout, GuardUserMessage,
    GuardValidationError, Health, NoticePosted, OperatorAction, Quarantine, Recovery, Regression,
    RepairCandidateAdded, RepairEnd, RepairModelTurn, RepairNoticeResolved, RepairStarted,
    RepairToolCall, RuleAdd, RulePromote, RuleRetire, ScopeFull, ScopeIndexRegenerated,
    SessionClosed, SessionOpened, Skip, TrialAssigned, TrialObserved, TrialOpened,
    ValidationCandidateStarted, ValidationReplayCase, ValidationRoundFinished,
    ValidationRoundStarted, ValidationVerdict, WorthAssigned, WorthObserved,
};

mod sealed {
    /// Only the closed sets of this file are sets of a half.
    pub trait Sealed {}
}

/// A half's closed set of events.
pub trait HalfEvent: sealed::Sealed + Into<Event> + Send + 'static {}

/// A half whose work shows in the files of the rules.
pub trait Projects: HalfEvent {}

macro_rules! set {
    ($(#[$doc:meta])* $set:ident { $($variant:ident),* $(,)? } boxed { $($boxed:ident($inner:ident)),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[expect(missing_docs, reason = "each variant is documented at the struct it holds")]
        pub enum $set {
            $($variant($variant),)*
            $($boxed(Box<$inner>),)*
        }

        impl From<$set> for Event {
            fn from(event: $set) -> Self {
                match event {
                    $($set::$variant(event) => Self::$variant(event),)*
                    $($set::$boxed(event) => Self::$boxed(event),)*
                }
            }
        }

        $(impl From<$variant> for $set {
            fn from(event: $variant) -> Self {
                Self::$variant(event)
            }
        })*

        $(impl From<$inner> for $set {
            fn from(event: $inner) -> Self {
                Self::$boxed(Box::new(event))
            }
        })*

        impl sealed::Sealed for $set {}
        impl HalfEvent for $set {}
    };
}

set! {
    /// What the engine's half appends.
    WatchEvent {
        SessionOpened, SessionClosed, Recovery, Health, Skip, EvalsetCapture, Breaker,
        TrialObserved, WorthObserved,
    } boxed { Notice(NoticePosted) }
}

set! {
    /// What a task agent's toolset appends: that a session entered a trial or became a unit of what
    /// the rules are worth, nothing else.
    EntryEvent { TrialAssigned, WorthAssigned } boxed {}
}

set! {
    /// What the validation desk appends.
    ValidationEvent {
        TrialOpened, RuleRetire, Quarantine, ScopeFull, ScopeIndexRegenerated,
        ValidationRoundStarted,
        ValidationCandidateStarted, ValidationVerdict, ValidationRoundFinished, Regression,
    } boxed { RulePromote(RulePromote), ValidationReplayCase(ValidationReplayCase) }
}

set! {
    /// What the operator desk appends.
    OperatorEvent { OperatorAction, RuleRetire, Breaker, ScopeIndexRegenerated } boxed {}
}

/// What the guard appends.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    missing_docs,
    reason = "each variant is documented at the struct it holds"
)]
pub enum GuardEvent {
    SessionStart(GuardSessionStart),
    UserMessage(GuardUserMessage),
    ModelRequest(GuardModelRequest),
    ModelResponse(GuardModelResponse),
    AssistantMessage(GuardAssistantMessage),
    ModelError(GuardModelError),
    PermissionDecision(GuardPermissionDecision),
    ValidationError(GuardValidationError),
    IntentDrift(GuardIntentDrift),
    ApprovalGranted(GuardApproval),
    ApprovalDenied(GuardApproval),
    PlanApproved(GuardPlan),
    PlanRejected(GuardPlan),
    ToolResult(GuardToolResult),
    ToolTimeout(GuardToolTimeout),
    InjectionFlag(GuardInjectionFlag),
    ContextTrimmed(GuardContextTrimmed),
    CapHit(GuardCapHit),
    CostLimit(GuardCostLimit),
    Abort(GuardAbort),
    Rollback(GuardRollback),
    SessionEnd(GuardSessionEnd),
}

impl From<GuardEvent> for Event {
    fn from(event: GuardEvent) -> Self {
        match event {
            GuardEvent::SessionStart(event) => Self::GuardSessionStart(event),
            GuardEvent::UserMessage(event) => Self::GuardUserMessage(event),
            GuardEvent::ModelRequest(event) => Self::GuardModelRequest(event),
            GuardEvent::ModelResponse(event) => Self::GuardModelResponse(event),
            GuardEvent::AssistantMessage(event) => Self::GuardAssistantMessage(event),
            GuardEvent::ModelError(event) => Self::GuardModelError(event),
            GuardEvent::PermissionDecision(event) => Self::GuardPermissionDecision(event),
            GuardEvent::ValidationError(event) => Self::GuardValidationError(event),
            GuardEvent::IntentDrift(event) => Self::GuardIntentDrift(event),
            GuardEvent::ApprovalGranted(event) => Self::GuardApprovalGranted(event),
            GuardEvent::ApprovalDenied(event) => Self::GuardApprovalDenied(event),
            GuardEvent::PlanApproved(event) => Self::GuardPlanApproved(event),
            GuardEvent::PlanRejected(event) => Self::GuardPlanRejected(event),
            GuardEvent::ToolResult(event) => Self::GuardToolResult(event),
            GuardEvent::ToolTimeout(event) => Self::GuardToolTimeout(event),
            GuardEvent::InjectionFlag(event) => Self::GuardInjectionFlag(event),
            GuardEvent::ContextTrimmed(event) => Self::GuardContextTrimmed(event),
            GuardEvent::CapHit(event) => Self::GuardCapHit(event),
            GuardEvent::CostLimit(event) => Self::GuardCostLimit(event),
            GuardEvent::Abort(event) => Self::GuardAbort(event),
            GuardEvent::Rollback(event) => Self::GuardRollback(event),
            GuardEvent::SessionEnd(event) => Self::GuardSessionEnd(event),
        }
    }
}

/// What the repair desk appends.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    missing_docs,
    reason = "each variant is documented at the struct it holds"
)]
pub enum RepairEvent {
    RepairStarted(RepairStarted),
    RepairModelTurn(RepairModelTurn),
    RepairToolCall(RepairToolCall),
    RuleAdd(Box<RuleAdd>),
    RepairCandidateAdded(RepairCandidateAdded),
    RepairNoticeResolved(RepairNoticeResolved),
    /// The terminal event, named for the status.
    RepairEnd(RepairStatus, RepairEnd),
    ScopeIndexRegenerated(ScopeIndexRegenerated),
}

impl From<RepairEvent> for Event {
    fn from(event: RepairEvent) -> Self {
        match event {
            RepairEvent::RepairStarted(event) => Self::RepairStarted(event),
            RepairEvent::RepairModelTurn(event) => Self::RepairModelTurn(event),
            RepairEvent::RepairToolCall(event) => Self::RepairToolCall(event),
            RepairEvent::RuleAdd(event) => Self::RuleAdd(event),
            RepairEvent::RepairCandidateAdded(event) => Self::RepairCandidateAdded(event),
            RepairEvent::RepairNoticeResolved(event) => Self::RepairNoticeResolved(event),
            RepairEvent::ScopeIndexRegenerated(event) => Self::ScopeIndexRegenerated(event),
            RepairEvent::RepairEnd(status, end) => ended(status, end),
        }
    }
}

/// The terminal event of a status.
pub(crate) fn ended(status: RepairStatus, end: RepairEnd) -> Event {
    match status {
        RepairStatus::CandidateAdded => Event::RepairCompleted(end),
        RepairStatus::Duplicate => Event::RepairDuplicate(end),
        RepairStatus::AlreadyCovered => Event::RepairAlreadyCovered(end),
        RepairStatus::NoProposal => Event::RepairNoProposal(end),
        RepairStatus::Unactionable => Event::RepairUnactionable(end),
        RepairStatus::TimedOut => Event::RepairTimedOut(end),
        RepairStatus::Failed => Event::RepairFailed(end),
        RepairStatus::Cancelled => Event::RepairCancelled(end),
    }
}

macro_rules! into_repair {
    ($($variant:ident),*) => {
        $(impl From<$variant> for RepairEvent {
            fn from(event: $variant) -> Self {
                Self::$variant(event)
            }
        })*
    };
}

into_repair!(
    RepairStarted,
    RepairModelTurn,
    RepairToolCall,
    RepairCandidateAdded,
    RepairNoticeResolved,
    ScopeIndexRegenerated
);

impl From<RuleAdd> for RepairEvent {
    fn from(event: RuleAdd) -> Self {
        Self::RuleAdd(Box::new(event))
    }
}

impl sealed::Sealed for GuardEvent {}
impl HalfEvent for GuardEvent {}
impl sealed::Sealed for RepairEvent {}
impl HalfEvent for RepairEvent {}
impl Projects for RepairEvent {}
impl Projects for ValidationEvent {}
impl Projects for OperatorEvent {}
