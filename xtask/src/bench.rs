//! `bench`: how fast our code is, measured by the crates that own it, in one table.

mod table;

use crate::tree::{self, Tree};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Stdio;
use table::Table;

/// Arguments of `bench`.
#[derive(clap::Args)]
#[command(after_help = "\
Example: cargo xtask bench --only text --save before.json
         cargo xtask bench --only text --against before.json --worse-than 1.3
`ratio` is to what a row was measured beside in its own run. `worse by` is to the saved run: of
ratios where both have one, else of values, which only the same machine makes comparable.")]
pub(crate) struct Args {
    /// One bench instead of all
    #[arg(long, value_enum)]
    only: Option<Bench>,
    /// One JSON document
    #[arg(long)]
    json: bool,
    /// Writes the run to a file, for a later one to be compared with
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Compares with a saved run
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Exits 1 where a row is worse than the saved one by more than this factor
    #[arg(long, value_name = "FACTOR", requires = "against")]
    worse_than: Option<f64>,
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
            Self::Store => &[("harness-store", "store"), ("harness-rules", "ledger")],
            Self::Repair => &[("harness-repair", "repair"), ("harness-cli", "run")],
        }
    }
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    // Before anything is measured: a name that is wrong must not cost minutes.
    let saved = args.against.as_deref().map(Table::read).transpose()?;
    let benches = args
        .only
        .map_or_else(|| Bench::ALL.to_vec(), |only| vec![only]);
    let mut table = Table::default();
    for (package, bench) in benches.into_iter().flat_map(Bench::targets) {
        let mut cargo = tree.cargo(["bench", "--quiet", "--package", package]);
        cargo.args(["--bench", bench, "--", "--json"]);
        let output = cargo.stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            bail!("`{}` failed: {}", tree::line(&cargo), output.status);
        }
        let printed = String::from_utf8(output.stdout).context("a bench printed no text")?;
        for note in table.take(&printed)? {
            eprintln!("bench: {package}: {note}");
        }
    }
    if let Some(saved) = &saved {
        table.compare(saved);
    }
    if let Some(file) = &args.save {
        table.save(file)?;
    }
    print!(
        "{}",
        if args.json {
            table.json()?
        } else {
            table.text()
        }
    );
    let worse = args
        .worse_than
        .map_or_else(Vec::new, |by| table.worse_than(by));
    if !worse.is_empty() {
        bail!("worse than the saved run: {}", worse.join(", "));
    }
    Ok(())
}
