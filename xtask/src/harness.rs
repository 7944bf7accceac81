//! The operator's binary, run as an operator would, on a workspace that nobody else uses.

use crate::tree::{self, Tree};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Raised for throwaway workspaces, where one run stands for months of an operator's.
const EPISODES_PER_DAY: &str = "10000";

/// How cargo builds the binary; the caller's run of cargo has usually built it already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// As `cargo test` leaves it.
    Dev,
    /// As the demo leaves it.
    Release,
}

/// A built binary with a workspace and an operator's folder of its own, removed at the end.
pub(crate) struct Harness {
    binary: PathBuf,
    folder: TempDir,
}

impl Harness {
    /// Builds the binary and makes the empty folders.
    pub(crate) fn build(tree: &Tree, profile: Profile) -> Result<Self> {
        let mut cargo = tree.cargo(["build", "--quiet", "--package", "harness-cli"]);
        let built = match profile {
            Profile::Dev => "debug/harness",
            Profile::Release => {
                cargo.arg("--release");
                "release/harness"
            }
        };
        tree::succeed(&mut cargo)?;
        let folder = TempDir::with_prefix("harness-xtask-").context("no temporary folder")?;
        fs::create_dir(folder.path().join("traces"))?;
        Ok(Self {
            binary: tree.target()?.join(built),
            folder,
        })
    }

    /// The workspace.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// A folder for recorded conversations.
    pub(crate) fn traces(&self) -> PathBuf {
        self.folder.path().join("traces")
    }

    /// Where the standard error of [`Harness::command`]'s children goes.
    pub(crate) fn log(&self) -> PathBuf {
        self.folder.path().join("stderr.log")
    }

    /// Keeps the folder for whoever looks into a failure.
    pub(crate) fn keep(mut self) -> PathBuf {
        self.folder.disable_cleanup(true);
        self.folder.path().to_path_buf()
    }

    /// One verb, answering in JSON, with nothing of the caller's environment but the search path.
    pub(crate) fn command(&self, verb: &str) -> Result<Command> {
        let mut command = Command::new(&self.binary);
        command
            .arg(verb)
            .arg("--root")
            .arg(self.root())
            .args(["--format", "json"])
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("HARNESS_CONFIG_DIR", self.folder.path().join("config"))
            .env("HARNESS_EPISODES_PER_DAY", EPISODES_PER_DAY)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::options().create(true).append(true).open(self.log())?);
        Ok(command)
    }

    /// Runs a verb to its end.
    pub(crate) fn output<I>(&self, verb: &str, args: I) -> Result<Output>
    where
        I: IntoIterator<Item: AsRef<OsStr>>,
    {
        let mut command = self.command(verb)?;
        command.args(args).stdout(Stdio::piped());
        let child = command
            .spawn()
            .with_context(|| format!("cannot start `{}`", self.binary.display()))?;
        Ok(child.wait_with_output()?)
    }

    /// Runs a verb that must succeed, and reads its JSON.
    pub(crate) fn succeed<I>(&self, verb: &str, args: I) -> Result<Value>
    where
        I: IntoIterator<Item: AsRef<OsStr>>,
    {
        let output = self.output(verb, args)?;
        if !output.status.success() {
            bail!(
                "`harness {verb}` failed: {}{}",
                output.status,
                self.complaint()
            );
        }
        serde_json::from_slice(&output.stdout)
            .with_context(|| format!("`harness {verb}` did not answer in JSON"))
    }

    /// Feeds folders of recorded conversations.
    pub(crate) fn ingest(&self, folders: &[&Path]) -> Result<Value> {
        let mut args = vec![OsStr::new("--traces")];
        args.extend(folders.iter().map(|folder| folder.as_os_str()));
        self.succeed("run", args)
    }

    /// The last line on standard error, to go behind an error.
    fn complaint(&self) -> String {
        let log = fs::read(self.log()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        log.lines()
            .last()
            .map(|line| format!(": {}", line.escape_debug()))
            .unwrap_or_default()
    }
}
