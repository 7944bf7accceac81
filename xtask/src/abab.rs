//! `abab`: the demo's agent with rules off, on, off and on again, and with a placebo, run by the
//! crate that owns the demo's world.

use crate::tree::{self, Tree};
use anyhow::{Result, bail};
use std::ffi::OsString;

/// How cargo runs the example.
const RUN: [&str; 8] = [
    "run",
    "--quiet",
    "--release",
    "--package",
    "harness-cli",
    "--example",
    "abab",
    "--",
];

/// Arguments of `abab`, passed on as they are.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "Example: cargo xtask abab --short --json"
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
    pub(crate) fn short() -> Self {
        Self {
            args: vec!["--short".into()],
        }
    }
}

/// Runs the command.
pub(crate) fn run(tree: &Tree, args: &Args) -> Result<()> {
    tree::succeed(tree.cargo(RUN).args(&args.args))
}

/// The short form is green, to the byte the same the second time, and red with a broken reader.
pub(crate) fn can_fail(tree: &Tree) -> Result<()> {
    let short = |more: &[&str]| {
        let mut cargo = tree.cargo(RUN);
        cargo.args(["--short", "--json"]).args(more).output()
    };
    let (once, again) = (short(&[])?, short(&[])?);
    if !once.status.success() {
        bail!("{}", String::from_utf8_lossy(&once.stderr));
    }
    if once.stdout != again.stdout {
        bail!("the same seed gives other figures");
    }
    let blind = short(&["--blind"])?;
    let said = String::from_utf8_lossy(&blind.stderr);
    if blind.status.code() != Some(1) || !said.contains("from `off` to `on`: no difference") {
        bail!("a broken reader does not show: {}, {said}", blind.status);
    }
    Ok(())
}
