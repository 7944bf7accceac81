//! Rules of random text in paired replay, on a simulated agent that is right or wrong by chance:
//! how many are promoted, and what stops a rule that helps on average and harms one case.
//!
//! ```text
//! placebo [--rules N] [--seed S] [--json]
//! ```
//!
//! Everything is decided by the functions that the desk decides with, over the turns, seeds and
//! cases of the default settings. Exits 1 if more useless rules are promoted than α allows, if a
//! rule that helps no longer is, or if a case that is harmed no longer vetoes; 2 if the command
//! line is wrong.

#![forbid(unsafe_code)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a simulation has no host to break: a defect in it is to stop it"
)]

#[path = "../simulate/random.rs"]
mod random;
#[path = "../simulate/runs.rs"]
mod runs;
mod trial;

use std::io::{self, Write};
use std::process::ExitCode;

use harness_rules::evidence::Levels;
use serde_json::{Value, json};

use runs::Runs;
use trial::{Case, Ending};

const RULES: usize = 1000;
const MOST_RULES: usize = 1_000_000;
const SEED: u64 = 1;

/// Two-sided 99.9 % of the normal distribution.
const Z: f64 = 3.290_527;

/// How often an agent is right without a rule, case by case: three failures and two wins.
const ABILITY: [f64; 5] = [0.2, 0.35, 0.5, 0.9, 0.97];

/// A published failure: a rule that helps by .17 on average, and takes one case from .91 to .82.
const PUBLISHED: [Case; 4] = [
    Case::target(0.30, 0.56),
    Case::target(0.30, 0.56),
    Case::target(0.30, 0.56),
    Case::protected(0.91, 0.82),
];

/// Pairs of each case after which it is looked at.
const LOOKS: [u32; 3] = [15, 200, 400];

fn main() -> io::Result<ExitCode> {
    let (runs, is_json) = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            writeln!(io::stderr(), "{problem}")?;
            return Ok(ExitCode::from(2));
        }
    };
    let report = Report::of(runs);
    let mut out = io::stdout().lock();
    if is_json {
        writeln!(out, "{}", report.json())?;
    } else {
        write!(out, "{}", report.text())?;
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

/// How often something happened in `n` runs.
#[derive(Clone, Copy)]
struct Rate {
    hits: usize,
    n: usize,
}

impl Rate {
    fn of<T>(runs: &[T], hit: impl Fn(&T) -> bool) -> Self {
        Self {
            hits: runs.iter().filter(|run| hit(run)).count(),
            n: runs.len(),
        }
    }

    fn value(self) -> f64 {
        self.hits as f64 / self.n as f64
    }

    /// The 99.9 % interval (Wilson 1927).
    fn interval(self) -> (f64, f64) {
        let (n, p) = (self.n as f64, self.value());
        let z2 = Z * Z;
        let middle = p + z2 / (2.0 * n);
        let half = Z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z2 / n;
        (
            ((middle - half) / scale).max(0.0),
            ((middle + half) / scale).min(1.0),
        )
    }

    fn json(self) -> Value {
        let (low, high) = self.interval();
        let rounded = |number: f64| (number * 1e5).round() / 1e5;
        json!({
            "n": self.n,
            "rate": rounded(self.value()),
            "low": rounded(low),
            "high": rounded(high),
        })
    }
}

struct Report {
    alpha: f64,
    /// Rules of random text: promoted, retired as harmful, vetoed, and handed on to sessions.
    placebo: [Rate; 4],
    /// The same of rules that halve the failures.
    real: [Rate; 4],
    /// The published failure, stopped after so many pairs of each case.
    published: [Rate; LOOKS.len()],
    /// And what the mean alone would have promoted.
    published_by_mean: Rate,
}

impl Report {
    fn of(runs: Runs) -> Self {
        let ended = |figure, left: f64| {
            let ends = runs.of(figure, |mut random| trial::run(&mut random, ABILITY, left));
            [
                Ending::Promoted,
                Ending::Harmful,
                Ending::Vetoed,
                Ending::HandedOn,
            ]
            .map(|ending| Rate::of(&ends, |end| *end == ending))
        };
        let published = runs.of("published", |mut random| {
            trial::looked_at(&mut random, &PUBLISHED, &LOOKS)
        });
        Self {
            alpha: Levels::default().alpha(),
            placebo: ended("placebo", 1.0),
            real: ended("real", 0.5),
            published: std::array::from_fn(|look| Rate::of(&published, |seen| seen.vetoed[look])),
            published_by_mean: Rate::of(&published, |seen| seen.would_promote),
        }
    }

    fn broken(&self) -> Vec<String> {
        let mut broken = Vec::new();
        let mut check = |holds: bool, what: String| {
            if !holds {
                broken.push(what);
            }
        };
        let [promoted, ..] = self.placebo;
        check(
            promoted.interval().0 <= self.alpha,
            format!("useless rules are promoted at {:.4}", promoted.value()),
        );
        let [helped, ..] = self.real;
        check(
            helped.interval().1 >= 0.1,
            format!(
                "rules that halve failures are promoted at {:.4} only",
                helped.value()
            ),
        );
        let most = self.published[LOOKS.len() - 1];
        check(
            most.interval().1 >= 0.95,
            format!("harm to one case vetoes at {:.4} only", most.value()),
        );
        check(
            self.published_by_mean.value() > 0.5,
            "the mean alone no longer shows as wrong".to_owned(),
        );
        broken
    }

    fn json(&self) -> Value {
        let ended = |[promoted, harmful, vetoed, handed_on]: [Rate; 4]| {
            json!({
                "promoted": promoted.json(),
                "harmful": harmful.json(),
                "vetoed": vetoed.json(),
                "handed_on": handed_on.json(),
            })
        };
        let looks = LOOKS
            .iter()
            .zip(&self.published)
            .map(|(pairs, rate)| json!({ "pairs": pairs, "vetoed": rate.json() }));
        json!({
            "alpha": self.alpha,
            "placebo": ended(self.placebo),
            "halves": ended(self.real),
            "published": {
                "mean_gain": 0.17,
                "worst_case": [0.91, 0.82],
                "looks": looks.collect::<Vec<_>>(),
                "promoted_by_mean": self.published_by_mean.json(),
            },
        })
    }

    fn text(&self) -> String {
        let row = |name: &str, ends: [Rate; 4]| {
            let [promoted, harmful, vetoed, handed_on] = ends.map(Rate::value);
            format!(
                "{name:<16} promoted {promoted:.4}  harmful {harmful:.4}  vetoed {vetoed:.4}  \
                 handed on {handed_on:.4}\n"
            )
        };
        let mut text = row("random text", self.placebo) + &row("halves failures", self.real);
        text += "one case falls from .91 to .82 while the mean rises by .17\n";
        for (pairs, rate) in LOOKS.iter().zip(&self.published) {
            text += &format!("  {pairs:>3} pairs: vetoed {:.4}\n", rate.value());
        }
        text += &format!(
            "  the mean alone would promote {:.4}\n",
            self.published_by_mean.value()
        );
        text
    }
}

fn options(mut words: impl Iterator<Item = String>) -> Result<(Runs, bool), String> {
    let mut runs = Runs {
        seed: SEED,
        trials: RULES,
    };
    let mut is_json = false;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => is_json = true,
            "--rules" => {
                runs.trials = words
                    .next()
                    .and_then(|number| number.parse().ok())
                    .filter(|rules| (1..=MOST_RULES).contains(rules))
                    .ok_or_else(|| format!("`--rules` takes a number from 1 to {MOST_RULES}"))?;
            }
            "--seed" => {
                runs.seed = words
                    .next()
                    .and_then(|number| number.parse().ok())
                    .ok_or_else(|| format!("`--seed` takes a number from 0 to {}", u64::MAX))?;
            }
            _ => {
                return Err(format!(
                    "`{}` is not an option; there are `--rules N`, `--seed S` and `--json`",
                    word.escape_debug().take(80).collect::<String>()
                ));
            }
        }
    }
    Ok((runs, is_json))
}
