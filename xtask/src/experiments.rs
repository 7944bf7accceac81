//! `simulate`, `placebo`, `abab`: experiments, each an example of the crate that it tries.

use crate::tree::{self, Tree};
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::process::Command;

/// An experiment.
pub(crate) struct Experiment {
    package: &'static str,
    example: &'static str,
    /// Arguments of the form that CI runs.
    short: &'static [&'static str],
}

/// The promotion rule under simulated workloads.
pub(crate) const SIMULATE: Experiment = Experiment {
    package: "harness-rules",
    example: "simulate",
    short: &["--short"],
};

/// Rules of random text in paired replay; short as it is.
pub(crate) const PLACEBO: Experiment = Experiment {
    package: "harness-rules",
    example: "placebo",
    short: &[],
};

/// The demo's agent with rules off, on, off and on again, and with a placebo.
pub(crate) const ABAB: Experiment = Experiment {
    package: "harness-cli",
    example: "abab",
    short: &["--short"],
};

/// Arguments of an experiment.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Passed on as they are
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    args: Vec<OsString>,
}

impl Experiment {
    /// Runs the command.
    pub(crate) fn run(&self, tree: &Tree, args: &Args) -> Result<()> {
        tree::succeed(self.cargo(tree).args(&args.args))
    }

    /// Runs the form that CI runs.
    pub(crate) fn run_short(&self, tree: &Tree) -> Result<()> {
        tree::succeed(self.cargo(tree).args(self.short))
    }

    fn cargo(&self, tree: &Tree) -> Command {
        let mut cargo = tree.cargo(["run", "--quiet", "--release", "--package", self.package]);
        cargo.args(["--example", self.example, "--"]);
        cargo
    }
}

/// The short form of `abab` is green, to the byte the same the second time, and red with a broken
/// reader.
pub(crate) fn abab_can_fail(tree: &Tree) -> Result<()> {
    let short = |more: &[&str]| {
        let mut cargo = ABAB.cargo(tree);
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
