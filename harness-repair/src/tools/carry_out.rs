//! Carries out one call. Whatever an episode does, it does here.

use std::fmt::Display;

use harness_core::{CleanString, Notice, NoticeId, ResolutionKind, TASK_TOOLS, Trace, TraceId};
use harness_rules::{
    DeskError, OpenEpisode, Proposal, ProposeOutcome, ProposedEpisode, RuleReader, ToolCallNote,
    Usage, WithoutRule,
};
use harness_store::wire::sha256_hex;
use serde_json::{Value, json};

use super::call::{Call, Look, refusal};
use crate::evidence::{Leaves, Room, notices_view, render, trace_view};
use crate::model::Asked;
use crate::work::{After, Answered, End, Stage, Work};

/// Names that a refusal lists at most.
const MAX_LISTED: usize = 8;

impl Work {
    /// Carries out a call, or answers why not.
    pub(crate) fn carry_out(
        self,
        asked: &Asked,
        usage: Usage,
    ) -> Result<After<Answered>, DeskError> {
        let Self {
            stage,
            mut room,
            intake,
        } = self;
        let leaves = Leaves::new(&intake);
        let call = Call::parse(&asked.name, &asked.arguments, &intake);
        let understood = call.is_ok();
        let next = match (stage, call) {
            (stage, Err(answer)) => Next::Said(stage, answer),
            (Stage::Open(episode), Ok(call)) => {
                with_open(episode, call, asked, usage, &leaves, &mut room)?
            }
            (Stage::Proposed(episode), Ok(call)) => with_proposed(episode, call, asked, usage)?,
        };
        let (stage, answer) = match next {
            Next::Said(stage, answer) => (stage, answer),
            Next::Ended(end) => return Ok(After::Over(end)),
        };
        let content = render(&answer, &leaves);
        let ok = answer.get("ok") == Some(&Value::Bool(true));
        let note = record(asked, ok, content.len());
        let answered = Answered {
            content,
            understood,
        };
        Self {
            stage,
            room,
            intake,
        }
        .note_call(note, answered, usage)
    }
}

/// What a call came to.
#[expect(
    clippy::large_enum_variant,
    reason = "one at a time, and moved on at once"
)]
enum Next {
    Said(Stage, Value),
    Ended(End),
}

/// A call while nothing is proposed: everything but acknowledging.
fn with_open(
    mut episode: OpenEpisode,
    call: Call,
    asked: &Asked,
    usage: Usage,
    leaves: &Leaves<'_>,
    room: &mut Room,
) -> Result<Next, DeskError> {
    let answer = match call {
        Call::RuleAdd(proposal) => return propose(episode, *proposal, asked, usage),
        Call::NoticeResolve(how, note) => match not_covering(&episode, &how) {
            None => return resolve(episode, how, note, asked, usage).map(Next::Ended),
            Some(answer) => answer,
        },
        Call::NoticeAck(_) => refusal(
            "no rule was added: add one with harness_rule_add, or end the episode with \
             harness_notice_resolve",
        ),
        Call::Look(what) => look(&mut episode, what, leaves, room),
    };
    Ok(Next::Said(Stage::Open(episode), answer))
}

/// A call when the rule is there: acknowledging, and nothing else.
fn with_proposed(
    mut episode: ProposedEpisode,
    call: Call,
    asked: &Asked,
    usage: Usage,
) -> Result<Next, DeskError> {
    let Call::NoticeAck(note) = call else {
        let answer = refusal(&format!(
            "this episode has its one rule, `{}`: end it with harness_notice_ack",
            episode.rule()
        ));
        return Ok(Next::Said(Stage::Proposed(episode), answer));
    };
    match episode.note_tool_call(closing(asked)) {
        Ok(()) => episode.acknowledge(note, usage).map(End::resolved),
        Err(_) => Stage::Proposed(episode).store_failed(usage),
    }
    .map(Next::Ended)
}

/// Proposes a rule. One that a live rule covers resolves the episode at once: another wording
/// would cover nothing new.
fn propose(
    episode: OpenEpisode,
    proposal: Proposal,
    asked: &Asked,
    usage: Usage,
) -> Result<Next, DeskError> {
    match episode.propose(proposal)? {
        ProposeOutcome::Added(episode) => {
            let answer = json!({
                "ok": true,
                "rule_id": episode.rule().as_str(),
                "status": "candidate",
                "next": "end the episode with harness_notice_ack",
            });
            Ok(Next::Said(Stage::Proposed(episode), answer))
        }
        ProposeOutcome::Covered { episode, by, kind } => {
            let how = match kind {
                ResolutionKind::Duplicate => WithoutRule::Duplicate(by),
                _ => WithoutRule::AlreadyCovered(by),
            };
            resolve(episode, how, None, asked, usage).map(Next::Ended)
        }
        ProposeOutcome::Refused { episode, reason } => {
            let answer = refusal(&reason.to_string());
            Ok(Next::Said(Stage::Open(episode), answer))
        }
    }
}

/// Looks at evidence or rules; what is shown is taken from the room.
fn look(episode: &mut OpenEpisode, what: Look, leaves: &Leaves<'_>, room: &mut Room) -> Value {
    let answer = match what {
        Look::Notices(id) => read_notices(episode, id.as_ref(), leaves, room.next()),
        Look::Trace(id) => inspect(episode, id.as_ref(), leaves, room.next()),
        Look::Rules(tool, arguments) => {
            let answer = episode.read_tools().call(tool, &arguments);
            episode.considered(&RuleReader::surfaced(&answer));
            answer
        }
    };
    if room.admit(render(&answer, leaves).len()) {
        answer
    } else {
        refusal(
            "the answer does not fit into what is left of the room for evidence: ask for less, or \
             decide on what was shown",
        )
    }
}

fn read_notices(
    episode: &OpenEpisode,
    id: Option<&NoticeId>,
    leaves: &Leaves<'_>,
    room: usize,
) -> Value {
    let notices = episode.notices();
    let wanted = |notice: &&Notice| id.is_none_or(|id| notice.id == *id);
    if notices.iter().any(|notice| wanted(&notice)) {
        notices_view(notices.iter().filter(wanted), leaves, room)
    } else {
        outside("notice", notices.iter().map(|notice| &notice.id))
    }
}

fn inspect(episode: &OpenEpisode, id: Option<&TraceId>, leaves: &Leaves<'_>, room: usize) -> Value {
    let traces = episode.traces();
    match traces
        .iter()
        .find(|trace| id.is_none_or(|id| trace.id() == id))
    {
        Some(trace) => trace_view(trace, leaves, room),
        None => outside("kept trace", traces.iter().map(Trace::id)),
    }
}

/// The refusal of a thing that is not the episode's own.
fn outside(what: &str, own: impl Iterator<Item = impl Display>) -> Value {
    let own: Vec<String> = own.take(MAX_LISTED).map(|id| format!("`{id}`")).collect();
    let own = if own.is_empty() {
        "none".to_owned()
    } else {
        own.join(", ")
    };
    refusal(&format!("not a {what} of this episode, which has: {own}"))
}

/// The refusal of a rule that does not cover anything in the way that was claimed.
fn not_covering(episode: &OpenEpisode, how: &WithoutRule) -> Option<Value> {
    let (rule, must_be) = match how {
        WithoutRule::Duplicate(rule) => (rule, "active"),
        WithoutRule::AlreadyCovered(rule) => (rule, "candidate"),
        WithoutRule::NoProposal | WithoutRule::Unactionable => return None,
    };
    let [.., status] = TASK_TOOLS;
    let answer = episode
        .read_tools()
        .call(status, &json!({ "rule_id": rule.as_str() }));
    let is = answer.get("status").and_then(Value::as_str);
    (is != Some(must_be)).then(|| {
        refusal(&match is {
            Some(is) => format!("`{rule}` is {is}, and has to be {must_be} for this resolution"),
            None => format!("no rule has the id `{rule}`: search for the one that you mean"),
        })
    })
}

fn resolve(
    mut episode: OpenEpisode,
    how: WithoutRule,
    note: Option<CleanString>,
    asked: &Asked,
    usage: Usage,
) -> Result<End, DeskError> {
    match episode.note_tool_call(closing(asked)) {
        Ok(()) => episode.resolve(how, note, usage).map(End::resolved),
        Err(_) => Stage::Open(episode).store_failed(usage),
    }
}

fn record(asked: &Asked, ok: bool, result_bytes: usize) -> ToolCallNote {
    ToolCallNote {
        tool: asked.name.clone(),
        ok,
        arguments_sha256: sha256_hex(asked.arguments.as_str().as_bytes()),
        result_bytes: u64::try_from(result_bytes).unwrap_or(u64::MAX),
    }
}

/// The record of a call that ends the episode: its answer reaches no model, and has no size.
fn closing(asked: &Asked) -> ToolCallNote {
    record(asked, true, 0)
}
