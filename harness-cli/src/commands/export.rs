//! `harness export`: writes a workspace that pandaprobe-harness 0.9 reads.

use std::path::Path;

use anyhow::Result;
use serde_json::json;

use super::Cli;
use crate::exit::Exit;

pub(super) fn run(cli: &mut Cli<'_>, folder: &Path) -> Result<Exit> {
    let reader = cli.reader()?;
    let book = cli.book(&reader)?;
    let ledger = book.ledger()?;
    let exported = harness_rules::export(&reader, &ledger, book.settings(), folder)?;
    let rules = ledger.rules().count();
    drop(ledger);
    if cli.out.is_json() {
        cli.out.json(&json!({
            "rules": rules,
            "notices": exported.notices,
            "cases": exported.cases,
            "series": exported.series,
            "events": exported.events,
        }))?;
    } else {
        cli.out.line(format_args!(
            "written: {rules} rules, {} notices, {} eval cases, {} score series, {} events",
            exported.notices, exported.cases, exported.series, exported.events
        ))?;
    }
    Ok(Exit::Done)
}
