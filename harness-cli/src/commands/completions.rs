//! `harness completions`: what completes this command line in a shell.

use std::io::Write as _;

use anyhow::Result;
use clap::CommandFactory as _;
use clap_complete::{Shell, generate};
use serde_json::json;

use super::Cli;
use crate::args::Args;
use crate::exit::Exit;

/// Runs the verb.
pub(crate) fn run(cli: &mut Cli<'_>, shell: Shell) -> Result<Exit> {
    let mut script = Vec::new();
    generate(shell, &mut Args::command(), "harness", &mut script);
    if cli.out.is_json() {
        let script = String::from_utf8_lossy(&script);
        let document = json!({ "shell": shell.to_string(), "script": script });
        cli.out.json(&document)?;
    } else {
        cli.out.stream().write_all(&script)?;
    }
    Ok(Exit::Done)
}
