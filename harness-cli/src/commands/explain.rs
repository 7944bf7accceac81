//! `harness explain`: a rule's way from a failure to its verdict, each step with its line in the
//! journal and the hash of that line.
//!
//! Before a verdict has revealed the key, nobody can count by arm, and this does not try.

use anyhow::Result;
use harness_core::{EpisodeId, NoticeId, RuleId, layout};
use harness_rules::ledger::{Observation, RuleRecord, Trial};
use harness_rules::verify::VerdictCheck;
use harness_store::Reader;
use harness_store::wire::event::Path;
use harness_store::wire::{Event, Line, hex, sha256_hex};
use serde_json::{Value, json};

use super::Cli;
use super::rules::{known, to_json, trial_to_json};
use super::verify::{derive, tell, verdict_to_json};
use crate::events::Shown;
use crate::exit::Exit;

/// One step on the way.
#[derive(Debug)]
struct Step {
    seq: u64,
    line_sha256: String,
    shown: Shown,
}

/// The steps of one kind, and the kinds that there are.
#[derive(Debug, Default)]
struct Steps {
    notices: Vec<Step>,
    episode: Vec<Step>,
    proposal: Vec<Step>,
    openings: Vec<Step>,
    replays: Vec<Step>,
    verdicts: Vec<Step>,
}

impl Steps {
    fn read(reader: &Reader, record: &RuleRecord) -> Result<Self> {
        let episode = record.episode.as_ref();
        let notices = notices_of(reader, record)?;
        let mut steps = Self::default();
        for line in reader.records_from(0)? {
            let line = line?;
            if let Some(kind) = steps.kind(&line, &record.rule.id, episode, &notices) {
                kind.push(Step {
                    seq: line.record().map(|record| record.seq).unwrap_or_default(),
                    line_sha256: hex(line.digest()),
                    shown: Shown::of(&line)?,
                });
            }
        }
        Ok(steps)
    }

    /// Where a line belongs, if it is part of this rule's way.
    fn kind(
        &mut self,
        line: &Line,
        rule: &RuleId,
        episode: Option<&EpisodeId>,
        notices: &[NoticeId],
    ) -> Option<&mut Vec<Step>> {
        let (_, event) = line.event()?;
        let own = |id: &EpisodeId| episode == Some(id);
        match event {
            Event::Notice(posted) if notices.contains(&posted.notice.id) => Some(&mut self.notices),
            Event::RepairStarted(started) if own(&started.context.episode) => {
                Some(&mut self.episode)
            }
            Event::RepairCompleted(end)
            | Event::RepairTimedOut(end)
            | Event::RepairFailed(end)
            | Event::RepairCancelled(end)
                if own(&end.context.episode) =>
            {
                Some(&mut self.episode)
            }
            Event::RuleAdd(added) if added.rule.id == *rule => Some(&mut self.proposal),
            Event::RuleImport(imported) if imported.rule.id == *rule => Some(&mut self.proposal),
            Event::TrialOpened(opened) if opened.rule == *rule => Some(&mut self.openings),
            Event::ValidationCandidateStarted(started) if started.rule == *rule => {
                Some(&mut self.replays)
            }
            Event::ValidationVerdict(ended) if ended.rule == *rule => Some(&mut self.replays),
            Event::RulePromote(promoted) if promoted.rule.id == *rule => Some(&mut self.verdicts),
            Event::RuleRetire(retired) if retired.id == *rule => Some(&mut self.verdicts),
            Event::Quarantine(quarantine) if quarantine.rules.contains(rule) => {
                Some(&mut self.verdicts)
            }
            _ => None,
        }
    }
}

/// The notices that the rule answers.
fn notices_of(reader: &Reader, record: &RuleRecord) -> Result<Vec<NoticeId>> {
    let mut notices: Vec<NoticeId> = record.rule.source_notice.iter().cloned().collect();
    for line in reader.records_from(0)? {
        if let Some((_, Event::RepairStarted(started))) = line?.event()
            && Some(&started.context.episode) == record.episode.as_ref()
        {
            notices.extend(started.context.notices.iter().cloned());
        }
    }
    notices.sort();
    notices.dedup();
    Ok(notices)
}

pub(super) fn run(cli: &mut Cli<'_>, rule: &str) -> Result<Exit> {
    let rule = RuleId::parse(rule)?;
    let reader = cli.reader()?;
    let book = cli.book(&reader)?;
    let ledger = book.ledger()?;
    let record = known(&ledger, &rule)?;
    let steps = Steps::read(&reader, record)?;
    let verdicts = derive(&reader, &rule)?.verdicts;
    if cli.out.is_json() {
        cli.out
            .json(&document(&reader, record, &steps, &verdicts)?)?;
    } else {
        print(cli, record, &steps, &verdicts)?;
    }
    Ok(Exit::Done)
}

fn document(
    reader: &Reader,
    record: &RuleRecord,
    steps: &Steps,
    verdicts: &[VerdictCheck],
) -> Result<Value> {
    let mut notices = Vec::new();
    for step in &steps.notices {
        let mut notice = step_to_json(
            step,
            &[
                "id",
                "session_id",
                "turn_index",
                "severity",
                "signatures",
                "summary",
            ],
        );
        if let (Some(fields), Some(id)) = (notice.as_object_mut(), text(step, "id")) {
            let dump = reader.file(&layout::dump(&NoticeId::parse(id)?))?;
            fields.insert(
                "traces_sha256".to_owned(),
                dump.map(|bytes| sha256_hex(&bytes)).into(),
            );
        }
        notices.push(notice);
    }
    let all = |steps: &[Step], names: &[&str]| -> Vec<Value> {
        steps.iter().map(|step| step_to_json(step, names)).collect()
    };
    Ok(json!({
        "rule": to_json(record),
        "notices": notices,
        "episode": {
            "id": record.episode.as_ref().map(EpisodeId::as_str),
            "steps": all(&steps.episode, &["attempt", "model", "turns", "tool_calls", "output_tokens", "elapsed_ms", "category"]),
        },
        "proposal": all(&steps.proposal, &["text_sha256"]).pop(),
        "trials": record.trials.iter().map(with_counts).collect::<Vec<_>>(),
        "openings": all(&steps.openings, &["trial", "path", "target", "commitment", "evaluator", "evaluator_version", "alpha", "phi"]),
        "replays": all(&steps.replays, &["trial", "attempt", "attempts", "seeds", "failures", "wins", "losses", "pending", "e_value", "e_veto"]),
        "verdict_lines": all(&steps.verdicts, &["reason", "validator", "key", "e_value", "threshold", "text_sha256"]),
        "verdicts": verdicts.iter().map(verdict_to_json).collect::<Vec<_>>(),
    }))
}

fn step_to_json(step: &Step, names: &[&str]) -> Value {
    let mut value = json!({
        "seq": step.seq,
        "line_sha256": step.line_sha256,
        "type": step.shown.kind(),
    });
    if let Some(fields) = value.as_object_mut() {
        for name in names {
            if let Some(told) = step.shown.value.get(*name) {
                fields.insert((*name).to_owned(), told.clone());
            }
        }
    }
    value
}

/// A trial with what can be counted without its key.
fn with_counts(trial: &Trial) -> Value {
    let (counted, dropped) = counts(trial);
    let mut value = trial_to_json(trial);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("counted".to_owned(), counted.into());
        fields.insert("dropped".to_owned(), dropped.into());
    }
    value
}

fn counts(trial: &Trial) -> (usize, usize) {
    let of = |wanted: fn(Observation) -> bool| {
        trial
            .entries()
            .filter(|(_, entry)| wanted(entry.observation))
            .count()
    };
    (
        of(|observation| matches!(observation, Observation::Counted(_))),
        of(|observation| matches!(observation, Observation::Dropped)),
    )
}

fn text<'s>(step: &'s Step, name: &str) -> Option<&'s str> {
    step.shown.value.get(name).and_then(Value::as_str)
}

fn print(
    cli: &mut Cli<'_>,
    record: &RuleRecord,
    steps: &Steps,
    verdicts: &[VerdictCheck],
) -> Result<()> {
    let style = cli.out.style();
    let rule = &record.rule;
    cli.out
        .line(style.heading(format_args!("{} is {}", rule.id, record.status.as_str())))?;
    cli.out.line(&rule.text)?;
    cli.out
        .line(format_args!("text sha256 {}", record.text_sha256))?;
    let parts = [
        ("noticed", &steps.notices),
        ("repaired", &steps.episode),
        ("proposed", &steps.proposal),
        ("put on trial", &steps.openings),
        ("replayed", &steps.replays),
        ("decided", &steps.verdicts),
    ];
    for (heading, steps) in parts.into_iter().filter(|(_, steps)| !steps.is_empty()) {
        cli.out.line("")?;
        cli.out.line(style.heading(heading))?;
        for step in steps {
            cli.out.line(step.shown.to_text())?;
            cli.out
                .line(format_args!("       line sha256 {}", step.line_sha256))?;
        }
    }
    cli.out.line("")?;
    for trial in &record.trials {
        if trial.path == Path::Replay {
            let (won, lost) = trial.replay.pairs.target();
            cli.out.line(format_args!(
                "{}: {won} pairs won, {lost} lost, {} count in all, {} are void",
                trial.name,
                trial.replay.pairs.counted(),
                trial.replay.void
            ))?;
            continue;
        }
        let (counted, dropped) = counts(trial);
        cli.out.line(format_args!(
            "{}: {} sessions entered, {counted} counted, {dropped} dropped, {} not closed yet",
            trial.name,
            trial.entered(),
            trial.pending()
        ))?;
    }
    for check in verdicts {
        cli.out
            .line(format_args!("event {}: {}", check.seq, check.verdict))?;
        for line in check.numbers.iter().flat_map(tell) {
            cli.out.line(format_args!("  {line}"))?;
        }
    }
    if verdicts.is_empty() {
        cli.out
            .line("no verdict yet; the arms are known only once there is one")?;
    }
    cli.out.line(format_args!(
        "check it yourself: harness verify {}",
        rule.id
    ))?;
    Ok(())
}
