//! `cargo xtask`: the one door to checks and releases.
//!
//! It links none of our crates and judges them from outside: their manifests, their text, and
//! their binaries run as processes. Each command is one file. A command that finds something
//! prints what, where and how to mend it, and exits 1; one that lacks a tool to look with exits 2.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line speaks through its streams"
)]

mod apis;
mod bench;
mod ci;
mod cited;
mod conversations;
mod corpus;
mod coverage;
mod crash;
mod deploy;
mod escape;
mod experiments;
mod fuzz;
mod gates;
mod harness;
mod invariants;
mod law;
mod promises;
mod reasons;
mod release;
mod review;
mod source;
mod surface;
mod threats;
mod tidy;
mod tree;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The checks of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Everything CI runs, in order, each step with its time
    #[command(after_help = "Example: cargo xtask ci\nStops at the first step that fails.")]
    Ci,
    /// The crate table, checked: arrows, outside crates, and what each crate touches
    Surface(surface::Args),
    /// Module docs, invariants with their tests, unfinished code, reasons for outside crates
    #[command(after_help = tidy::HELP)]
    Tidy,
    /// Plants one violation for each check in a copy of the tree: red, then green again
    Gates(gates::Args),
    /// The promotion rule, simulated: error rates, power, overlap (the example of harness-rules)
    #[command(
        disable_help_flag = true,
        after_help = "Example: cargo xtask simulate --short --json"
    )]
    Simulate(experiments::Args),
    /// Rules of random text in paired replay: none may be promoted more often than by chance
    #[command(
        disable_help_flag = true,
        after_help = "Example: cargo xtask placebo --rules 1000 --json"
    )]
    Placebo(experiments::Args),
    /// The demo's agent with rules off, on, off, on, and a placebo (an example of harness-cli)
    #[command(
        disable_help_flag = true,
        after_help = "Example: cargo xtask abab --short --json"
    )]
    Abab(experiments::Args),
    /// A gate or a policy over a folder of labelled inputs (an example of the crate that owns it)
    Corpus(corpus::Args),
    /// How fast text passes the boundary, and rules are found (benches of the crates that own them)
    Bench(bench::Args),
    /// How many lines of each crate its tests reach
    Coverage(coverage::Args),
    /// Mutated bytes against the promises of each boundary (an example of each crate that has one)
    Fuzz(fuzz::Args),
    /// Every way out of a sandbox, tried, each beside what must work (the example of harness-shell)
    Escape(escape::Args),
    /// Kills a running ingest at random moments and counts what was lost, torn or half done
    Crash(crash::Args),
    /// One page on a crate for its auditor: each promise with its code and its tests, run now
    Review(review::Args),
    /// Checks, packages and describes a release; a person tags and publishes it
    Release(release::Args),
}

fn main() -> ExitCode {
    let result = tree::Tree::here().and_then(|tree| match Args::parse().command {
        Command::Ci => ci::run(&tree),
        Command::Surface(args) => surface::run(&tree, &args),
        Command::Tidy => tidy::run(&tree),
        Command::Gates(args) => gates::run(&tree, &args),
        Command::Simulate(args) => experiments::SIMULATE.run(&tree, &args),
        Command::Placebo(args) => experiments::PLACEBO.run(&tree, &args),
        Command::Abab(args) => experiments::ABAB.run(&tree, &args),
        Command::Corpus(args) => corpus::run(&tree, &args),
        Command::Bench(args) => bench::run(&tree, &args),
        Command::Coverage(args) => coverage::run(&tree, &args),
        Command::Fuzz(args) => fuzz::run(&tree, &args),
        Command::Escape(args) => escape::run(&tree, &args),
        Command::Crash(args) => crash::run(&tree, &args),
        Command::Review(args) => review::run(&tree, &args),
        Command::Release(args) => release::run(&tree, &args),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            if error.is::<coverage::Missing>() {
                ExitCode::from(2)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}
