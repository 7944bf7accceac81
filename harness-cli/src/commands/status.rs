//! `harness status`: how things stand, on one screen.

use std::collections::BTreeMap;

use anyhow::Result;
use harness_core::{Principal, layout};
use harness_store::wire::{hex, json};
use harness_store::{Breaker, Head, Mailbox, Reader};
use serde_json::{Value, json};

use super::Cli;
use crate::exit::Exit;

/// What stands for sessions without a principal.
const NOBODY: &str = "(none)";

struct Status {
    pending: usize,
    severity: Option<&'static str>,
    rules: BTreeMap<&'static str, usize>,
    paused_for_all: bool,
    paused: Vec<String>,
    suppressed: u64,
    last_evaluation: Option<Value>,
    events: u64,
    anchored: Option<Head>,
}

pub(super) fn run(cli: &mut Cli<'_>) -> Result<Exit> {
    let paths = cli.paths()?;
    let reader = cli.reader()?;
    let status = look(cli, &reader)?;
    let root = paths.root.to_string_lossy();
    if cli.out.is_json() {
        cli.out.json(&json!({
            "root": root,
            "workspace": reader.workspace().as_str(),
            "version": reader.version(),
            "notices": { "pending": status.pending, "max_severity": status.severity },
            "rules": status.rules,
            "breaker": {
                "paused_for_all": status.paused_for_all,
                "paused": status.paused,
                "suppressed": status.suppressed,
            },
            "last_evaluation": status.last_evaluation,
            "events": status.events,
            "head": status.anchored.map(|head| json!({
                "lines": head.lines,
                "digest": hex(&head.digest),
            })),
        }))?;
    } else {
        print(cli, &root, &reader, &status)?;
    }
    Ok(Exit::Done)
}

fn look(cli: &Cli<'_>, reader: &Reader) -> Result<Status> {
    let mut folds = reader.follow((Mailbox::default(), Breaker::default()));
    folds.refresh()?;
    let (mailbox, breaker) = folds.get();
    let book = cli.book(reader)?;
    let ledger = book.ledger()?;
    let mut rules = BTreeMap::from([("active", 0), ("candidate", 0), ("retired", 0)]);
    for record in ledger.rules() {
        *rules.entry(record.status.as_str()).or_default() += 1;
    }
    Ok(Status {
        pending: mailbox.pending_count(),
        severity: mailbox.max_severity().map(harness_core::Severity::as_str),
        rules,
        paused_for_all: breaker.is_paused_for_all(),
        paused: breaker
            .paused()
            .map(|name| name.map_or(NOBODY, Principal::as_str).to_owned())
            .collect(),
        suppressed: breaker.suppressed(),
        last_evaluation: last_evaluation(reader)?,
        events: ledger.last_seq(),
        anchored: reader.anchored_head()?,
    })
}

fn last_evaluation(reader: &Reader) -> Result<Option<Value>> {
    let Some(bytes) = reader.file(&layout::latest_eval())? else {
        return Ok(None);
    };
    // A file that does not read is for `audit` to complain of.
    let value = json::parse(&bytes).unwrap_or_default();
    let field = |name: &str| value.get(name).cloned().unwrap_or_default();
    Ok(Some(json!({
        "session_id": field("session_id"),
        "turn_index": field("turn_index"),
        "any_alert": field("any_alert"),
        "any_breach": field("any_breach"),
    })))
}

fn print(cli: &mut Cli<'_>, root: &str, reader: &Reader, status: &Status) -> Result<()> {
    let style = cli.out.style();
    let out = &mut cli.out;
    out.line(style.heading(format_args!(
        "workspace {} in {root}",
        reader.workspace().as_str()
    )))?;
    let severity = status
        .severity
        .map(|severity| format!(", at most {severity}"));
    out.line(format_args!(
        "notices     {} pending{}",
        status.pending,
        severity.unwrap_or_default()
    ))?;
    let rules: Vec<String> = status
        .rules
        .iter()
        .map(|(name, n)| format!("{n} {name}"))
        .collect();
    out.line(format_args!("rules       {}", rules.join(", ")))?;
    let breaker = match (status.paused_for_all, status.paused.as_slice()) {
        (true, _) => style.bad("repair is paused for all"),
        (false, []) => "repair is not paused".to_owned(),
        (false, paused) => style.bad(format_args!("repair is paused for {}", paused.join(", "))),
    };
    out.line(format_args!(
        "breaker     {breaker}, {} notices suppressed",
        status.suppressed
    ))?;
    let evaluation = status.last_evaluation.as_ref().map_or_else(
        || "none".to_owned(),
        |last| String::from_utf8_lossy(&json::compact(last)).into_owned(),
    );
    out.line(format_args!("evaluation  {evaluation}"))?;
    match status.anchored {
        Some(head) => {
            let digest = hex(&head.digest);
            out.line(format_args!(
                "chain       {} events, head {digest}",
                head.lines
            ))?;
        }
        None => out.line("chain       no anchor: run `harness audit`")?,
    }
    Ok(())
}
