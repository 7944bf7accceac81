//! A-B-A-B: the demo's agent on the same tasks with rules off, on, off and on again, and with a
//! placebo in the place of the rule.
//!
//! ```text
//! abab [--sessions N] [--seed S] [--blind] [--json] [--short]
//! ```
//!
//! The rule is proposed by the built-in model and proven by a trial first, on other tasks. Then
//! session n of every leg has the same files to work on, so the legs are compared pair by pair, by
//! an exact test ([`paired`]). "Off" is a workspace that never had a rule, "on" the one in which
//! the rule was proven, read through the real tools: a tenth of its sessions is held out and a
//! twentieth is shown nothing, as in any workspace. In the placebo's leg the tools answer the same,
//! but the rule's text is advice about nothing, to the byte as long ([`reading`]). Who scores is
//! the check of the demo, on the files.
//!
//! The agent throws no dice of its own, so legs that are told the same agree in every pair, and a
//! seed decides every figure: session names are chosen so that their arms are the ones that the
//! seed's dice throw, whatever id the rule has ([`names`]).
//!
//! Exits 1 if a turn of the rules does not show, or if a placebo does, and 2 if the command line is
//! wrong. `--blind` hides the tools' answers from the agent, to show that this exits 1. `--short`
//! is for continuous integration.

#![forbid(unsafe_code)]

#[path = "../../src/demo/advice.rs"]
mod advice;
#[path = "../../src/demo/agent.rs"]
mod agent;
#[path = "../../src/demo/clock.rs"]
mod clock;
mod legs;
mod names;
mod paired;
mod place;
mod reading;
mod report;
#[path = "../../src/demo/seeded.rs"]
mod seeded;
#[path = "../../src/demo/tools.rs"]
mod tools;
#[path = "../../src/demo/verifier.rs"]
mod verifier;
#[path = "../../src/demo/world.rs"]
mod world;

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Result;

use legs::Plan;
use report::Report;

/// Sessions of a leg.
const SESSIONS: u32 = 300;
/// Enough for a rule that mends most failures to show in every pair of legs.
const SHORT_SESSIONS: u32 = 40;
/// More would only be slower.
const MOST_SESSIONS: u32 = 1_000;
const SEED: u64 = 1;

fn main() -> Result<ExitCode> {
    let (plan, is_json) = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            writeln!(io::stderr(), "{problem}")?;
            return Ok(ExitCode::from(2));
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let report = Report::new(plan, runtime.block_on(legs::run(plan))?);
    let mut out = io::stdout().lock();
    if is_json {
        writeln!(out, "{}", report.json())?;
    } else {
        write!(out, "{report}")?;
    }
    let broken = report.broken();
    for line in &broken {
        writeln!(io::stderr(), "{line}")?;
    }
    Ok(if broken.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn options(mut words: impl Iterator<Item = String>) -> Result<(Plan, bool), String> {
    let mut plan = Plan {
        seed: SEED,
        sessions: SESSIONS,
        is_blind: false,
    };
    let mut is_json = false;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => is_json = true,
            "--short" => plan.sessions = SHORT_SESSIONS,
            "--blind" => plan.is_blind = true,
            "--sessions" => {
                plan.sessions = words
                    .next()
                    .and_then(|number| number.parse().ok())
                    .filter(|sessions| (1..=MOST_SESSIONS).contains(sessions))
                    .ok_or_else(|| {
                        format!("`--sessions` takes a number from 1 to {MOST_SESSIONS}")
                    })?;
            }
            "--seed" => {
                plan.seed = words
                    .next()
                    .and_then(|number| number.parse().ok())
                    .ok_or_else(|| format!("`--seed` takes a number from 0 to {}", u64::MAX))?;
            }
            _ => {
                return Err(format!(
                    "`{}` is not an option; there are `--sessions N`, `--seed S`, `--blind`, \
                     `--json` and `--short`",
                    word.escape_debug().take(80).collect::<String>()
                ));
            }
        }
    }
    Ok((plan, is_json))
}
