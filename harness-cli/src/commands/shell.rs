//! `harness shell`: one command, as the default shell policy sees it.

use anyhow::Result;
use harness_shell::{Decision, ShellPolicy, Workspace};
use serde_json::json;

use super::Cli;
use crate::exit::{Exit, Problem};

/// Says what the policy decides and why; runs nothing.
pub(super) fn explain(cli: &mut Cli<'_>, command: &[String]) -> Result<Exit> {
    let folder = cli.environment.working_folder()?;
    let paths = cli.paths()?;
    let workspace = Workspace::open(&folder, &[&paths.root, &paths.config_dir])
        .map_err(|error| Problem::usage(error.to_string()))?;
    let policy = ShellPolicy::standard()?.load(workspace, &[]);
    let decision = policy.decide(command);
    let name = command.first().map_or("", String::as_str);
    let binary = policy.binaries().find(|(entry, _)| *entry == name);
    let binary = binary
        .and_then(|(_, file)| file)
        .map(|file| file.display().to_string());
    if cli.out.is_json() {
        let mut told = json!({
            "command": command,
            "decision": decision.verdict().name(),
            "rule": decision.rule(),
            "reason": decision.reason(),
            "workspace": policy.workspace().path().display().to_string(),
        });
        if let Some(told) = told.as_object_mut() {
            told.extend(binary.map(|file| ("binary".to_owned(), file.into())));
            let instead = decision.instead();
            told.extend(instead.map(|instead| ("instead".to_owned(), instead.into())));
        }
        cli.out.json(&told)?;
    } else {
        say(cli, &decision, binary.as_deref())?;
    }
    Ok(if decision.is_allowed() {
        Exit::Done
    } else {
        Exit::Found
    })
}

fn say(cli: &mut Cli<'_>, decision: &Decision, binary: Option<&str>) -> Result<()> {
    let style = cli.out.style();
    let verdict = if decision.is_allowed() {
        style.good(decision.verdict())
    } else {
        style.bad(decision.verdict())
    };
    cli.out.line(format_args!(
        "{verdict} by {}: {}",
        decision.rule(),
        decision.reason()
    ))?;
    if let Some(instead) = decision.instead() {
        cli.out.line(format_args!("instead: {instead}"))?;
    }
    if let Some(binary) = binary {
        cli.out.line(format_args!("runs {binary}"))?;
    }
    Ok(())
}
