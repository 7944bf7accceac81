//! `harness tool`: one of the four task tools, exactly as an agent calls it.

use anyhow::Result;
use harness_core::SessionId;
use harness_rules::TaskSession;
use serde_json::Value;

use super::Cli;
use crate::exit::{Exit, Problem};

pub(super) fn run(
    cli: &mut Cli<'_>,
    name: &str,
    arguments: &str,
    session: Option<&str>,
) -> Result<Exit> {
    let arguments: Value = serde_json::from_str(arguments)
        .map_err(|error| Problem::usage(format!("the arguments are not JSON: {error}")))?;
    let answer = match session {
        Some(session) => in_session(cli, &SessionId::parse(session)?, name, &arguments)?,
        None => {
            let book = cli.book(&cli.reader()?)?;
            book.unassigned_reader().call(name, &arguments)
        }
    };
    cli.out.json(&answer)?;
    Ok(if answer.get("ok") == Some(&Value::Bool(true)) {
        Exit::Done
    } else {
        Exit::Found
    })
}

/// The answer in a session may enter it into a trial, so this opens the workspace for writing.
fn in_session(cli: &Cli<'_>, session: &SessionId, name: &str, arguments: &Value) -> Result<Value> {
    let desks = cli.desks()?;
    let task = TaskSession::new(session.clone());
    let scores = desks.reader.scores()?;
    if let Some(last) = scores.get(session).and_then(|seen| seen.last()) {
        task.turn_ended(last.index);
    }
    Ok(desks.book.task_tools(task).call(name, arguments))
}
