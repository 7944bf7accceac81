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
}

impl Bench {
    const ALL: [Self; 5] = [
        Self::Text,
        Self::Rules,
        Self::Shell,
        Self::Guard,
        Self::Store,
    ];

    const fn package(self) -> &'static str {
        match self {
            Self::Text => "harness-sanitize",
            Self::Guard => "harness-guard",
            Self::Shell => "harness-shell",
            Self::Rules => "harness-rules",
            Self::Store => "harness-store",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Guard => "guard",
            Self::Shell => "shell",
            Self::Rules => "rules",
            Self::Store => "store",
        }
    }
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    let benches = args
        .only
        .map_or_else(|| Bench::ALL.to_vec(), |only| vec![only]);
    for bench in benches {
        let mut cargo = tree.cargo(["bench", "--quiet", "--package", bench.package()]);
        cargo.args(["--bench", bench.name(), "--"]);
        cargo.args(args.json.then(|| OsString::from("--json")));
        tree::succeed(&mut cargo)?;
    }
    Ok(())
}
