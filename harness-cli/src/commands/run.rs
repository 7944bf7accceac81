//! `harness run`: recorded conversations through evaluate, notice, repair, settle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;
use harness_core::{NoticeId, Origin, Quoted, RepairStatus, SessionId, TurnPayload};
use harness_engine::{EmbeddedEvaluator, Harness, Recorded, Settled, Setup};
use harness_repair::RepairResult;
use harness_rules::Category;
use harness_traces::{Conversation, SpanAccount};
use serde_json::{Value, json};

use super::repair_traces::RepairTraces;
use super::{Cli, repair_model};
use crate::args::Run;
use crate::exit::{Exit, Problem};
use crate::hints::Hints;
use crate::output::{complain, progress};
use crate::recordings::Recordings;
use crate::runtime;

/// Turns that are handed over before they are settled; below what a session's queue holds.
const TURNS_AT_ONCE: usize = 32;

/// What was read, and what it added.
#[derive(Debug, Default)]
struct Tally {
    sessions: BTreeSet<SessionId>,
    turns: usize,
    alerts: u64,
    notices: Vec<NoticeId>,
    episodes: Vec<RepairResult>,
    unreadable: Vec<(String, String)>,
    spans: SpanAccount,
    failures: Vec<String>,
    incomplete: usize,
}

pub(super) fn run(cli: &mut Cli<'_>, args: &Run) -> Result<Exit> {
    let repair = repair_model::choose(cli.environment, &args.repair)?;
    let intake = cli.intake();
    let hints = match &args.hints {
        Some(path) => Hints::read(path, &intake)?,
        None => Hints::default(),
    };
    let mut config = cli.environment.config()?;
    config.observe_only |= args.observe_only;
    let (traces, repair) = RepairTraces::of(&config, repair)?;
    let setup = Setup {
        paths: cli.paths()?,
        config,
        evaluator: Arc::new(EmbeddedEvaluator),
        verifier: None,
        repair,
        redactor: cli.environment.redactor().clone(),
        clock: None,
    };
    let recordings = Recordings::new(&args.traces, &intake);
    let runtime = runtime::start()?;
    let tally = runtime.block_on(feed(cli, setup, &hints, recordings))?;
    let exit = report(cli, &tally)?;
    if let Some(traces) = traces {
        runtime.block_on(traces.export())?;
    }
    Ok(exit)
}

async fn feed(
    cli: &mut Cli<'_>,
    setup: Setup,
    hints: &Hints,
    recordings: Recordings<'_>,
) -> Result<Tally> {
    let harness = Harness::open(setup)?;
    let bar = progress(recordings.left(), "files");
    let mut tally = Tally::default();
    for recording in recordings {
        bar.inc(1);
        let path = recording.path.to_string_lossy().into_owned();
        let document = match recording.read {
            Ok(document) => document,
            Err(reason) => {
                tally.unreadable.push((path, reason));
                continue;
            }
        };
        let problems = document
            .unreadable
            .iter()
            .map(|found| (path.clone(), found.to_string()));
        tally.unreadable.extend(problems);
        if document.spans.read() > 0 {
            tally.spans = document.spans;
        }
        for conversation in document.conversations {
            let session = conversation.session.clone();
            let told = settle(&harness, conversation, hints, &mut tally).await;
            if !cli.out.is_json() {
                bar.suspend(|| cli.out.line(format_args!("{session}: {told}")))?;
            }
        }
    }
    repair_the_rest(&harness, &mut tally).await;
    bar.finish_and_clear();
    if !harness.close().await {
        tally
            .failures
            .push("the end of something was not waited for: raise HARNESS_DRAIN_S".to_owned());
    }
    Ok(tally)
}

/// Feeds one conversation and says what it came to.
async fn settle(
    harness: &Harness,
    conversation: Conversation,
    hints: &Hints,
    tally: &mut Tally,
) -> String {
    let session = conversation.session;
    let (turns, before) = (
        conversation.turns.len(),
        (tally.alerts, tally.notices.len()),
    );
    let mut episodes = Vec::new();
    let mut fed = 0;
    for (index, trace) in (0..).zip(conversation.turns) {
        let mut turn = TurnPayload::new(session.clone(), index, Origin::Recorded, trace);
        let ends = turn.trace.spans().iter().filter_map(|span| span.ended_at);
        turn.ended_at = ends.max();
        hints.add_to(&mut turn);
        if harness.record_turn(turn) == Recorded::Refused {
            tally
                .failures
                .push(format!("{session}: turn {index} was refused"));
        }
        fed += 1;
        if fed % TURNS_AT_ONCE == 0 {
            episodes.extend(tally.take(&session, harness.settle(&session).await));
        }
    }
    harness.end_session(&session);
    episodes.extend(tally.take(&session, harness.settle(&session).await));
    tally.turns += turns;
    tally.sessions.insert(session);
    let repaired: Vec<String> = episodes
        .iter()
        .map(|status| format!(", repair {status}"))
        .collect();
    format!(
        "{turns} turns, {} alerts, {} notices{}",
        tally.alerts - before.0,
        tally.notices.len() - before.1,
        repaired.concat()
    )
}

/// A settle repairs one episode at most; what else waits and is due is repaired now, up to the
/// day's cap, so that the same command again finds nothing to do.
async fn repair_the_rest(harness: &Harness, tally: &mut Tally) {
    let Some(session) = tally.sessions.last().cloned() else {
        return;
    };
    while tally
        .take(&session, harness.settle(&session).await)
        .is_some()
    {}
}

impl Tally {
    fn take(&mut self, session: &SessionId, settled: Settled) -> Option<RepairStatus> {
        self.alerts += u64::from(settled.alerts);
        self.notices.extend(settled.notices);
        self.incomplete += usize::from(!settled.complete);
        let failures = settled.failures.into_iter();
        self.failures
            .extend(failures.map(|failure| format!("{session}: {failure}")));
        let status = settled.repair.as_ref().map(|result| result.status);
        self.episodes.extend(settled.repair);
        status
    }

    fn to_json(&self) -> Value {
        let unreadable: Vec<Value> = self
            .unreadable
            .iter()
            .map(|(path, reason)| json!({ "path": path, "reason": reason }))
            .collect();
        let mut run = json!({
            "sessions": self.sessions.len(),
            "turns": self.turns,
            "alerts": self.alerts,
            "notices": self.notices.iter().map(NoticeId::as_str).collect::<Vec<_>>(),
            "episodes": self.episodes.iter().map(episode_to_json).collect::<Vec<_>>(),
            "unreadable": unreadable,
        });
        if let (Some(fields), true) = (run.as_object_mut(), self.spans.read() > 0) {
            fields.insert("spans".to_owned(), spans_to_json(&self.spans));
        }
        run
    }

    fn exit(&self) -> Result<Exit, Problem> {
        if self.sessions.is_empty() && !self.unreadable.is_empty() {
            return Err(Problem::usage(
                "nothing was readable: see `unreadable` for each reason",
            ));
        }
        Ok(match (self.failures.is_empty(), self.incomplete) {
            (false, _) => Exit::Workspace,
            (true, 0) if self.unanswered() == 0 => Exit::Done,
            (true, _) => Exit::Outside,
        })
    }

    /// Episodes that wait on, since the model's provider gave no reply.
    fn unanswered(&self) -> usize {
        let gave_none =
            |category| matches!(category, Category::ModelUnavailable | Category::RateLimited);
        let episodes = self.episodes.iter();
        episodes
            .filter(|result| result.category.is_some_and(gave_none))
            .count()
    }
}

fn episode_to_json(result: &RepairResult) -> Value {
    let mut episode = json!({ "id": result.episode.as_str(), "status": result.status.as_str() });
    let rule = result.new_rule.as_ref().or(result.existing_rule.as_ref());
    if let (Some(fields), Some(rule)) = (episode.as_object_mut(), rule) {
        fields.insert("rule_id".to_owned(), rule.as_str().into());
    }
    episode
}

/// Every span that was read: used, or dropped with a reason.
fn spans_to_json(spans: &SpanAccount) -> Value {
    let dropped: Vec<Value> = spans
        .dropped
        .iter()
        .map(|dropped| {
            json!({
                "trace": dropped.trace.as_str(),
                "span": dropped.span.as_str(),
                "name": dropped.name.as_str(),
                "reason": dropped.reason.to_string(),
            })
        })
        .collect();
    json!({
        "read": spans.read(),
        "used": spans.used,
        "dropped": dropped,
        "dropped_unlisted": spans.unlisted,
    })
}

/// How many spans were dropped for which reason.
fn reasons(spans: &SpanAccount) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    for dropped in &spans.dropped {
        *reasons.entry(dropped.reason.to_string()).or_default() += 1;
    }
    reasons
}

fn report(cli: &mut Cli<'_>, tally: &Tally) -> Result<Exit> {
    if cli.out.is_json() {
        cli.out.json(&tally.to_json())?;
    } else {
        let summary = format!(
            "{} sessions, {} turns: {} alerts, {} notices, {} episodes, {} unreadable",
            tally.sessions.len(),
            tally.turns,
            tally.alerts,
            tally.notices.len(),
            tally.episodes.len(),
            tally.unreadable.len()
        );
        let heading = cli.out.style().heading(summary);
        cli.out.line(heading)?;
        if tally.spans.read() > 0 {
            let (read, used) = (tally.spans.read(), tally.spans.used);
            cli.out.line(format_args!("{read} spans: {used} used"))?;
        }
        for (reason, count) in reasons(&tally.spans) {
            cli.out.line(format_args!("{count} dropped: {reason}"))?;
        }
        if tally.spans.unlisted > 0 {
            let more = tally.spans.unlisted;
            cli.out.line(format_args!("{more} dropped, not listed"))?;
        }
        for (path, reason) in &tally.unreadable {
            cli.out
                .line(format_args!("unreadable {}: {reason}", Quoted(path)))?;
        }
    }
    let redactor = cli.environment.redactor();
    for failure in &tally.failures {
        complain(redactor, format_args!("harness: {failure}"));
    }
    if tally.incomplete > 0 {
        let message = "sessions were not settled in time: raise HARNESS_SETTLE_BUDGET_S";
        complain(
            redactor,
            format_args!("harness: {} {message}", tally.incomplete),
        );
    }
    let unanswered = tally.unanswered();
    if unanswered > 0 {
        let message = "episodes wait on: the repair model did not answer; see `harness doctor";
        complain(
            redactor,
            format_args!("harness: {unanswered} {message} --repair MODEL`"),
        );
    }
    Ok(tally.exit()?)
}
