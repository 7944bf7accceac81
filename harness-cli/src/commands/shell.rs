//! `harness shell`: one command under the default shell policy, in the folder that this is called
//! in.

use anyhow::Result;
use harness_shell::{
    Confinement, Credentials, Decision, Ended, Grant, LoadedPolicy, Network, Outcome, Sandbox,
    ShellPolicy, Workspace,
};
use serde_json::json;

use super::Cli;
use crate::exit::{Exit, Problem};
use crate::output::complain;

/// The port of TLS.
const HTTPS: u16 = 443;

/// Says what the policy decides and why; runs nothing.
pub(super) fn explain(cli: &mut Cli<'_>, command: &[String]) -> Result<Exit> {
    let policy = policy(cli)?;
    let decision = policy.decide(command);
    told(cli, &policy, command, &decision)
}

/// Runs a command, if the policy allows it.
pub(super) fn run(cli: &mut Cli<'_>, command: &[String]) -> Result<Exit> {
    let policy = policy(cli)?;
    let allowed = match policy.allow(command.to_vec()) {
        Ok(allowed) => allowed,
        Err(decision) => return told(cli, &policy, command, &decision),
    };
    let confinement = Confinement {
        network: match allowed.credentials() {
            Credentials::None => Network::default(),
            // The platform is reached by name, over TLS.
            Credentials::Platform => Network {
                tcp_ports: vec![HTTPS],
                udp: Grant::Granted,
                unix: Grant::Denied,
            },
        },
        ..Confinement::of(policy.workspace().clone())
    };
    let outside = |error: &dyn std::error::Error| Problem::new(Exit::Outside, chain(error));
    let started = Sandbox::start(&confinement, &cli.intake());
    let (sandbox, _enforcement) = started.map_err(|error| outside(&error))?;
    let outcome = sandbox
        .run_blocking(&allowed, cli.environment.of_commands())
        .map_err(|error| outside(&error))?;
    if cli.out.is_json() {
        cli.out.json(&json!({
            "command": command,
            "decision": "allow",
            "exit_code": outcome.exit_code(),
            "ended": ended(outcome.ended),
            "stdout": outcome.stdout.as_str(),
            "stderr": outcome.stderr.as_str(),
            "dropped_bytes": outcome.dropped_bytes,
            "backend": outcome.backend.name(),
        }))?;
    } else {
        show(cli, &outcome)?;
    }
    Ok(if outcome.exit_code() == 0 {
        Exit::Done
    } else {
        Exit::Found
    })
}

fn policy(cli: &Cli<'_>) -> Result<LoadedPolicy> {
    let folder = cli.environment.working_folder()?;
    let paths = cli.paths()?;
    let workspace = Workspace::open(&folder, &[&paths.root, &paths.config_dir])
        .map_err(|error| Problem::usage(error.to_string()))?;
    Ok(ShellPolicy::standard()?.load(workspace, &[]))
}

/// How a command ended, in a word or a few.
fn ended(ended: Ended) -> &'static str {
    match ended {
        Ended::Exited(_) => "exited",
        Ended::Signalled(_) => "signalled",
        Ended::TimedOut => "timed out",
        Ended::OverLimit(limit) => limit.name(),
        Ended::Cancelled => "cancelled",
    }
}

/// What a command said, each stream to ours. How it ended is said where that was not by itself.
fn show(cli: &mut Cli<'_>, outcome: &Outcome) -> Result<()> {
    let stdout = outcome.stdout.as_str();
    if !stdout.is_empty() {
        let text = stdout.strip_suffix('\n').unwrap_or(stdout);
        cli.out.line(format_args!("{text}"))?;
    }
    let redactor = cli.environment.redactor();
    let complain = |text: &str| complain(redactor, text);
    let stderr = outcome.stderr.as_str();
    if !stderr.is_empty() {
        complain(stderr.strip_suffix('\n').unwrap_or(stderr));
    }
    if outcome.dropped_bytes > 0 {
        complain(&format!(
            "{} bytes of output were dropped",
            outcome.dropped_bytes
        ));
    }
    match outcome.ended {
        Ended::Exited(0) => {}
        Ended::Exited(code) => complain(&format!("it exited with {code}")),
        other => complain(&format!("it was ended: {}", ended(other))),
    }
    Ok(())
}

fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

fn told(
    cli: &mut Cli<'_>,
    policy: &LoadedPolicy,
    command: &[String],
    decision: &Decision,
) -> Result<Exit> {
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
        say(cli, decision, binary.as_deref())?;
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
