//! The loop of one attempt: ask, record, carry out, one bound after another checked in between.

use std::time::Duration;

use harness_core::{Prompt, RepairSessionId};
use harness_rules::{Abandoned, Category, DeskError, ModelTurn, OpenEpisode, Usage};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use crate::agent::RepairAgent;
use crate::backoff;
use crate::bounds::{Account, Exhausted};
use crate::evidence::{Leaves, Room, render};
use crate::model::{
    Answer, Asked, Exchange, ModelCall, ModelError, ModelReply, ModelRequest, StopReason,
};
use crate::off_thread::Held;
use crate::prompt::{REMINDER, prompt};
use crate::result::RepairError;
use crate::tools::repair_tools;
use crate::trace::Recording;
use crate::work::{After, End, Work};

/// Calls of one reply that are taken up; the rest of it is as if it had not been said.
const MAX_CALLS: usize = 8;
/// Replies in a row without one call that could be carried out, after which the model is given up.
const MAX_MISSES: u32 = 3;
/// Notices or traces that the prompt names; the tools know the others too.
const MAX_IDS: usize = 16;
/// Bytes kept of a reply's text.
const MAX_TEXT: usize = 4096;
/// Bytes kept of a call's id.
const MAX_CALL_ID: usize = 128;
/// Bytes kept of a tool's name.
const MAX_TOOL_NAME: usize = 96;
/// Bytes kept of a call's arguments; what is longer is cut and no longer JSON.
const MAX_ARGUMENTS: usize = 16 * 1024;

/// One attempt at an episode.
pub(crate) struct Attempt<'a> {
    agent: &'a RepairAgent,
    session: RepairSessionId,
    began: Instant,
    account: Account,
    tool_calls: u32,
    model_time: Duration,
    recording: &'a mut Recording,
}

/// How an attempt ended, and what it used.
pub(crate) struct Halted {
    pub(crate) end: End,
    pub(crate) usage: Usage,
    pub(crate) model_time: Duration,
}

/// Why the loop gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GiveUp(Abandoned, Category);

impl GiveUp {
    const TIME: Self = Self(Abandoned::TimedOut, Category::TimeLimit);
    const TURNS: Self = Self(Abandoned::TimedOut, Category::TurnLimit);
    const TOKENS: Self = Self(Abandoned::TimedOut, Category::TokenLimit);
    const REFUSED: Self = Self(Abandoned::Failed, Category::Refusal);
    const TRUNCATED: Self = Self(Abandoned::Failed, Category::TruncatedReply);
    const MALFORMED: Self = Self(Abandoned::Failed, Category::MalformedReply);
}

impl From<Exhausted> for GiveUp {
    fn from(exhausted: Exhausted) -> Self {
        match exhausted {
            Exhausted::Turns => Self::TURNS,
            Exhausted::Tokens => Self::TOKENS,
        }
    }
}

impl From<ModelError> for GiveUp {
    fn from(error: ModelError) -> Self {
        let category = match error {
            ModelError::Unavailable
            | ModelError::Lost
            | ModelError::Unauthenticated
            | ModelError::Rejected => Category::ModelUnavailable,
            ModelError::RateLimited { .. } => Category::RateLimited,
            ModelError::Malformed => Category::MalformedReply,
        };
        Self(Abandoned::Failed, category)
    }
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(
        agent: &'a RepairAgent,
        session: RepairSessionId,
        began: Instant,
        recording: &'a mut Recording,
    ) -> Self {
        Self {
            agent,
            session,
            began,
            account: Account::new(&agent.bounds),
            tool_calls: 0,
            model_time: Duration::ZERO,
            recording,
        }
    }

    /// Runs the attempt to its end.
    pub(crate) async fn run(mut self, episode: OpenEpisode) -> Result<Halted, RepairError> {
        let (prompt, room) = self.prompt(&episode);
        let work = Held::new(Work::new(episode, room, self.agent.intake.clone()));
        let end = self.converse(work, &prompt).await?;
        Ok(Halted {
            end,
            usage: self.usage(),
            model_time: self.model_time,
        })
    }

    /// The prompt, and the room for evidence that it leaves.
    fn prompt(&self, episode: &OpenEpisode) -> (Prompt, Room) {
        let notices = episode.notices().iter().map(|notice| notice.id.as_str());
        let traces = episode.traces().iter().map(|trace| trace.id().as_str());
        let assignment = json!({
            "episode_id": episode.episode().id().as_str(),
            "notice_ids": notices.take(MAX_IDS).collect::<Vec<_>>(),
            "trace_ids": traces.take(MAX_IDS).collect::<Vec<_>>(),
        });
        let assignment = render(&assignment, &Leaves::new(&self.agent.intake));
        let policy = self.agent.domain_policy.clone();
        let mut room = Room::new(self.agent.bounds.evidence_bytes);
        room.use_up(assignment.len() + policy.as_ref().map_or(0, |policy| policy.len()));
        (prompt(policy, assignment), room)
    }

    async fn converse(
        &mut self,
        mut work: Held<Work>,
        prompt: &Prompt,
    ) -> Result<End, RepairError> {
        let mut exchange = Vec::new();
        let mut misses = 0;
        while misses < MAX_MISSES {
            let (reply, tokens) = match self.ask(prompt, &exchange).await {
                Ok(replied) => replied,
                Err(why) => return self.give_up(work, why).await,
            };
            let text = self.agent.intake.untrusted(reply.text, MAX_TEXT);
            let calls = self.take_up(reply.calls);
            work = match self.note_turn(work, &calls, tokens).await? {
                After::Going(work, ()) => Held::new(work),
                After::Over(end) => return Ok(end),
            };
            if let Some(why) = self.flaw(reply.stop, reply.output_tokens) {
                return self.give_up(work, why).await;
            }
            let turn = if calls.is_empty() {
                self.finish(work).await?
            } else {
                self.carry_out(work, &calls).await?
            };
            match turn {
                Turn::Over(end) => return Ok(end),
                Turn::OutOfTime(work) => return self.give_up(work, GiveUp::TIME).await,
                Turn::Going {
                    work: going,
                    answers,
                    understood,
                } => {
                    work = going;
                    misses = if understood { 0 } else { misses + 1 };
                    exchange.push(Exchange::Reply { text, calls });
                    exchange.push(answers);
                }
            }
        }
        self.give_up(work, GiveUp::MALFORMED).await
    }

    /// One reply within the bounds, asked for again where that may help, and the output tokens that
    /// it is charged.
    async fn ask(
        &mut self,
        prompt: &Prompt,
        exchange: &[Exchange],
    ) -> Result<(ModelReply, u64), GiveUp> {
        let mut failures = 0;
        loop {
            let left = self.time_left().ok_or(GiveUp::TIME)?;
            let request = ModelRequest {
                prompt,
                exchange,
                tools: repair_tools(),
                max_output_tokens: self.account.grant()?,
                temperature: self.agent.bounds.temperature,
                reasoning_effort: self.agent.bounds.reasoning_effort.as_deref(),
            };
            let asked = Instant::now();
            let reply = timeout(left, self.agent.model.reply(request)).await;
            self.model_time += asked.elapsed();
            let error = match reply {
                Err(_) => {
                    self.account.lose();
                    return Err(GiveUp::TIME);
                }
                Ok(Ok(reply)) => {
                    let tokens = self.account.charge(reply.output_tokens);
                    self.recording.replied(asked, tokens);
                    return Ok((reply, tokens));
                }
                Ok(Err(error)) => error,
            };
            if error.may_have_cost() {
                self.account.lose();
            }
            failures += 1;
            match backoff::wait(error, failures, self.session) {
                Some(wait) if self.time_left().is_some_and(|left| wait < left) => {
                    sleep(wait).await;
                }
                _ => return Err(error.into()),
            }
        }
    }

    async fn note_turn(
        &self,
        work: Held<Work>,
        calls: &[Asked],
        output_tokens: u64,
    ) -> Result<After<()>, RepairError> {
        let turn = ModelTurn {
            tool_calls: u32::try_from(calls.len()).unwrap_or(u32::MAX),
            output_tokens,
        };
        let usage = self.usage();
        step(work, move |work| work.note_turn(usage.turns, turn, usage)).await
    }

    /// What makes a reply one whose calls are not carried out.
    fn flaw(&self, stop: StopReason, reported: Option<u64>) -> Option<GiveUp> {
        let all_of_it = reported.is_some_and(|used| used >= self.account.granted());
        match stop {
            _ if self.account.is_overdrawn() => Some(GiveUp::TOKENS),
            StopReason::Refused => Some(GiveUp::REFUSED),
            StopReason::Truncated if all_of_it => Some(GiveUp::TOKENS),
            StopReason::Truncated => Some(GiveUp::TRUNCATED),
            StopReason::Complete => None,
        }
    }

    /// Gates the calls of a reply.
    fn take_up(&self, calls: Vec<ModelCall>) -> Vec<Asked> {
        let intake = &self.agent.intake;
        calls
            .into_iter()
            .take(MAX_CALLS)
            .map(|call| Asked {
                id: intake.untrusted(call.id, MAX_CALL_ID),
                name: intake.untrusted(call.name, MAX_TOOL_NAME),
                arguments: intake.untrusted(call.arguments, MAX_ARGUMENTS),
            })
            .collect()
    }

    /// After a reply without a call: the end, if a rule was added; else a reminder.
    async fn finish(&self, work: Held<Work>) -> Result<Turn, RepairError> {
        let usage = self.usage();
        Ok(
            match step(work, move |work| work.acknowledge(usage)).await? {
                After::Over(end) => Turn::Over(end),
                After::Going(work, ()) => Turn::Going {
                    work: Held::new(work),
                    answers: Exchange::Reminder(REMINDER),
                    understood: false,
                },
            },
        )
    }

    /// Carries out the calls of a reply in order, as far as the episode goes.
    async fn carry_out(
        &mut self,
        mut work: Held<Work>,
        calls: &[Asked],
    ) -> Result<Turn, RepairError> {
        let mut answers = Vec::new();
        let mut understood = false;
        for asked in calls {
            if self.time_left().is_none() {
                return Ok(Turn::OutOfTime(work));
            }
            self.tool_calls += 1;
            let began = Instant::now();
            let (call, usage) = (asked.clone(), self.usage());
            let after = step(work, move |work| work.carry_out(&call, usage)).await?;
            let done = match &after {
                After::Over(_) => true,
                After::Going(_, answered) => answered.understood,
            };
            self.recording.called(asked.name.clone(), began, done);
            match after {
                After::Over(end) => return Ok(Turn::Over(end)),
                After::Going(still, answered) => {
                    work = Held::new(still);
                    understood |= answered.understood;
                    answers.push(Answer {
                        call_id: asked.id.clone(),
                        name: asked.name.clone(),
                        content: answered.content,
                    });
                }
            }
        }
        Ok(Turn::Going {
            work,
            answers: Exchange::Answers(answers),
            understood,
        })
    }

    async fn give_up(
        &self,
        work: Held<Work>,
        GiveUp(how, category): GiveUp,
    ) -> Result<End, RepairError> {
        let usage = self.usage();
        work.with(move |work| work.abandon(how, category, usage))
            .await?
            .map_err(RepairError::NotRecorded)
    }

    fn usage(&self) -> Usage {
        Usage {
            turns: self.account.turns(),
            tool_calls: self.tool_calls,
            output_tokens: self.account.spent(),
            elapsed_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// What is left of the time bound, if anything is.
    fn time_left(&self) -> Option<Duration> {
        let left = self.agent.bounds.time.checked_sub(self.began.elapsed())?;
        (!left.is_zero()).then_some(left)
    }
}

/// What a reply's calls, or their absence, came to.
enum Turn {
    Going {
        work: Held<Work>,
        answers: Exchange,
        understood: bool,
    },
    OutOfTime(Held<Work>),
    Over(End),
}

/// One step of the episode, off the caller's thread.
async fn step<T: Send + 'static>(
    work: Held<Work>,
    step: impl FnOnce(Work) -> Result<After<T>, DeskError> + Send + 'static,
) -> Result<After<T>, RepairError> {
    work.with(step).await?.map_err(RepairError::NotRecorded)
}
