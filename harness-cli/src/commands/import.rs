//! `harness import`: takes over a workspace of pandaprobe-harness 0.9.

use std::path::Path;

use anyhow::Result;
use harness_core::Quoted;
use harness_store::{Original, StoreError, TakenOver, Unread, Workspace};
use serde_json::json;

use super::{Cli, now};
use crate::exit::{Exit, Problem};

pub(super) fn run(cli: &mut Cli<'_>, folder: &Path) -> Result<Exit> {
    // All of it is read before anything is written: the folder may be the workspace itself.
    let original = match Original::read(folder, &cli.intake()) {
        Ok(original) if !original.is_empty() => original,
        Ok(_) | Err(StoreError::Missing { .. }) => return Err(nothing(folder)),
        Err(error) => return Err(error.into()),
    };
    let unread = original.unread().to_vec();
    Workspace::init(&cli.paths()?, now())?;
    let taken = cli.desks()?.operator.import(original)?;
    if cli.out.is_json() {
        cli.out.json(&json!({
            "rules": taken.rules.iter().map(|id| id.as_str()).collect::<Vec<_>>(),
            "notices": taken.notices.iter().map(|id| id.as_str()).collect::<Vec<_>>(),
            "cases": taken.cases.iter().map(|id| id.as_str()).collect::<Vec<_>>(),
            "sessions": taken.sessions,
            "known": taken.known,
            "unreadable": unread.iter().map(|unread| json!({
                "path": unread.place,
                "reason": unread.reason,
            })).collect::<Vec<_>>(),
        }))?;
    } else {
        print(cli, &taken, &unread)?;
    }
    Ok(Exit::Done)
}

fn nothing(folder: &Path) -> anyhow::Error {
    let shown = folder.to_string_lossy();
    Problem::usage(format!(
        "{} holds no workspace of pandaprobe-harness 0.9: name the folder with its `rules.jsonl`",
        Quoted(&shown)
    ))
    .into()
}

fn print(cli: &mut Cli<'_>, taken: &TakenOver, unread: &[Unread]) -> Result<()> {
    cli.out.line(format_args!(
        "taken over: {} rules, {} notices, {} eval cases, the gates of {} sessions",
        taken.rules.len(),
        taken.notices.len(),
        taken.cases.len(),
        taken.sessions
    ))?;
    if taken.known > 0 {
        cli.out.line(format_args!(
            "known already and left as they are: {}",
            taken.known
        ))?;
    }
    for unread in unread {
        cli.out.line(format_args!(
            "not read: {}: {}",
            unread.place, unread.reason
        ))?;
    }
    if !taken.rules.is_empty() {
        cli.out.line("more       harness rules")?;
    }
    Ok(())
}
