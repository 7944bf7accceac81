//! `fuzz`: the text boundary under mutated text (the example of harness-sanitize).

use crate::tree::{self, Tree};
use anyhow::Result;

/// Arguments of `fuzz`.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo xtask fuzz --seconds 60")]
pub(crate) struct Args {
    /// How long
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where the random numbers start: the same seed makes the same texts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One JSON object a target
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    let mut cargo = tree.cargo([
        "run",
        "--quiet",
        "--release",
        "--package",
        "harness-sanitize",
    ]);
    cargo.args(["--example", "fuzz", "--"]);
    cargo.args(["--seconds", &args.seconds.to_string()]);
    cargo.args(["--seed", &args.seed.to_string()]);
    cargo.args(args.json.then_some("--json"));
    tree::succeed(&mut cargo)
}
