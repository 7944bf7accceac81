//! `corpus`: the text gate measured on a folder of labelled texts, by the crate that owns the gate.

use crate::tree::{self, Tree};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::PathBuf;

/// Arguments of `corpus`.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo xtask corpus ../texts --json")]
pub(crate) struct Args {
    /// The folder of labelled texts
    dir: PathBuf,
    /// Passed on as they are
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    args: Vec<OsString>,
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    // Cargo runs in the root of the tree, wherever we were called from.
    let dir = std::path::absolute(&args.dir)
        .with_context(|| format!("`{}` is no path", args.dir.display()))?;
    let mut cargo = tree.cargo([
        "run",
        "--quiet",
        "--release",
        "--package",
        "harness-sanitize",
    ]);
    cargo.args(["--example", "corpus", "--"]);
    cargo.arg(dir).args(&args.args);
    tree::succeed(&mut cargo)
}
