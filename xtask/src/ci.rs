//! `ci`: everything that CI runs, in one order, each step with its time.
//!
//! Cheap checks come first. Checked, debug and release builds are each made once: clippy and
//! rustdoc share the first, tests and gates the second, simulations, kills, demo and attacks the
//! third.

use crate::release::deny;
use crate::tree::{self, Tree};
use crate::{crash, escape, experiments, gates, surface, tidy};
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A step: its name, and what it does; the lines it gives back are repeated in the summary.
type Step = (&'static str, fn(&Tree) -> Result<Vec<String>>);

/// The features: the binary with models of providers, and rig's tools behind the guard. Tests run
/// without them and then, for what needs them, with them; the workspace's own crates are all that is
/// built anew.
const PROVIDERS: &str = "--features=harness-cli/rig,harness-rig/guard";

const STEPS: &[Step] = &[
    ("format", |tree| cargo(tree, &["fmt", "--all", "--check"])),
    ("tidy", |tree| nothing(tidy::run(tree))),
    ("surface", |tree| {
        nothing(surface::run(tree, &surface::Args::check()))
    }),
    ("deny", |tree| nothing(deny::allowed(tree))),
    ("clippy", |tree| {
        cargo(
            tree,
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                PROVIDERS,
                "--",
                "-D",
                "warnings",
            ],
        )
    }),
    ("docs", docs),
    ("tests", tests),
    ("providers", |tree| {
        let args = ["test", "--workspace", PROVIDERS, "--test", "it", "--"];
        let tests = ["a_provider_repairs", "a_rig_agent_is_guarded"];
        cargo(tree, &[&args[..], &tests].concat())
    }),
    ("processes", processes),
    ("escape", |tree| {
        nothing(escape::run(tree, &escape::Args::short()))
    }),
    ("gates", |tree| {
        nothing(gates::run(tree, &gates::Args::all()))
    }),
    ("simulate", |tree| {
        nothing(experiments::SIMULATE.run_short(tree))
    }),
    ("placebo", |tree| {
        nothing(experiments::PLACEBO.run_short(tree))
    }),
    ("abab", |tree| nothing(experiments::ABAB.run_short(tree))),
    ("crash", |tree| {
        nothing(crash::run(tree, &crash::Args::short()))
    }),
    ("demo", |tree| {
        cargo(
            tree,
            &["run", "--release", "--package", "harness-cli", "--", "demo"],
        )
    }),
    ("redteam", |tree| {
        cargo(
            tree,
            &[
                "run",
                "--release",
                "--package",
                "harness-cli",
                "--",
                "redteam",
            ],
        )
    }),
];

/// Runs the command. The first failure ends it; the summary says how far it came.
pub(crate) fn run(tree: &Tree) -> Result<()> {
    let started = Instant::now();
    let mut summary = Vec::new();
    let mut failure = None;
    for (name, step) in STEPS {
        println!("\n== {name}");
        let step_started = Instant::now();
        let result = step(tree);
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        summary.push(line(name, verdict, step_started.elapsed()));
        match result {
            Ok(details) => summary.extend(details.iter().map(|detail| format!("   {detail}"))),
            Err(error) => {
                failure = Some(error.context(format!("step `{name}`")));
                break;
            }
        }
    }
    println!("\n== summary");
    for line in &summary {
        println!("{line}");
    }
    let verdict = if failure.is_none() { "ok" } else { "FAILED" };
    println!("{}", line("ci", verdict, started.elapsed()));
    failure.map_or(Ok(()), Err)
}

fn line(name: &str, verdict: &str, time: Duration) -> String {
    format!("{name:<10} {verdict:<6} {:>6.1} s", time.as_secs_f64())
}

fn nothing(result: Result<()>) -> Result<Vec<String>> {
    result.map(|()| Vec::new())
}

fn cargo(tree: &Tree, args: &[&str]) -> Result<Vec<String>> {
    nothing(tree::succeed(&mut tree.cargo(args)))
}

fn docs(tree: &Tree) -> Result<Vec<String>> {
    let mut cargo = tree.cargo(["doc", "--workspace", "--no-deps"]);
    nothing(tree::succeed(cargo.env("RUSTDOCFLAGS", "-D warnings")))
}

/// Eight processes on one workspace, in the long form.
fn processes(tree: &Tree) -> Result<Vec<String>> {
    let args = ["test", "--package", "harness-store", "--test", "it", "--"];
    let mut cargo = tree.cargo([&args[..], &["eight_processes_share"]].concat());
    cargo.env("HARNESS_STORE_TEST_OPERATIONS", "1000");
    nothing(tree::succeed(&mut cargo))
}

/// The tests, as they report themselves; their closing lines are kept for the summary.
fn tests(tree: &Tree) -> Result<Vec<String>> {
    let mut cargo = tree.cargo(["test", "--workspace"]);
    let mut child = cargo.stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().context("cargo test has no output")?;
    let mut closing = Vec::new();
    for line in BufReader::new(stdout).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        println!("{line}");
        // Binaries without a test say nothing that a summary needs.
        if line.starts_with("test result:") && !line.contains(" 0 passed; 0 failed;") {
            closing.push(line);
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("`{}` failed: {status}", tree::line(&cargo));
    }
    Ok(closing)
}
