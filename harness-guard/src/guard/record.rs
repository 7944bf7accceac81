//! The events of a call.

use harness_core::CleanString;
use harness_store::GuardEvent;
use harness_store::wire::event::{
    Digest, GuardApproval, GuardInjectionFlag, GuardIntentDrift, GuardPermissionDecision,
    GuardPlan, GuardToolResult, GuardToolTimeout, GuardValidationError,
};

use super::Inner;
use crate::answer::{Audited, ToolAnswer, digest};
use crate::approval::Ask;
use crate::call::{CallContext, ToolCall};
use crate::refusal::{Denial, Refusal};

/// What a name that no tool has is called: the model's own text stays out of the journal.
const UNKNOWN: &str = "unknown";
/// Bytes of a text in an event.
const MAX_TEXT: usize = 400;

/// Who answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Person,
    PolicyFile,
    Nobody,
}

impl Source {
    const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::PolicyFile => "policy-file",
            Self::Nobody => "nobody",
        }
    }
}

/// A call as the events name it.
pub(super) struct Named<'a> {
    guard: &'a Inner,
    pub(super) call: u64,
    pub(super) tool: String,
    phase: String,
    arguments: Digest,
}

impl<'a> Named<'a> {
    pub(super) fn new(guard: &'a Inner, call: u64, ctx: &CallContext, made: &ToolCall) -> Self {
        let tool = guard.tools.get(&made.name);
        Self {
            guard,
            call,
            tool: tool.map_or(UNKNOWN, |tool| tool.spec.name()).to_owned(),
            phase: ctx.phase.name().to_owned(),
            arguments: digest(&made.arguments),
        }
    }

    /// The one event of a refusal.
    pub(super) fn refused(&self, refusal: &Refusal) -> GuardEvent {
        if matches!(refusal.denial, Denial::Malformed | Denial::BadArguments) {
            return GuardEvent::ValidationError(GuardValidationError {
                session: self.guard.session.clone(),
                call: self.call,
                tool: self.tool.clone(),
                arguments: self.arguments.clone(),
                error: refusal.denial.name().to_owned(),
                detail: self.text(&refusal.detail),
            });
        }
        self.decision(Some(refusal))
    }

    /// That the call may run.
    pub(super) fn allowed(&self) -> GuardEvent {
        self.decision(None)
    }

    fn decision(&self, refusal: Option<&Refusal>) -> GuardEvent {
        GuardEvent::PermissionDecision(GuardPermissionDecision {
            session: self.guard.session.clone(),
            call: self.call,
            tool: self.tool.clone(),
            phase: self.phase.clone(),
            mode: self.guard.mode.name().to_owned(),
            arguments: self.arguments.clone(),
            allowed: refusal.is_none(),
            error: refusal.map(|refusal| refusal.denial.name().to_owned()),
            boundary: refusal.map(|refusal| refusal.denial.boundary().name().to_owned()),
            detail: self.text(refusal.map_or("", |refusal| &refusal.detail)),
        })
    }

    pub(super) fn drift(&self, reaches_for: &str, asked: bool) -> GuardEvent {
        GuardEvent::IntentDrift(GuardIntentDrift {
            session: self.guard.session.clone(),
            call: self.call,
            tool: self.tool.clone(),
            reaches_for: reaches_for.to_owned(),
            asked,
        })
    }

    pub(super) fn approval(&self, granted: bool, source: Source, asks: &[Ask]) -> GuardEvent {
        let approval = GuardApproval {
            session: self.guard.session.clone(),
            call: self.call,
            tool: self.tool.clone(),
            source: source.name().to_owned(),
            asked: asks.iter().map(|ask| ask.name().to_owned()).collect(),
            arguments: self.arguments.clone(),
        };
        if granted {
            GuardEvent::ApprovalGranted(approval)
        } else {
            GuardEvent::ApprovalDenied(approval)
        }
    }

    pub(super) fn plan(&self, approved: bool, plan: &str) -> GuardEvent {
        let plan = GuardPlan {
            session: self.guard.session.clone(),
            call: self.call,
            tool: self.tool.clone(),
            plan: digest(plan),
        };
        if approved {
            GuardEvent::PlanApproved(plan)
        } else {
            GuardEvent::PlanRejected(plan)
        }
    }

    pub(super) fn timeout(&self, timeout_s: u64) -> GuardEvent {
        GuardEvent::ToolTimeout(GuardToolTimeout {
            session: self.guard.session.clone(),
            call: self.call,
            tool: self.tool.clone(),
            timeout_s,
        })
    }

    pub(super) fn result(
        &self,
        ok: bool,
        answer: &ToolAnswer,
        audited: Audited,
        elapsed_ms: u64,
    ) -> Vec<GuardEvent> {
        let result = GuardEvent::ToolResult(GuardToolResult {
            session: self.guard.session.clone(),
            call: self.call,
            tool: self.tool.clone(),
            ok,
            content: audited.content,
            start: audited.start,
            elapsed_ms,
        });
        let flag = answer.level().map(|level| {
            GuardEvent::InjectionFlag(GuardInjectionFlag {
                session: self.guard.session.clone(),
                call: self.call,
                tool: self.tool.clone(),
                level: level.name().to_owned(),
                kinds: answer
                    .flags()
                    .iter()
                    .map(|kind| kind.name().to_owned())
                    .collect(),
            })
        });
        std::iter::once(result).chain(flag).collect()
    }

    fn text(&self, text: &str) -> CleanString {
        self.guard.intake.text(text, MAX_TEXT).into_owned()
    }
}
