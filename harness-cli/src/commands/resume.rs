//! `harness resume`: an operator clears the breaker.

use anyhow::Result;
use serde_json::json;

use super::Cli;
use crate::exit::Exit;

pub(super) fn run(cli: &mut Cli<'_>, reason: &str) -> Result<Exit> {
    let reason = cli.reason(reason)?;
    cli.desks()?.operator.resume(reason)?;
    if cli.out.is_json() {
        cli.out.json(&json!({ "resumed": true }))?;
    } else {
        cli.out.line("the breaker is cleared: repair goes on")?;
    }
    Ok(Exit::Done)
}
