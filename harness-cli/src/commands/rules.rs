//! `harness rules`: lists, shows one, searches.

use anyhow::Result;
use harness_core::{RuleId, RuleStatus, Scope, TASK_TOOLS};
use harness_rules::ledger::{RuleRecord, Trial, TrialState};
use harness_rules::{Ledger, RuleBook, RuleReader};
use serde_json::{Value, json};

use super::Cli;
use crate::args::{Rules, RulesVerb};
use crate::exit::{Exit, Problem};

/// Rules that a search shows at most, as the tool allows.
const MAX_FOUND: u64 = 50;

pub(super) fn run(cli: &mut Cli<'_>, args: &Rules) -> Result<Exit> {
    let reader = cli.reader()?;
    let book = cli.book(&reader)?;
    match (&args.verb, &args.id) {
        (Some(RulesVerb::Search { query }), _) => search(cli, &book, query),
        (None, Some(id)) => one(cli, &*book.ledger()?, &RuleId::parse(id)?),
        (None, None) => list(cli, &*book.ledger()?, args),
    }
}

/// A rule that must be there.
///
/// # Errors
/// There is none of that id: the operator's fault.
pub(crate) fn known<'l>(ledger: &'l Ledger, id: &RuleId) -> Result<&'l RuleRecord> {
    Ok(ledger.rule(id).ok_or_else(|| {
        Problem::usage(format!("there is no rule {id}; `harness rules` lists them"))
    })?)
}

fn one(cli: &mut Cli<'_>, ledger: &Ledger, id: &RuleId) -> Result<Exit> {
    let record = known(ledger, id)?;
    if cli.out.is_json() {
        cli.out.json(&to_json(record))?;
        return Ok(Exit::Done);
    }
    let rule = &record.rule;
    let heading = cli
        .out
        .style()
        .heading(format_args!("{id}  {}", standing(record)));
    cli.out.line(heading)?;
    cli.out.line(&rule.text)?;
    cli.out
        .line(format_args!("why        {}", rule.rationale))?;
    cli.out.line(format_args!(
        "filed      {} ({})",
        rule.scope,
        rule.applicability.as_str()
    ))?;
    if let Some(notice) = &rule.source_notice {
        cli.out.line(format_args!("notice     {notice}"))?;
    }
    cli.out
        .line(format_args!("proposed   {}", rule.created_at))?;
    if let Some(trial) = record.open_trial() {
        cli.out.line(format_args!(
            "{}    {} sessions entered, {} not closed yet",
            trial.name,
            trial.entered(),
            trial.pending()
        ))?;
    }
    cli.out
        .line(format_args!("more       harness explain {id}"))?;
    Ok(Exit::Done)
}

fn list(cli: &mut Cli<'_>, ledger: &Ledger, args: &Rules) -> Result<Exit> {
    let scope = args.scope.as_deref().map(Scope::parse).transpose()?;
    let records = ledger.rules().filter(|record| {
        scope
            .as_ref()
            .is_none_or(|scope| record.rule.scope == *scope)
            && args
                .status
                .as_ref()
                .is_none_or(|status| record.status.as_str() == *status)
    });
    print(cli, records)
}

fn search(cli: &mut Cli<'_>, book: &RuleBook, query: &str) -> Result<Exit> {
    let [_, _, search, _] = TASK_TOOLS;
    let arguments = json!({ "query": query, "limit": MAX_FOUND });
    let answer = book.full_reader().call(search, &arguments);
    if answer.get("ok") != Some(&Value::Bool(true)) {
        let error = answer
            .get("error")
            .and_then(Value::as_str)
            .unwrap_or_default();
        return Err(Problem::usage(error).into());
    }
    let found = RuleReader::surfaced(&answer);
    let ledger = book.ledger()?;
    print(cli, found.iter().filter_map(|id| ledger.rule(id)))
}

fn print<'l>(cli: &mut Cli<'_>, records: impl Iterator<Item = &'l RuleRecord>) -> Result<Exit> {
    if cli.out.is_json() {
        cli.out
            .json(&json!({ "rules": records.map(to_json).collect::<Vec<_>>() }))?;
        return Ok(Exit::Done);
    }
    let mut count = 0;
    for record in records {
        count += 1;
        let rule = &record.rule;
        cli.out.line(format_args!(
            "{} {:<9} {}: {}",
            rule.id,
            standing(record),
            rule.scope,
            rule.text
        ))?;
    }
    cli.out.line(format_args!("{count} rules"))?;
    Ok(Exit::Done)
}

fn standing(record: &RuleRecord) -> String {
    let status = match record.status {
        RuleStatus::Retired(reason) => format!("retired ({})", reason.as_str()),
        status => status.as_str().to_owned(),
    };
    if record.imported {
        format!("{status}, imported")
    } else {
        status
    }
}

/// A rule as a document.
pub(super) fn to_json(record: &RuleRecord) -> Value {
    let rule = &record.rule;
    let retirement = match record.status {
        RuleStatus::Retired(reason) => Some(reason.as_str()),
        RuleStatus::Candidate | RuleStatus::Active => None,
    };
    json!({
        "id": rule.id.as_str(),
        "scope": rule.scope.as_str(),
        "status": record.status.as_str(),
        "retirement": retirement,
        "imported": record.imported,
        "applicability": rule.applicability.as_str(),
        "metric": rule.metric.as_ref().map(|metric| metric.as_str()),
        "rule": rule.text.as_str(),
        "rationale": rule.rationale.as_str(),
        "created_at": rule.created_at.to_string(),
        "source_notice_id": rule.source_notice.as_ref().map(|notice| notice.as_str()),
        "supersedes": rule.supersedes.as_ref().map(|old| old.as_str()),
        "trial": record.trials.last().map(trial_to_json),
    })
}

/// A trial without its arms: those are nobody's business before the verdict.
pub(super) fn trial_to_json(trial: &Trial) -> Value {
    json!({
        "name": trial.name.to_string(),
        "state": match trial.state {
            TrialState::Open => "open",
            TrialState::Ended => "ended",
        },
        "target": trial.target.as_ref().map(|metric| metric.as_str()),
        "t": trial.t,
        "entered": trial.entered(),
        "pending": trial.pending(),
        "horizon": trial.horizon,
        "opened_seq": trial.opened_seq,
    })
}
