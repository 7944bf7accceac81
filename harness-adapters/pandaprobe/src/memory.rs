//! What must not be asked for twice, across restarts: runs that are under way, traces that are
//! scored.
//!
//! One JSON file, replaced atomically. It saves money, and proves nothing: a file that is gone or
//! that cannot be read is an empty memory.

use std::collections::{HashSet, VecDeque};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::answer::{Id, text};

/// Runs and traces that are remembered, each; the oldest are forgotten first.
const MAX_REMEMBERED: usize = 4096;
/// Bytes of the file at most.
const MAX_FILE: u64 = 4 << 20;

/// The memory.
#[derive(Debug)]
pub struct Memory {
    path: Option<PathBuf>,
    held: Mutex<Held>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Held {
    runs: VecDeque<Run>,
    scored: VecDeque<Id>,
    known: HashSet<Id>,
}

/// A run that was started for a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    trace: Id,
    /// The metrics it is for, joined by commas.
    metrics: String,
    run: Id,
}

impl Memory {
    /// A memory that ends with the process.
    pub fn forgetful() -> Self {
        Self {
            path: None,
            held: Mutex::default(),
        }
    }

    /// The memory in the file at `path`; the folder must be there, the file need not.
    pub fn at(path: PathBuf) -> Self {
        let held = read(&path).unwrap_or_default();
        Self {
            path: Some(path),
            held: Mutex::new(held),
        }
    }

    pub(crate) fn run(&self, trace: &Id, metrics: &str) -> Option<Id> {
        let held = self.lock();
        let of = |run: &&Run| run.trace == *trace && run.metrics == metrics;
        held.runs.iter().rev().find(of).map(|run| run.run.clone())
    }

    /// Remembers a run; it is on disk when this returns.
    pub(crate) fn started(&self, trace: &Id, metrics: &str, run: &Id) -> io::Result<()> {
        self.change(|held| {
            held.runs.push_back(Run {
                trace: trace.clone(),
                metrics: metrics.to_owned(),
                run: run.clone(),
            });
            if held.runs.len() > MAX_REMEMBERED {
                held.runs.pop_front();
            }
        })
    }

    pub(crate) fn forget(&self, run: &Id) -> io::Result<()> {
        self.change(|held| held.runs.retain(|known| known.run != *run))
    }

    pub(crate) fn is_scored(&self, trace: &Id) -> bool {
        self.lock().known.contains(trace)
    }

    pub(crate) fn scored(&self, trace: &Id) -> io::Result<()> {
        if self.is_scored(trace) {
            return Ok(());
        }
        self.change(|held| held.add_scored(trace.clone()))
    }

    fn change(&self, how: impl FnOnce(&mut Held)) -> io::Result<()> {
        // The lock is held while the file is written, so that files follow memories in order.
        let mut held = self.lock();
        how(&mut held);
        match &self.path {
            Some(path) => replace(path, held.to_json().to_string().as_bytes()),
            None => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn add_scored(&mut self, trace: Id) {
        if self.known.insert(trace.clone()) {
            self.scored.push_back(trace);
        }
        if self.scored.len() > MAX_REMEMBERED
            && let Some(oldest) = self.scored.pop_front()
        {
            self.known.remove(&oldest);
        }
    }

    fn to_json(&self) -> Value {
        let runs: Vec<Value> = self
            .runs
            .iter()
            .map(|run| {
                json!({
                    "trace": run.trace.as_str(),
                    "metrics": run.metrics,
                    "run": run.run.as_str(),
                })
            })
            .collect();
        let scored: Vec<&str> = self.scored.iter().map(Id::as_str).collect();
        json!({ "runs": runs, "scored": scored })
    }

    fn from_json(value: &Value) -> Self {
        let list = |name: &str| {
            value
                .get(name)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        let runs = list("runs").filter_map(|run| {
            Some(Run {
                trace: Id::parse(text(run, "trace")?)?,
                metrics: text(run, "metrics")?.to_owned(),
                run: Id::parse(text(run, "run")?)?,
            })
        });
        let mut held = Self {
            runs: runs.take(MAX_REMEMBERED).collect(),
            ..Self::default()
        };
        for trace in list("scored").filter_map(|trace| Id::parse(trace.as_str()?)) {
            held.add_scored(trace);
        }
        held
    }
}

fn read(path: &Path) -> Option<Held> {
    let mut bytes = Vec::new();
    File::open(path)
        .ok()?
        .take(MAX_FILE)
        .read_to_end(&mut bytes)
        .ok()?;
    let value = serde_json::from_slice(&bytes).ok()?;
    Some(Held::from_json(&value))
}

/// A new file takes the place of the old one, once it is on disk.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let temporary = PathBuf::from(name);
    // One of an earlier process by this number, or of somebody else: it is not written through.
    let _ = fs::remove_file(&temporary);
    let new = File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary);
    let written = new.and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Id {
        Id::parse(text).unwrap()
    }

    #[test]
    fn what_was_started_and_scored_is_known_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.json");
        let memory = Memory::at(path.clone());
        memory.started(&id("t1"), "coherence", &id("r1")).unwrap();
        memory.started(&id("t2"), "coherence", &id("r2")).unwrap();
        memory.forget(&id("r2")).unwrap();
        memory.scored(&id("t1")).unwrap();
        let again = Memory::at(path);
        assert_eq!(again.run(&id("t1"), "coherence"), Some(id("r1")));
        assert_eq!(again.run(&id("t1"), "other"), None);
        assert_eq!(again.run(&id("t2"), "coherence"), None);
        assert!(again.is_scored(&id("t1")) && !again.is_scored(&id("t2")));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_no_memory_is_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.json");
        for bytes in [
            "",
            "[",
            "[]",
            r#"{"runs": [{"trace": "-x"}], "scored": [3, "--x"]}"#,
        ] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(*Memory::at(path.clone()).lock(), Held::default(), "{bytes}");
        }
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let memory = Memory::forgetful();
        for at in 0..MAX_REMEMBERED + 2 {
            memory.scored(&id(&format!("t{at}"))).unwrap();
            memory
                .started(&id(&format!("t{at}")), "m", &id("r"))
                .unwrap();
        }
        assert!(!memory.is_scored(&id("t1")) && memory.is_scored(&id("t2")));
        assert_eq!(memory.run(&id("t1"), "m"), None);
        assert_eq!(memory.run(&id("t2"), "m"), Some(id("r")));
    }
}
