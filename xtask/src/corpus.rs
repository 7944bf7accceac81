//! `corpus`: a gate or a policy measured on a folder of labelled inputs, by the crate that owns it.

use crate::tree::{self, Tree};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::PathBuf;

/// Arguments of `corpus`.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo xtask corpus ../texts --json")]
pub(crate) struct Args {
    /// The folder of labelled inputs
    dir: PathBuf,
    /// What is measured
    #[arg(long, value_enum, default_value = "text")]
    only: Set,
    /// Passed on as they are
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    args: Vec<OsString>,
}

/// A set of labelled inputs, by what it measures.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Set {
    /// The text gate
    Text,
    /// The web policy
    Ssrf,
    /// The command policy
    Shell,
}

impl Set {
    /// The package and its example.
    const fn example(self) -> (&'static str, &'static str) {
        match self {
            Self::Text => ("harness-sanitize", "text_corpus"),
            Self::Ssrf => ("harness-guard", "web_corpus"),
            Self::Shell => ("harness-shell", "shell_corpus"),
        }
    }
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    // Cargo runs in the root of the tree, wherever we were called from.
    let dir = std::path::absolute(&args.dir)
        .with_context(|| format!("`{}` is no path", args.dir.display()))?;
    let (package, example) = args.only.example();
    let mut cargo = tree.cargo(["run", "--quiet", "--release", "--package", package]);
    cargo.args(["--example", example, "--"]);
    cargo.arg(dir).args(&args.args);
    tree::succeed(&mut cargo)
}
