//! `harness check-command`: what the command policy says of lines, as JSON lines.

use std::fs;

use anyhow::Result;
use harness_shell::Workspace;
use harness_shell::general::{CommandText, Context, ContextError, decide};
use serde_json::json;

use super::Cli;
use crate::exit::{Exit, Problem};

pub(super) fn run(cli: &mut Cli<'_>, lines: &[String]) -> Result<Exit> {
    let context = context(cli)?;
    let mut exit = Exit::Done;
    for line in lines {
        let decision = decide(CommandText::Line(line), &context);
        cli.out.json(&json!({
            "input": line,
            "decision": decision.verdict().name(),
            "rule": decision.rule(),
            "reason": decision.reason(),
        }))?;
        if !decision.is_allowed() {
            exit = Exit::Found;
        }
    }
    Ok(exit)
}

/// The folder that we are in, apart from what is the harness's own.
fn context(cli: &Cli<'_>) -> Result<Context> {
    let folder = cli.environment.working_folder()?;
    let workspace =
        Workspace::open(&folder, &[]).map_err(|error| Problem::usage(error.to_string()))?;
    let mut context = Context::of(workspace);
    let unusable = |error: ContextError| Problem::usage(error.to_string());
    if let Some(home) = cli.environment.home() {
        context = context.with_home(home).map_err(unusable)?;
    }
    // Where neither can be told, neither can be named.
    if let Ok(paths) = cli.paths() {
        for own in [paths.root, paths.config_dir] {
            let own = fs::canonicalize(&own).unwrap_or_else(|_| folder.join(own));
            context = context.forbidding(&own).map_err(unusable)?;
        }
    }
    Ok(context)
}
