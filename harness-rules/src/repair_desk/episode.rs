//! An episode as a type that changes when it proposes.

use harness_core::{
    CleanString, Episode, MetricRegistry, Notice, ResolutionKind, RuleId, RuleStatus, Scope, Trace,
};
use harness_store::wire::event::{RepairCandidateAdded, RuleAdd};
use harness_store::wire::rule::RuleDoc;
use harness_store::wire::sha256_hex;

use super::attempt::Attempt;
use super::told::{Abandoned, Category, Ended, ModelTurn, ToolCallNote, Usage};
use crate::admission::{Admission, Case, MAX_SCOPE_RATIONALE, Proposal, ProposalRefusal, admit};
use crate::desk::{COMMIT_DEADLINE, DeskError};
use crate::projection;
use crate::toolset::RuleReader;

/// An episode that has not proposed.
pub struct OpenEpisode {
    pub(super) attempt: Attempt,
}

/// An episode with its one proposal.
pub struct ProposedEpisode {
    pub(super) attempt: Attempt,
    pub(super) rule: RuleId,
}

/// What became of a proposal.
pub enum ProposeOutcome {
    /// It is a candidate now.
    Added(ProposedEpisode),
    /// A live rule says it already; resolve the episode so.
    Covered {
        /// The episode, still open.
        episode: OpenEpisode,
        /// The rule.
        by: RuleId,
        /// `Duplicate` of an active rule, or `AlreadyCovered` by a candidate.
        kind: ResolutionKind,
    },
    /// It may not be stored; the model can mend it.
    Refused {
        /// The episode, still open.
        episode: OpenEpisode,
        /// Why.
        reason: ProposalRefusal,
    },
}

/// How an episode is resolved without a new rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WithoutRule {
    /// An active rule covers the failure.
    Duplicate(RuleId),
    /// A candidate covers the failure.
    AlreadyCovered(RuleId),
    /// Nothing worth a rule.
    NoProposal,
    /// Nothing an agent could do about it.
    Unactionable,
}

macro_rules! shared_surface {
    ($type:ident) => {
        impl $type {
            /// The episode.
            pub const fn episode(&self) -> &Episode {
                &self.attempt.episode
            }

            /// Its notices.
            pub fn notices(&self) -> &[Notice] {
                &self.attempt.notices
            }

            /// The traces that its notices flag, as kept on disk; none where they were not kept.
            pub fn traces(&self) -> &[Trace] {
                &self.attempt.traces
            }

            /// The metrics that are measured.
            pub fn registry(&self) -> &MetricRegistry {
                &self.attempt.shared.registry
            }

            /// The four read tools, over every live rule, labelled.
            pub const fn read_tools(&self) -> &RuleReader {
                &self.attempt.reader
            }

            /// Journals a reply of the model, the `turn`-th of this attempt.
            ///
            /// # Errors
            /// The journal cannot be written.
            pub fn note_model_turn(
                &mut self,
                turn: u32,
                reply: ModelTurn,
            ) -> Result<(), DeskError> {
                self.attempt.note_model_turn(turn, reply)
            }

            /// Journals a tool call.
            ///
            /// # Errors
            /// The journal cannot be written.
            pub fn note_tool_call(&mut self, note: ToolCallNote) -> Result<(), DeskError> {
                self.attempt.note_tool_call(note)
            }

            /// Remembers which rules the model was shown.
            pub fn considered(&mut self, rules: &[RuleId]) {
                self.attempt.consider(rules);
            }
        }
    };
}

shared_surface!(OpenEpisode);
shared_surface!(ProposedEpisode);

impl OpenEpisode {
    /// Proposes a rule. Everything is checked under the writers' lock, so of two equal proposals
    /// made anywhere at once one is stored.
    ///
    /// # Errors
    /// The journal cannot be read or written; then nothing was stored and the attempt is cancelled.
    pub fn propose(mut self, proposal: Proposal) -> Result<ProposeOutcome, DeskError> {
        self.attempt.context.selected_scope =
            Some(proposal.scope.clone().unwrap_or_else(Scope::global));
        self.attempt.context.scope_rationale = proposal
            .scope_rationale
            .clone()
            .filter(|rationale| rationale.len() <= MAX_SCOPE_RATIONALE);
        let evidence = self.attempt.evidence();
        let (book, notices, registry, context) = (
            self.attempt.shared.book.clone(),
            self.attempt.notices.clone(),
            self.attempt.shared.registry.clone(),
            self.attempt.context.clone(),
        );
        let admission = self
            .attempt
            .shared
            .log
            .commit(COMMIT_DEADLINE, move |tx| {
                let case = Case {
                    notices: &notices,
                    evidence: &evidence,
                    registry: &registry,
                };
                let id = new_rule_id()?;
                let admission = admit(&*book.ledger()?, &case, proposal, id, tx.now());
                if let Admission::Admitted(rule) = &admission {
                    tx.commit(vec![
                        RuleAdd {
                            rule: RuleDoc::from_domain(rule, RuleStatus::Candidate),
                            episode: Some(context.episode.clone()),
                            text_sha256: sha256_hex(rule.text.as_str().as_bytes()),
                        }
                        .into(),
                        RepairCandidateAdded {
                            context,
                            rule: rule.id.clone(),
                            metric: rule.metric.clone(),
                        }
                        .into(),
                    ])?;
                    projection::after_commit(
                        tx,
                        &*book.ledger()?,
                        book.settings(),
                        std::slice::from_ref(&rule.id),
                    );
                }
                Ok::<Admission, DeskError>(admission)
            })??;
        Ok(match admission {
            Admission::Admitted(rule) => ProposeOutcome::Added(ProposedEpisode {
                attempt: self.attempt,
                rule: rule.id,
            }),
            Admission::Covered { by, kind } => {
                self.attempt.consider(std::slice::from_ref(&by));
                ProposeOutcome::Covered {
                    episode: self,
                    by,
                    kind,
                }
            }
            Admission::Refused(reason) => {
                self.attempt.context.suppression =
                    harness_core::CleanText::new(reason.to_string()).ok();
                ProposeOutcome::Refused {
                    episode: self,
                    reason,
                }
            }
        })
    }

    /// Resolves every notice of the episode without a new rule.
    ///
    /// # Errors
    /// The journal cannot be written; then every notice is still pending.
    pub fn resolve(
        self,
        how: WithoutRule,
        note: Option<CleanString>,
        usage: Usage,
    ) -> Result<Ended, DeskError> {
        let (kind, rule) = match how {
            WithoutRule::Duplicate(rule) => (ResolutionKind::Duplicate, Some(rule)),
            WithoutRule::AlreadyCovered(rule) => (ResolutionKind::AlreadyCovered, Some(rule)),
            WithoutRule::NoProposal => (ResolutionKind::NoProposal, None),
            WithoutRule::Unactionable => (ResolutionKind::Unactionable, None),
        };
        self.attempt.resolve(kind, rule, note, usage)
    }

    /// Ends the attempt; every notice stays pending.
    ///
    /// # Errors
    /// The journal cannot be written; the notices stay pending all the same.
    pub fn abandon(
        self,
        how: Abandoned,
        category: Category,
        usage: Usage,
    ) -> Result<Ended, DeskError> {
        self.attempt.abandon(how, None, category, usage)
    }
}

impl ProposedEpisode {
    /// The rule it proposed.
    pub const fn rule(&self) -> &RuleId {
        &self.rule
    }

    /// Resolves every notice of the episode with the rule it proposed.
    ///
    /// # Errors
    /// The journal cannot be written; then every notice is still pending.
    pub fn acknowledge(self, note: Option<CleanString>, usage: Usage) -> Result<Ended, DeskError> {
        let Self { attempt, rule } = self;
        attempt.resolve(ResolutionKind::Candidate, Some(rule), note, usage)
    }

    /// Ends the attempt; every notice stays pending, and the next attempt continues with the rule.
    ///
    /// # Errors
    /// The journal cannot be written; the notices stay pending all the same.
    pub fn abandon(
        self,
        how: Abandoned,
        category: Category,
        usage: Usage,
    ) -> Result<Ended, DeskError> {
        let Self { attempt, rule } = self;
        attempt.abandon(how, Some(rule), category, usage)
    }
}

fn new_rule_id() -> Result<RuleId, DeskError> {
    let bits = getrandom::u64().map_err(|_| DeskError::NoRandomness)?;
    Ok(RuleId::from_bits(bits))
}
