//! What every attempt at an episode does, whether it has proposed or not.

use std::collections::BTreeSet;
use std::sync::Arc;

use harness_core::{CleanString, Episode, Notice, RepairStatus, ResolutionKind, RuleId, Trace};
use harness_sanitize::EvidenceLeaves;
use harness_store::wire::event::{
    RepairContext, RepairEnd, RepairModelTurn, RepairNoticeResolved, RepairToolCall,
};
use harness_store::{RepairEvent, RepairFlight, Resolved};

use super::Shared;
use super::told::{Abandoned, Category, Ended, ModelTurn, ToolCallNote, Usage};
use crate::desk::{COMMIT_DEADLINE, DeskError};
use crate::toolset::RuleReader;

pub(super) struct Attempt {
    pub(super) shared: Arc<Shared>,
    pub(super) episode: Episode,
    pub(super) notices: Vec<Notice>,
    pub(super) traces: Vec<Trace>,
    pub(super) context: RepairContext,
    pub(super) reader: RuleReader,
    /// Taken when the attempt has ended; what is dropped with it still here is cancelled.
    pub(super) flight: Option<RepairFlight>,
}

impl Attempt {
    pub(super) fn note_model_turn(&mut self, turn: u32, reply: ModelTurn) -> Result<(), DeskError> {
        self.shared.append(
            RepairModelTurn {
                context: self.context.clone(),
                turn,
                tool_calls: reply.tool_calls,
                output_tokens: reply.output_tokens,
            }
            .into(),
        )
    }

    pub(super) fn note_tool_call(&mut self, note: ToolCallNote) -> Result<(), DeskError> {
        self.shared.append(
            RepairToolCall {
                context: self.context.clone(),
                tool: note.tool,
                ok: note.ok,
                arguments_sha256: note.arguments_sha256,
                result_bytes: note.result_bytes,
            }
            .into(),
        )
    }

    pub(super) fn consider(&mut self, rules: &[RuleId]) {
        /// Rules an event lists at most.
        const MOST: usize = 64;
        let known: BTreeSet<&RuleId> = self.context.considered_rules.iter().collect();
        let new: Vec<RuleId> = rules
            .iter()
            .filter(|id| !known.contains(id))
            .cloned()
            .collect();
        self.context.considered_rules.extend(new);
        self.context.considered_rules.truncate(MOST);
    }

    /// The evidence that a rule must not carry over, with the names that it may. What the session
    /// asked the rule tools, and what they answered, is no evidence of the failure.
    pub(super) fn evidence(&self) -> EvidenceLeaves {
        let spans = || {
            let all = self.traces.iter().flat_map(Trace::spans);
            all.filter(|span| !span.is_task_tool())
        };
        let leaves = spans()
            .flat_map(|span| {
                let values = span
                    .arguments
                    .leaves()
                    .iter()
                    .map(|leaf| leaf.value.as_str());
                values.chain([span.output.as_str()])
            })
            .chain(self.traces.iter().map(|trace| trace.request().as_str()));
        let tools = spans()
            .filter(|span| span.kind == harness_core::SpanKind::Tool)
            .map(|span| span.name.as_str());
        let arguments = spans()
            .flat_map(|span| span.arguments.leaves())
            .flat_map(|leaf| leaf.path.as_str().split('.'))
            .filter(|part| !part.bytes().all(|byte| byte.is_ascii_digit()));
        EvidenceLeaves::new(leaves, tools.chain(arguments))
    }

    pub(super) fn resolve(
        mut self,
        kind: ResolutionKind,
        rule: Option<RuleId>,
        note: Option<CleanString>,
        usage: Usage,
    ) -> Result<Ended, DeskError> {
        let resolved = RepairNoticeResolved {
            context: self.context.clone(),
            kind,
            rule: rule.clone(),
            note,
        };
        let end = self.end(rule.clone(), None, usage);
        match self.shared.log.resolve(COMMIT_DEADLINE, resolved, end)? {
            // Files that could not be moved are moved at the next open; the resolution stands.
            Resolved::Done { files: _ } => {
                self.flight = None;
                Ok(Ended {
                    status: kind.into(),
                    rule,
                })
            }
            Resolved::NotPending(_) => Err(DeskError::NotPending(self.episode.id().clone())),
        }
    }

    pub(super) fn abandon(
        mut self,
        how: Abandoned,
        rule: Option<RuleId>,
        category: Category,
        usage: Usage,
    ) -> Result<Ended, DeskError> {
        let status = self.abandon_in_place(how, rule.clone(), category, usage)?;
        Ok(Ended { status, rule })
    }

    pub(super) fn abandon_in_place(
        &mut self,
        how: Abandoned,
        rule: Option<RuleId>,
        category: Category,
        usage: Usage,
    ) -> Result<RepairStatus, DeskError> {
        let status = match how {
            Abandoned::TimedOut => RepairStatus::TimedOut,
            Abandoned::Failed => RepairStatus::Failed,
            Abandoned::Cancelled => RepairStatus::Cancelled,
        };
        let end = self.end(rule, Some(category), usage);
        let ended = self.shared.append(RepairEvent::RepairEnd(status, end));
        self.flight = None;
        ended.map(|()| status)
    }

    pub(super) fn end(
        &self,
        rule: Option<RuleId>,
        category: Option<Category>,
        usage: Usage,
    ) -> RepairEnd {
        RepairEnd {
            context: self.context.clone(),
            rule,
            category: category.map(|category| category.as_str().to_owned()),
            turns: usage.turns,
            tool_calls: usage.tool_calls,
            output_tokens: usage.output_tokens,
            elapsed_ms: usage.elapsed_ms,
        }
    }
}

/// An attempt that was neither resolved nor abandoned was cancelled: nothing is acknowledged, and
/// the journal says so if it can be written at all.
impl Drop for Attempt {
    fn drop(&mut self) {
        if self.flight.is_some() {
            let usage = Usage::default();
            let _ = self.abandon_in_place(Abandoned::Cancelled, None, Category::Stopped, usage);
        }
    }
}
