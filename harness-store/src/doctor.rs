//! What holds of a workspace's place on this machine, each check shown by doing it: locks by
//! taking one twice, syncs by timing one, files by looking at every one.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness_core::layout;

use crate::error::{StoreError, quoted, shown};
use crate::identity::{FORMAT_VERSION, Identity};
use crate::lock::LockFile;
use crate::paths::WorkspacePaths;
use crate::random;
use crate::root::{Access, Root};
use crate::workspace::lies_beneath;

/// Free bytes below which a disk counts as full, and as nearly full.
const FULL: u64 = 16 << 20;
const NEARLY_FULL: u64 = 256 << 20;
/// A sync that takes longer makes every commit slow.
const SLOW_SYNC: Duration = Duration::from_millis(50);
/// Syncs that are timed; the middle one counts.
const SYNCS: usize = 5;
/// Unfit files that are named.
const MAX_NAMED: usize = 20;

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It does.
    Holds,
    /// It does, and an operator should know what stands beside it.
    Doubtful,
    /// It does not.
    Fails,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, in a word.
    pub name: &'static str,
    /// Whether it holds.
    pub outcome: Outcome,
    /// What was found, and what to do where it does not hold.
    pub what: String,
}

impl Check {
    fn new(name: &'static str, outcome: Outcome, what: impl Into<String>) -> Self {
        Self {
            name,
            outcome,
            what: what.into(),
        }
    }

    fn failed(name: &'static str, error: &StoreError) -> Self {
        Self::new(name, Outcome::Fails, error.to_string())
    }
}

/// Looks at the place of a workspace. Never fails: what cannot be looked at is a check that fails.
/// `working_folder` is where agents work, if that is known: the root must not lie in it.
pub fn examine(paths: &WorkspacePaths, working_folder: Option<&Path>) -> Vec<Check> {
    let mut checks = vec![place(paths, working_folder)];
    let root = match Root::open(&paths.root).and_then(|root| Ok((Identity::read(&root)?, root))) {
        Ok((identity, root)) => {
            checks.push(version(&identity));
            checks.push(outside(paths, &identity));
            Arc::new(root)
        }
        Err(error) => {
            checks.push(Check::failed("workspace", &error));
            return checks;
        }
    };
    checks.push(space(&root));
    checks.push(locks(&root));
    checks.push(syncs(&root));
    checks.push(files(&root));
    checks
}

fn place(paths: &WorkspacePaths, working_folder: Option<&Path>) -> Check {
    let root = shown(&paths.root);
    if lies_beneath(&paths.config_dir, &paths.root) {
        let what = format!("the configuration folder lies in the root {root}: choose one outside");
        return Check::new("place", Outcome::Fails, what);
    }
    match working_folder {
        Some(folder) if lies_beneath(&paths.root, folder) => {
            let folder = shown(folder);
            let what = format!(
                "the root {root} lies in {folder}, where agents may work: move it elsewhere, or \
                 run this from the folder that agents work in"
            );
            Check::new("place", Outcome::Fails, what)
        }
        _ => Check::new("place", Outcome::Holds, format!("the root is {root}")),
    }
}

fn version(identity: &Identity) -> Check {
    let Identity { id, version } = identity;
    if *version > FORMAT_VERSION {
        let what = format!("{id} has format version {version}, newer than this program writes");
        return Check::new("workspace", Outcome::Doubtful, what);
    }
    Check::new(
        "workspace",
        Outcome::Holds,
        format!("{id}, format version {version}"),
    )
}

/// Anchor and key, without which edits and arms go unseen.
fn outside(paths: &WorkspacePaths, identity: &Identity) -> Check {
    let folder = match Root::open(&paths.config_dir.join(identity.id.as_str())) {
        Ok(folder) => folder,
        Err(error) => return Check::failed("anchor", &error),
    };
    let missing: Vec<&str> = ["anchor", "key"]
        .into_iter()
        .filter(|name| !matches!(folder.file_id(name), Ok(Some(_))))
        .collect();
    if missing.is_empty() {
        let what = format!("anchor and key are in {}", shown(folder.path()));
        return Check::new("anchor", Outcome::Holds, what);
    }
    let what = format!(
        "{} has no {}: an edit of the root may go unseen, and open trials end",
        shown(folder.path()),
        missing.join(" and no ")
    );
    Check::new("anchor", Outcome::Fails, what)
}

fn space(root: &Root) -> Check {
    let (bytes, inodes) = match root.free() {
        Ok(free) => free,
        Err(error) => return Check::failed("space", &error),
    };
    let outcome = match bytes {
        _ if inodes == Some(0) => Outcome::Fails,
        ..FULL => Outcome::Fails,
        FULL..NEARLY_FULL => Outcome::Doubtful,
        _ => Outcome::Holds,
    };
    Check::new(
        "space",
        outcome,
        format!("{} MB are free", bytes / 1_000_000),
    )
}

/// That a lock which is held cannot be taken, and one that was given back can.
fn locks(root: &Arc<Root>) -> Check {
    let probe = match probe(layout::state_folder().as_str()) {
        Ok(probe) => probe,
        Err(error) => return Check::failed("locks", &error),
    };
    let excluded = lock_twice(root, &probe);
    let removed = root.remove(&probe);
    match excluded.and_then(|excluded| removed.map(|()| excluded)) {
        Ok(true) => Check::new("locks", Outcome::Holds, "one holder at a time"),
        Ok(false) => Check::new(
            "locks",
            Outcome::Fails,
            "this file system gives one lock to two holders: put the root on a local disk",
        ),
        Err(error) => Check::failed("locks", &error),
    }
}

fn lock_twice(root: &Arc<Root>, probe: &str) -> Result<bool, StoreError> {
    let (one, other) = (LockFile::open(root, probe)?, LockFile::open(root, probe)?);
    let held = one.try_lock()?;
    let excluded = held.is_some() && other.try_lock()?.is_none();
    drop(held);
    let given_back = other.try_lock()?.is_some();
    Ok(excluded && given_back)
}

fn syncs(root: &Root) -> Check {
    let probe = match probe(layout::state_folder().as_str()) {
        Ok(probe) => probe,
        Err(error) => return Check::failed("syncs", &error),
    };
    let cost = time_syncs(root, &probe);
    let removed = root.remove(&probe);
    match cost.and_then(|cost| removed.map(|()| cost)) {
        Ok(cost) => {
            let outcome = if cost > SLOW_SYNC {
                Outcome::Doubtful
            } else {
                Outcome::Holds
            };
            let what = format!("a synced write takes {:.2} ms", cost.as_secs_f64() * 1e3);
            Check::new("syncs", outcome, what)
        }
        Err(error) => Check::failed("syncs", &error),
    }
}

fn time_syncs(root: &Root, probe: &str) -> Result<Duration, StoreError> {
    let file = root.open_file(probe, Access::Append)?;
    let mut costs = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        let began = Instant::now();
        file.append(&[b'\n'; 512])
            .and_then(|()| file.sync())
            .map_err(|error| StoreError::from_io(&error, "sync", &root.shown(probe)))?;
        costs.push(began.elapsed());
    }
    costs.sort();
    Ok(costs.get(SYNCS / 2).copied().unwrap_or_default())
}

/// Every file and folder: regular with one link, ours, and private.
fn files(root: &Root) -> Check {
    let mut unfit = Vec::new();
    let mut count: u64 = 0;
    let mut folders = vec![".".to_owned()];
    folders.extend(
        layout::folders()
            .iter()
            .map(|path| path.as_str().to_owned()),
    );
    for folder in &folders {
        let names = match root.list(folder) {
            Ok(names) => names,
            Err(error) => {
                unfit.push(error.to_string());
                continue;
            }
        };
        for name in names {
            let path = format!("{folder}/{name}");
            count += 1;
            match root.standing(&path) {
                Ok(None) => {}
                Ok(Some(what)) => unfit.push(format!("{} {what}", quoted(&path))),
                Err(error) => unfit.push(error.to_string()),
            }
        }
    }
    if unfit.is_empty() {
        let what = format!("{count} files and folders, all of this user, private, with one link");
        return Check::new("files", Outcome::Holds, what);
    }
    let more = unfit.len().saturating_sub(MAX_NAMED);
    unfit.truncate(MAX_NAMED);
    let mut what = unfit.join("; ");
    if more > 0 {
        what.push_str(&format!("; and {more} more"));
    }
    Check::new("files", Outcome::Fails, what)
}

/// A path that the next opening sweeps, should we not come to remove it.
fn probe(folder: &str) -> Result<String, StoreError> {
    Ok(format!("{folder}/doctor.{:016x}.tmp", random::bits()?))
}
