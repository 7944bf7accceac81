//! `bench`: how fast our code is, measured by the crate that owns it.

use crate::tree::{self, Tree};
use anyhow::Result;
use std::ffi::OsString;

/// Arguments of `bench`.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo xtask bench --only text --json")]
pub(crate) struct Args {
    /// One bench instead of all
    #[arg(long, value_enum)]
    only: Option<Bench>,
    /// One JSON object a row
    #[arg(long)]
    json: bool,
}

/// A bench, by what it measures.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Bench {
    /// The text boundary
    Text,
    /// The guard around a tool call
    Guard,
    /// Deciding about commands, and running them
    Shell,
    /// Looks at the rules, and what one more costs
    Rules,
    /// The workspace on disk
    Store,
    /// An episode without its model, and how soon a run gets to one
    Repair,
}

impl Bench {
    const ALL: [Self; 6] = [
        Self::Text,
        Self::Rules,
        Self::Shell,
        Self::Guard,
        Self::Store,
        Self::Repair,
    ];

    /// The packages that measure it, each with the bench that does.
    const fn targets(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Text => &[("harness-sanitize", "text")],
            Self::Guard => &[("harness-guard", "guard")],
            Self::Shell => &[("harness-shell", "shell")],
            Self::Rules => &[("harness-rules", "rules")],
            Self::Store => &[("harness-store", "store")],
            Self::Repair => &[("harness-repair", "repair"), ("harness-cli", "run")],
        }
    }
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    let benches = args
        .only
        .map_or_else(|| Bench::ALL.to_vec(), |only| vec![only]);
    for (package, bench) in benches.into_iter().flat_map(Bench::targets) {
        let mut cargo = tree.cargo(["bench", "--quiet", "--package", package]);
        cargo.args(["--bench", bench, "--"]);
        cargo.args(args.json.then(|| OsString::from("--json")));
        tree::succeed(&mut cargo)?;
    }
    Ok(())
}
