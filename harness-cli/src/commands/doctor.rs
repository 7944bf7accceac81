//! `harness doctor`: what holds of the workspace on this machine; exit 1 if something does not.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use harness_pandaprobe::{Platform, measure};
use harness_shell::{Backend, Confinement, Sandbox, Workspace};
use harness_store::{Check, Outcome, examine};
use serde_json::json;

use super::audit::Audit;
use super::{Cli, repair_model};
use crate::exit::Exit;
use crate::runtime;

pub(super) fn run(cli: &mut Cli<'_>, repair: Option<&str>) -> Result<Exit> {
    let paths = cli.paths()?;
    // An operator runs this where the agents work; without such a folder nothing is said of it.
    let here = std::env::current_dir().ok();
    let mut checks = examine(&paths, here.as_deref());
    checks.push(chain(cli));
    checks.extend(sandboxes(cli)?);
    checks.extend(platform(cli)?);
    if let Some(model) = repair {
        checks.push(repair_model::check(cli.environment, model)?);
    }
    let ok = checks.iter().all(|check| check.outcome != Outcome::Fails);
    if cli.out.is_json() {
        cli.out.json(&json!({
            "ok": ok,
            "checks": checks.iter().map(|check| json!({
                "name": check.name,
                "outcome": word(check.outcome),
                "what": check.what,
            })).collect::<Vec<_>>(),
        }))?;
    } else {
        for check in &checks {
            let style = cli.out.style();
            let word = format!("{:<8}", word(check.outcome));
            let word = match check.outcome {
                Outcome::Holds => style.good(word),
                Outcome::Doubtful | Outcome::Fails => style.bad(word),
            };
            cli.out
                .line(format_args!("{word} {:<10} {}", check.name, check.what))?;
        }
    }
    Ok(if ok { Exit::Done } else { Exit::Found })
}

/// Each sandbox, by what its probe saw. One is enough; the first that holds is the one in use.
fn sandboxes(cli: &Cli<'_>) -> Result<Vec<Check>> {
    let ground = Ground::new(cli.environment.temporary())?;
    let workspace = Workspace::open(&ground.0, &[])?;
    let proven = Backend::ALL.map(|backend| {
        let confinement = Confinement::of(workspace.clone());
        Sandbox::start_with(backend, confinement, cli.intake())
            .map(|(_sandbox, enforcement)| enforcement.to_string())
            .map_err(|unfit| unfit.to_string())
    });
    let without = if proven.iter().any(Result::is_ok) {
        Outcome::Doubtful
    } else {
        Outcome::Fails
    };
    let check = |proven| {
        let (outcome, what) = match proven {
            Ok(what) => (Outcome::Holds, what),
            Err(why) => (without, why),
        };
        Check {
            name: "sandbox",
            outcome,
            what,
        }
    };
    Ok(proven.into_iter().map(check).collect())
}

/// An empty folder for a sandbox to be proved in, gone at the end.
struct Ground(PathBuf);

impl Ground {
    fn new(temporary: &Path) -> Result<Self> {
        let folder = temporary.join(format!("harness-doctor-{}", std::process::id()));
        std::fs::create_dir(&folder).with_context(|| format!("no folder in {temporary:?}"))?;
        Ok(Self(folder))
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The platform's binary, by what it does. Nobody needs it, so only one that the operator named can
/// fail; no run of a judge is started.
fn platform(cli: &Cli<'_>) -> Result<Vec<Check>> {
    let environment = cli.environment;
    let check = |fine: bool, what: String| Check {
        name: "platform",
        outcome: match (fine, environment.names_platform()) {
            (true, _) => Outcome::Holds,
            (false, true) => Outcome::Fails,
            (false, false) => Outcome::Doubtful,
        },
        what,
    };
    let settings = match environment.platform() {
        Ok(settings) => settings.clone(),
        Err(error) => return Ok(vec![check(false, error.to_string())]),
    };
    let platform = Platform::new(settings, cli.intake());
    let measured = runtime::start()?.block_on(measure(&platform));
    Ok(measured
        .into_iter()
        .map(|found| match found.result {
            Ok(what) => check(true, format!("{}: {what}", found.name)),
            Err(why) => check(false, format!("{}: {why}", found.name)),
        })
        .collect())
}

/// The journal, as `harness audit` sees it.
fn chain(cli: &Cli<'_>) -> Check {
    let audit = cli.reader().and_then(|reader| Audit::of(cli, &reader));
    let (outcome, what) = match audit {
        Ok(audit) => match (audit.exit(), audit.findings.first()) {
            (Exit::Done, _) => (
                Outcome::Holds,
                format!("{} events, unbroken", audit.report.events),
            ),
            (_, Some(finding)) => {
                let count = audit.findings.len();
                let (file, what) = (&finding.file, &finding.what);
                let what =
                    format!("{count} breaks, the first in {file}: {what}; see `harness audit`");
                (Outcome::Fails, what)
            }
            (_, None) => {
                let what = "there is no anchor to compare the journal with".to_owned();
                (Outcome::Doubtful, what)
            }
        },
        Err(error) => (Outcome::Fails, format!("{error:#}")),
    };
    Check {
        name: "chain",
        outcome,
        what,
    }
}

const fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::Doubtful => "doubtful",
        Outcome::Fails => "fails",
    }
}
