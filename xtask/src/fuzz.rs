//! `fuzz`: every boundary that reads foreign bytes under mutated ones, by an example of the crate
//! that has the boundary.

use crate::tree::{self, Tree};
use anyhow::Result;

/// Crates, each with the example that fuzzes it.
const FUZZED: &[(&str, &str)] = &[
    ("harness-sanitize", "text_fuzz"),
    ("harness-shell", "shell_fuzz"),
    ("harness-traces", "traces_fuzz"),
];

/// Arguments of `fuzz`.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo xtask fuzz --seconds 60")]
pub(crate) struct Args {
    /// How long, for each crate
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where the random numbers start: the same seed makes the same texts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One JSON object a target
    #[arg(long)]
    json: bool,
}

/// The examples that fuzz a crate.
pub(crate) fn targets_of(package: &str) -> Vec<&'static str> {
    let of = FUZZED.iter().filter(|(fuzzed, _)| *fuzzed == package);
    of.map(|(_, example)| *example).collect()
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    for (package, example) in FUZZED {
        let mut cargo = tree.cargo(["run", "--quiet", "--release", "--package", package]);
        cargo.args(["--example", example, "--"]);
        cargo.args(["--seconds", &args.seconds.to_string()]);
        cargo.args(["--seed", &args.seed.to_string()]);
        cargo.args(args.json.then_some("--json"));
        tree::succeed(&mut cargo)?;
    }
    Ok(())
}
