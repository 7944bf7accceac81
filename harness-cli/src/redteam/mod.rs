//! `harness redteam`: published attacks, each on a live workspace of its own, offline.
//!
//! The attacks are data (`redteam/*.json` in this crate's folder): what is planted, and where a
//! host, an agent, a judge or a model would say it. A [`stage`] plays one with the real loop, on the
//! real disk; what came of it is collected, and [`judge`] says where a canary got that should not
//! have. An attack passes when none did and no rule became active.

mod artefacts;
mod canary;
mod hostile;
mod judge;
mod scenario;
mod stage;

use anyhow::Result;
use serde_json::json;

use self::canary::Canaries;
use self::scenario::{Scenario, scenarios};
use crate::commands::Cli;
use crate::exit::{Exit, Problem};
use crate::output::progress;
use crate::runtime;

/// Runs all of them, or one; exit 1 names those that fail.
///
/// # Errors
/// There is no scenario of that name, or no workspace can be made.
pub(crate) fn run(cli: &mut Cli<'_>, only: Option<&str>) -> Result<Exit> {
    let wanted: Vec<Scenario> = scenarios()?
        .into_iter()
        .filter(|scenario| only.is_none_or(|id| id == scenario.id))
        .collect();
    if wanted.is_empty() {
        let message = "there is no such scenario: `harness redteam --format json` lists them";
        return Err(Problem::usage(message).into());
    }
    let runtime = runtime::start()?;
    let bar = progress(u64::try_from(wanted.len()).unwrap_or(u64::MAX), "scenarios");
    let mut results = Vec::new();
    for scenario in &wanted {
        let canaries = Canaries::new()?;
        let played = runtime.block_on(stage::play(
            scenario,
            &canaries,
            cli.environment.temporary(),
        ));
        results.push(match played {
            Ok(came_of_it) => judge::findings(&came_of_it, &canaries),
            Err(error) => vec![format!("it could not be played: {error:#}")],
        });
        bar.inc(1);
    }
    bar.finish_and_clear();
    report(cli, &wanted, &results)
}

fn report(cli: &mut Cli<'_>, wanted: &[Scenario], results: &[Vec<String>]) -> Result<Exit> {
    let failed = results.iter().filter(|found| !found.is_empty()).count();
    let each = wanted.iter().zip(results);
    if cli.out.is_json() {
        let scenarios: Vec<_> = each
            .map(|(scenario, found)| {
                json!({
                    "id": scenario.id,
                    "layer": scenario.layer,
                    "threat": scenario.threat,
                    "passed": found.is_empty(),
                    "findings": found,
                })
            })
            .collect();
        cli.out.json(&json!({
            "scenarios": scenarios,
            "played": wanted.len(),
            "failed": failed,
        }))?;
    } else {
        for (scenario, found) in each {
            let style = cli.out.style();
            let verdict = if found.is_empty() {
                style.good("held  ")
            } else {
                style.bad("failed")
            };
            cli.out.line(format_args!(
                "{verdict} {:<18} {}",
                scenario.layer, scenario.id
            ))?;
            for finding in found {
                cli.out.line(format_args!("       {finding}"))?;
            }
        }
        cli.out
            .line(format_args!("{} scenarios, {failed} failed", wanted.len()))?;
    }
    Ok(if failed == 0 { Exit::Done } else { Exit::Found })
}
