//! A folder with a workspace and an agent's files, under a key that the seed decides.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use harness_engine::{Config, EmbeddedEvaluator, Harness, Repair, Setup};
use harness_rules::evidence::KEY_BYTES;
use harness_sanitize::Redactor;
use harness_store::{Reader, Workspace, WorkspacePaths};
use tempfile::TempDir;

use crate::clock::DemoClock;
use crate::verifier::FileVerifier;

/// Episodes a day; the clock here runs fast.
const EPISODES_PER_DAY: u32 = 1_000;

/// The folder; it is removed with this value.
pub(crate) struct Place(TempDir);

impl Place {
    /// A folder with a workspace that has no rule.
    ///
    /// # Errors
    /// The workspace cannot be made.
    pub(crate) fn new(clock: &DemoClock, key: [u8; KEY_BYTES]) -> Result<Self> {
        let place = Self(TempDir::with_prefix("harness-abab-")?);
        fs::create_dir(place.work())?;
        let paths = place.paths();
        Workspace::init(&paths, clock.now())?;
        let id = Reader::open(&paths)?.workspace().to_string();
        fs::write(paths.config_dir.join(id).join("key"), key)?;
        Ok(place)
    }

    /// Another folder with the same in it.
    ///
    /// # Errors
    /// The disk's.
    pub(crate) fn copied(&self) -> Result<Self> {
        let place = Self(TempDir::with_prefix("harness-abab-")?);
        copy(self.0.path(), place.0.path()).context("the workspace cannot be copied")?;
        Ok(place)
    }

    /// The loop around it.
    ///
    /// # Errors
    /// The workspace cannot be opened.
    pub(crate) fn open(&self, clock: &DemoClock, repair: Repair) -> Result<Harness> {
        Ok(Harness::open(Setup {
            paths: self.paths(),
            config: Config {
                episodes_per_day: EPISODES_PER_DAY,
                ..Config::default()
            },
            evaluator: Arc::new(EmbeddedEvaluator),
            verifier: Some(Arc::new(FileVerifier::new(self.work()))),
            repair,
            redactor: Redactor::patterns_only(),
            clock: Some(clock.as_clock()),
        })?)
    }

    /// The agent's folders, one a session.
    pub(crate) fn work(&self) -> PathBuf {
        self.0.path().join("work")
    }

    fn paths(&self) -> WorkspacePaths {
        WorkspacePaths {
            root: self.0.path().join("workspace"),
            config_dir: self.0.path().join("config"),
        }
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&to)?;
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
