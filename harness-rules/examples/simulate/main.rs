//! Simulates the rule of promotion, with the functions that the engine decides with.
//!
//! ```text
//! simulate [--trials N] [--seed S] [--json] [--short]
//! ```
//!
//! Exits 1 if the result breaks a bound that the mathematics promises (a useless rule promoted more
//! often than α allows, a false discovery rate above φ, an invalid variant that no longer shows as
//! invalid), and 2 if the command line is wrong. The same seed gives the same result on any number
//! of cores. `--short` is a few thousand trials, for continuous integration.

#![forbid(unsafe_code)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a simulation has no host to break: a defect in it is to stop it"
)]

mod attack;
mod bets;
mod bounds;
mod further;
mod invalid;
mod overlap;
mod random;
mod rate;
mod report;
mod rows;
mod runs;
mod trial;

use std::io::{self, Write};
use std::process::ExitCode;

use harness_rules::evidence::Levels;

use bets::Factors;
use report::Report;
use runs::Runs;

const TRIALS: usize = 20_000;
const SHORT_TRIALS: usize = 2_000;
const MOST_TRIALS: usize = 10_000_000;
const SEED: u64 = 1;

/// Simulating an overlap costs as much as this many trials.
const TRIALS_AN_OVERLAP: usize = 20;

struct Options {
    runs: Runs,
    json: bool,
}

fn main() -> io::Result<ExitCode> {
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            writeln!(io::stderr(), "{problem}")?;
            return Ok(ExitCode::from(2));
        }
    };
    let factors = Factors::new();
    let mut broken = Vec::new();
    if !bounds::products_are_the_evidence(&factors, options.runs) {
        broken.push("the products of factors are not the evidence".to_owned());
    }
    let report = simulate(&factors, options.runs);
    broken.extend(bounds::broken(&report));

    let mut out = io::stdout().lock();
    if options.json {
        writeln!(out, "{}", report.json())?;
    } else {
        write!(out, "{report}")?;
    }
    for line in &broken {
        writeln!(io::stderr(), "{line}")?;
    }
    Ok(if broken.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn simulate(factors: &Factors, runs: Runs) -> Report {
    let overlaps = Runs {
        trials: runs.trials.div_ceil(TRIALS_AN_OVERLAP),
        ..runs
    };
    Report {
        alpha: Levels::default().alpha(),
        rows: rows::rows(factors, runs),
        overlaps: overlap::overlaps(factors, overlaps),
        principals: attack::with_leave_one_out(factors, runs),
        invalid: invalid::variants(factors, runs),
        further: further::figures(factors, runs),
    }
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        runs: Runs {
            seed: SEED,
            trials: TRIALS,
        },
        json: false,
    };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => options.json = true,
            "--short" => options.runs.trials = SHORT_TRIALS,
            "--trials" => {
                options.runs.trials = words
                    .next()
                    .and_then(|number| number.parse().ok())
                    .filter(|trials| (1..=MOST_TRIALS).contains(trials))
                    .ok_or_else(|| format!("`--trials` takes a number from 1 to {MOST_TRIALS}"))?;
            }
            "--seed" => {
                options.runs.seed = words
                    .next()
                    .and_then(|number| number.parse().ok())
                    .ok_or_else(|| format!("`--seed` takes a number from 0 to {}", u64::MAX))?;
            }
            _ => {
                return Err(format!(
                    "`{}` is not an option; there are `--trials N`, `--seed S`, `--json` and `--short`",
                    word.escape_debug().take(80).collect::<String>()
                ));
            }
        }
    }
    Ok(options)
}
