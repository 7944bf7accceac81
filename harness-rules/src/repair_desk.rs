//! The desk of the repair agent: the only way to propose a rule.
//!
//! An episode is opened once, may propose at most once and ends exactly once, by type: proposing
//! consumes an [`OpenEpisode`] and gives a [`ProposedEpisode`], which has no `propose`:
//!
//! ```compile_fail
//! # use harness_rules::{OpenEpisode, Proposal};
//! fn two_rules(episode: OpenEpisode, one: Proposal, two: Proposal) {
//!     let _ = episode.propose(one);
//!     let _ = episode.propose(two);
//! }
//! ```

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harness_core::{
    CleanString, Episode, MetricRegistry, Notice, RepairSessionId, RepairStatus, ResolutionKind,
    RuleId, RuleStatus, Scope, Timestamp, Trace, layout,
};
use harness_sanitize::EvidenceLeaves;
use harness_store::wire::dump::DumpDoc;
use harness_store::wire::event::{
    RepairCandidateAdded, RepairContext, RepairEnd, RepairModelTurn, RepairNoticeResolved,
    RepairStarted, RepairToolCall, RuleAdd,
};
use harness_store::wire::rule::RuleDoc;
use harness_store::wire::{sha256, sha256_hex};
use harness_store::{
    Follower, Mailbox, Reader, RepairEvent, RepairFlight, RepairLog, Resolved, StoreError,
};

use crate::admission::{Admission, Case, MAX_SCOPE_RATIONALE, Proposal, ProposalRefusal, admit};
use crate::attempts::AttemptLog;
use crate::book::RuleBook;
use crate::desk::{COMMIT_DEADLINE, DeskError};
use crate::projection;
use crate::toolset::RuleReader;

/// The repair desk.
pub struct RepairDesk {
    shared: Arc<Shared>,
}

struct Shared {
    book: RuleBook,
    log: RepairLog,
    registry: MetricRegistry,
    reader: Reader,
    waiting: Mutex<Follower<Waiting>>,
}

/// What waits, and how often it was tried.
type Waiting = (Mailbox, AttemptLog);

/// An opened episode: fresh, or one that proposed in an earlier attempt.
pub enum Opened {
    /// It may propose.
    Fresh(OpenEpisode),
    /// It proposed before an earlier attempt was cut short; this attempt continues with that.
    Continued(ProposedEpisode),
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

/// One reply of the model, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelTurn {
    /// Tool calls in it.
    pub tool_calls: u32,
    /// Tokens counted for it; the worst case where the model did not say.
    pub output_tokens: u64,
}

/// One tool call, as hashes and sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCallNote {
    /// The tool.
    pub tool: CleanString,
    /// Whether the call did what it was for.
    pub ok: bool,
    /// SHA-256 of the arguments, in hex.
    pub arguments_sha256: String,
    /// Bytes of the answer.
    pub result_bytes: u64,
}

/// What an attempt used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Model turns.
    pub turns: u32,
    /// Tool calls.
    pub tool_calls: u32,
    /// Output tokens counted.
    pub output_tokens: u64,
    /// Milliseconds from start to end.
    pub elapsed_ms: u64,
}

/// How an attempt ends without acknowledging anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abandoned {
    /// A bound was reached.
    TimedOut,
    /// The model or the store failed.
    Failed,
    /// It was stopped from outside.
    Cancelled,
}

/// What kind of failure ended an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// The model could not be reached.
    ModelUnavailable,
    /// The model refused for too many requests.
    RateLimited,
    /// A reply that could not be read.
    MalformedReply,
    /// A reply that was cut short.
    TruncatedReply,
    /// The model declined.
    Refusal,
    /// No turn left.
    TurnLimit,
    /// No token left.
    TokenLimit,
    /// No time left.
    TimeLimit,
    /// The workspace could not be written.
    StoreFailed,
    /// The host stopped it.
    Stopped,
}

impl Category {
    /// The name in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ModelUnavailable => "model_unavailable",
            Self::RateLimited => "rate_limited",
            Self::MalformedReply => "malformed_reply",
            Self::TruncatedReply => "truncated_reply",
            Self::Refusal => "refusal",
            Self::TurnLimit => "turn_limit",
            Self::TokenLimit => "token_limit",
            Self::TimeLimit => "time_limit",
            Self::StoreFailed => "store_failed",
            Self::Stopped => "stopped",
        }
    }
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The status.
    pub status: RepairStatus,
    /// The rule that was added or that covers the failure.
    pub rule: Option<RuleId>,
}

impl RepairDesk {
    pub(crate) fn new(
        book: RuleBook,
        reader: Reader,
        log: RepairLog,
        registry: MetricRegistry,
    ) -> Self {
        let waiting = Mutex::new(reader.follow(Waiting::default()));
        Self {
            shared: Arc::new(Shared {
                book,
                log,
                registry,
                reader,
                waiting,
            }),
        }
    }

    /// The episodes that wait: pending notices for an agent, related ones together. Those that were
    /// never tried come first, oldest first; then those tried before, fewest attempts first, and
    /// only once the back-off after their last attempt is over. So a failing episode never starves
    /// a newer one.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn episodes(&self, now: Timestamp) -> Result<Vec<Episode>, DeskError> {
        let waiting = self.shared.waiting()?;
        let (mailbox, attempts) = waiting.get();
        let mut due: Vec<(u32, Episode)> = coalesce(mailbox)
            .into_iter()
            .filter_map(|episode| {
                let tries = attempts.of(episode.id());
                tries.is_due(now).then_some((tries.count, episode))
            })
            .collect();
        due.sort_by(|(a, left), (b, right)| {
            a.cmp(b).then_with(|| left.notices().cmp(right.notices()))
        });
        Ok(due.into_iter().map(|(_, episode)| episode).collect())
    }

    /// How many attempts began on the day of `now`, in UTC.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn attempts_on_day_of(&self, now: Timestamp) -> Result<u32, DeskError> {
        Ok(self.shared.waiting()?.get().1.on_day_of(now))
    }

    /// Begins an attempt. One episode at a time is repaired in a workspace, across processes.
    ///
    /// # Errors
    /// [`DeskError::EpisodeUnderWay`]; [`DeskError::NotPending`]; or the journal cannot be written.
    pub fn open(
        &self,
        episode: &Episode,
        model: CleanString,
        repair_session: RepairSessionId,
    ) -> Result<Opened, DeskError> {
        let flight = self
            .shared
            .log
            .take_off()?
            .ok_or(DeskError::EpisodeUnderWay)?;
        let (notices, attempt) = self.shared.pending(episode)?;
        let context = RepairContext {
            episode: episode.id().clone(),
            notices: episode.notices().to_vec(),
            attempt,
            repair_session: repair_session.to_string(),
            recommended_scope: notices.iter().find_map(|n| n.recommended_scope.clone()),
            selected_scope: None,
            scope_rationale: None,
            considered_rules: Vec::new(),
            suppression: None,
        };
        let earlier = self
            .shared
            .book
            .ledger()?
            .proposal_of(episode.id())
            .map(|record| record.rule.id.clone());
        self.shared.append(
            RepairStarted {
                context: context.clone(),
                model,
            }
            .into(),
        )?;
        let attempt = Attempt {
            episode: episode.clone(),
            traces: self.shared.traces_of(&notices),
            notices,
            context,
            reader: self.shared.book.full_reader(),
            flight: Some(flight),
            shared: Arc::clone(&self.shared),
        };
        Ok(match earlier {
            None => Opened::Fresh(OpenEpisode { attempt }),
            Some(rule) => Opened::Continued(ProposedEpisode { attempt, rule }),
        })
    }
}

impl Shared {
    fn append(&self, event: RepairEvent) -> Result<(), DeskError> {
        self.log.append(COMMIT_DEADLINE, vec![event])?;
        Ok(())
    }

    fn waiting(&self) -> Result<MutexGuard<'_, Follower<Waiting>>, StoreError> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.refresh()?;
        Ok(waiting)
    }

    /// The notices of an episode, all of them pending, and the number of the next attempt.
    fn pending(&self, episode: &Episode) -> Result<(Vec<Notice>, u32), DeskError> {
        let waiting = self.waiting()?;
        let (mailbox, attempts) = waiting.get();
        let notices: Vec<Notice> = episode
            .notices()
            .iter()
            .filter_map(|id| mailbox.get(id).cloned())
            .filter(Notice::is_repairable)
            .collect();
        if notices.len() == episode.notices().len() {
            let attempt = attempts.of(episode.id()).count.saturating_add(1);
            Ok((notices, attempt))
        } else {
            Err(DeskError::NotPending(episode.id().clone()))
        }
    }

    /// The traces in the dumps of these notices, each once. A dump is found by its notice's id; one
    /// that is missing or does not read costs its evidence, not the episode.
    fn traces_of(&self, notices: &[Notice]) -> Vec<Trace> {
        let mut traces: Vec<Trace> = Vec::new();
        for notice in notices {
            let dump = self
                .reader
                .file(&layout::dump(&notice.id))
                .ok()
                .flatten()
                .and_then(|bytes| serde_json::from_slice::<DumpDoc>(&bytes).ok());
            for document in dump.into_iter().flat_map(|dump| dump.x_traces) {
                if let Ok(trace) = document.try_into_domain()
                    && notice.flagged_traces.contains(trace.id())
                    && traces.iter().all(|other| other.id() != trace.id())
                {
                    traces.push(trace);
                }
            }
        }
        traces
    }
}

/// Related pending notices together, each notice in one episode.
fn coalesce(mailbox: &Mailbox) -> Vec<Episode> {
    let mut groups: Vec<Vec<&Notice>> = Vec::new();
    for notice in mailbox.pending().filter(|n| n.is_repairable()) {
        let (related, mut rest): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group| group.iter().any(|other| notice.is_related_to(other)));
        let mut joined: Vec<&Notice> = related.into_iter().flatten().collect();
        joined.push(notice);
        rest.push(joined);
        groups = rest;
    }
    groups
        .into_iter()
        .filter_map(|group| {
            let first = group.first()?;
            let ids = group.iter().map(|notice| notice.id.clone()).collect();
            Episode::new(first.session.clone(), first.turn_index, ids, sha256)
        })
        .collect()
}

struct Attempt {
    shared: Arc<Shared>,
    episode: Episode,
    notices: Vec<Notice>,
    traces: Vec<Trace>,
    context: RepairContext,
    reader: RuleReader,
    /// Taken when the attempt has ended; what is dropped with it still here is cancelled.
    flight: Option<RepairFlight>,
}

impl Attempt {
    fn note_model_turn(&mut self, turn: u32, reply: ModelTurn) -> Result<(), DeskError> {
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

    fn note_tool_call(&mut self, note: ToolCallNote) -> Result<(), DeskError> {
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

    fn consider(&mut self, rules: &[RuleId]) {
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

    /// The evidence that a rule must not carry over, with the names that it may.
    fn evidence(&self) -> EvidenceLeaves {
        let spans = || self.traces.iter().flat_map(Trace::spans);
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

    fn resolve(
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

    fn abandon(
        mut self,
        how: Abandoned,
        rule: Option<RuleId>,
        category: Category,
        usage: Usage,
    ) -> Result<Ended, DeskError> {
        let status = self.abandon_in_place(how, rule.clone(), category, usage)?;
        Ok(Ended { status, rule })
    }

    fn abandon_in_place(
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

    fn end(&self, rule: Option<RuleId>, category: Option<Category>, usage: Usage) -> RepairEnd {
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

/// An episode that has not proposed.
pub struct OpenEpisode {
    attempt: Attempt,
}

/// An episode with its one proposal.
pub struct ProposedEpisode {
    attempt: Attempt,
    rule: RuleId,
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
