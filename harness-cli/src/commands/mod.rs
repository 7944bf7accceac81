//! The verbs, one file each.

pub(crate) mod audit;
mod calibrate;
mod check_command;
mod check_url;
mod completions;
mod doctor;
mod eval;
mod explain;
mod export;
mod guard;
mod import;
mod init;
mod journal;
mod notices;
mod redact;
mod repair_model;
mod repair_traces;
mod resume;
mod retire;
pub(crate) mod rules;
mod run;
mod sanitize;
mod scan;
mod shell;
mod status;
mod tool;
pub(crate) mod verify;
mod worth;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use harness_core::{CleanString, Timestamp};
use harness_engine::{EmbeddedEvaluator, Evaluator as _};
use harness_rules::{Desks, RuleBook};
use harness_sanitize::{Gate, Intake};
use harness_store::{OpenOptions, Reader, Workspace, WorkspacePaths};

use crate::args::{GuardVerb, Verb};
use crate::demo;
use crate::environment::Environment;
use crate::exit::{Exit, Problem};
use crate::output::{Format, Output};
use crate::redteam;

/// Bytes of an operator's reason that are kept.
const MAX_REASON: usize = 600;

/// What every verb has at hand.
pub(crate) struct Cli<'a> {
    /// The environment.
    pub(crate) environment: &'a Environment,
    /// Standard output.
    pub(crate) out: Output<'a>,
    root: Option<PathBuf>,
}

impl<'a> Cli<'a> {
    /// For a root that may have been given, and a form of output.
    pub(crate) fn new(environment: &'a Environment, root: Option<PathBuf>, format: Format) -> Self {
        Self {
            environment,
            out: Output::new(environment, format),
            root,
        }
    }

    /// The workspace that is meant.
    pub(crate) fn paths(&self) -> Result<WorkspacePaths> {
        self.environment.paths(self.root.as_deref())
    }

    /// The workspace, for reading.
    pub(crate) fn reader(&self) -> Result<Reader> {
        Ok(Reader::open(&self.paths()?)?)
    }

    /// Its rules, for reading.
    pub(crate) fn book(&self, reader: &Reader) -> Result<RuleBook> {
        let settings = self.environment.config()?.rules();
        Ok(RuleBook::read_only(reader, settings))
    }

    /// The workspace, for writing.
    pub(crate) fn desks(&self) -> Result<Desks> {
        let settings = self.environment.config()?.rules();
        let options = OpenOptions {
            redactor: Arc::new(self.environment.redactor().clone()),
            ..OpenOptions::default()
        };
        let halves = Workspace::open(&self.paths()?, options)?;
        Ok(Desks::of(halves, EmbeddedEvaluator.registry(), settings))
    }

    /// An operator's reason, as it is kept.
    pub(crate) fn reason(&self, text: &str) -> Result<CleanString> {
        let reason = self.intake().text(text.trim(), MAX_REASON).into_owned();
        if reason.is_empty() {
            return Err(
                Problem::usage("--reason is empty: say why, it is kept in the journal").into(),
            );
        }
        Ok(reason)
    }

    /// The way in for text.
    pub(crate) fn intake(&self) -> Intake {
        Intake::new(Gate::default(), self.environment.redactor().clone())
    }
}

/// Runs a verb to its end.
///
/// # Errors
/// What it could not do; [`Exit::of`] has the exit code.
pub(crate) fn run(cli: &mut Cli<'_>, verb: Verb) -> Result<Exit> {
    match verb {
        Verb::Demo { keep } => demo::run(cli, keep),
        Verb::Init => init::run(cli),
        Verb::Run(args) => run::run(cli, &args),
        Verb::Status => status::run(cli),
        Verb::Notices { all, id } => notices::run(cli, all, id.as_deref()),
        Verb::Rules(args) => rules::run(cli, &args),
        Verb::Tool {
            name,
            arguments,
            session,
        } => tool::run(cli, &name, &arguments, session.as_deref()),
        Verb::Journal { last, kind, follow } => journal::run(cli, last, kind.as_deref(), follow),
        Verb::Audit { since, kind } => audit::run(cli, since.as_deref(), kind.as_deref()),
        Verb::Explain { rule } => explain::run(cli, &rule),
        Verb::Verify { rule } => verify::run(cli, &rule),
        Verb::Retire { rule, reason } => retire::run(cli, &rule, &reason),
        Verb::Resume { reason } => resume::run(cli, &reason),
        Verb::Doctor { repair } => doctor::run(cli, repair.as_deref()),
        Verb::Import { folder } => import::run(cli, &folder),
        Verb::Export { folder } => export::run(cli, &folder),
        Verb::Redteam { scenario } => redteam::run(cli, scenario.as_deref()),
        Verb::Sanitize { max_len } => sanitize::run(cli, max_len),
        Verb::Scan => scan::run(cli),
        Verb::Redact => redact::run(cli),
        Verb::Shell { explain, command } => {
            if explain {
                shell::explain(cli, &command)
            } else {
                shell::run(cli, &command)
            }
        }
        Verb::CheckCommand { lines } => check_command::run(cli, &lines),
        Verb::CheckUrl { no_resolve, urls } => check_url::run(cli, no_resolve, &urls),
        Verb::Guard(GuardVerb::Check { call, ask }) => guard::check(cli, &call, ask),
        Verb::Worth => worth::run(cli),
        Verb::Eval { sample } => eval::run(cli, sample),
        Verb::Calibrate(args) => calibrate::run(cli, &args),
        Verb::Completions { shell } => completions::run(cli, shell),
    }
}

/// The time of the system.
pub(crate) fn now() -> Timestamp {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
