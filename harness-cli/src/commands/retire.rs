//! `harness retire`: an operator takes a rule out of use.

use anyhow::Result;
use harness_core::RuleId;
use serde_json::json;

use super::Cli;
use crate::exit::Exit;

pub(super) fn run(cli: &mut Cli<'_>, rule: &str, reason: &str) -> Result<Exit> {
    let rule = RuleId::parse(rule)?;
    let reason = cli.reason(reason)?;
    cli.desks()?.operator.retire(&rule, reason)?;
    if cli.out.is_json() {
        cli.out.json(&json!({ "retired": rule.as_str() }))?;
    } else {
        cli.out.line(format_args!("{rule} is retired"))?;
    }
    Ok(Exit::Done)
}
