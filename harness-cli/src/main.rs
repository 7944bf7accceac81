//! The operator's binary, `harness`: the operator's hands on a workspace.
//!
//! # Promises
//! - One contract for scripts: the same exit codes for every verb, JSON as one document on stdout.
//! - Everything that leaves it, diagnostics included, is redacted in one place: `output`.
//! - What it shows as proven it has derived from the journal, not read from a status field.
//!
//! # Never
//! - No request of its own: `check-url` looks names up through the guard, and a model is asked over
//!   the network only where the feature `rig` is built in and the operator names one.
//! - No promotion: not even an operator can make a rule active.
//! - No variable of the environment is read but in `environment`, once.
//!
//! # Who may depend on it
//! Nobody; it is a binary. It may depend on every crate of the workspace.
//!
//! # How it fails
//! With a sentence on stderr that names the thing and the way out, and an exit code that says
//! whose turn it is: 2 the caller's, 3 the workspace's, 4 an outside part's.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod demo;
mod environment;
mod events;
mod exit;
mod hints;
mod output;
mod place;
mod recordings;
mod redteam;
mod runtime;
mod terminal;

use std::io;
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Args;
use crate::commands::Cli;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::output::complain;

fn main() -> ExitCode {
    let environment = Environment::read();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) if error.use_stderr() => {
            complain(environment.redactor(), error.render());
            return Exit::Usage.into();
        }
        // Help and version are output that was asked for.
        Err(help) => {
            let printed = help.print();
            return if printed.is_ok() {
                Exit::Done
            } else {
                Exit::Workspace
            }
            .into();
        }
    };
    let mut cli = Cli::new(&environment, args.root, args.format);
    let ended = commands::run(&mut cli, args.verb);
    let finished = cli.out.finish();
    match ended.and_then(|exit| Ok(finished.map(|()| exit)?)) {
        Ok(exit) => exit.into(),
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => Exit::Done.into(),
        Err(error) => {
            complain(environment.redactor(), format_args!("harness: {error:#}"));
            Exit::of(&error).into()
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
