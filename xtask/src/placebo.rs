//! `placebo`: rules of random text in paired replay, run by the crate that decides on them.

use crate::tree::{self, Tree};
use anyhow::Result;
use std::ffi::OsString;

/// Arguments of `placebo`, passed on as they are.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "Example: cargo xtask placebo --rules 1000 --json"
)]
pub(crate) struct Args {
    /// Passed on as they are
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    args: Vec<OsString>,
}

impl Args {
    /// The form that CI runs.
    pub(crate) const fn short() -> Self {
        Self { args: Vec::new() }
    }
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    let mut cargo = tree.cargo(["run", "--quiet", "--release", "--package", "harness-rules"]);
    cargo.args(["--example", "placebo", "--"]).args(&args.args);
    tree::succeed(&mut cargo)
}
