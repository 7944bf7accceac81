//! Creating a workspace, and the one opener that hands out its halves.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harness_core::{CleanText, RepairStatus, Timestamp, layout};
use harness_sanitize::Redactor;

use crate::error::{StoreError, shown};
use crate::halves::{EntryLog, GuardLog, OperatorLog, RepairLog, ValidationLog, Watch, ended};
use crate::identity::{FORMAT_VERSION, Identity};
use crate::journal::{Journal, Rotation};
use crate::key::AssignmentKey;
use crate::lock::LockFile;
use crate::paths::WorkspacePaths;
use crate::reader::Reader;
use crate::redaction::Sink;
use crate::registry::Registration;
use crate::root::{Disk, Kernel, Root};
use crate::settled;
use crate::wire::Event;
use crate::wire::event::{Config, OperatorAct, OperatorAction, RepairEnd};
use crate::writer::{Clock, Core, Writer};

/// How long a writer waits for the lock where its caller does not say.
pub const DEFAULT_LOCK_WAIT: Duration = Duration::from_secs(5);
/// What ended an attempt whose process is gone.
const INTERRUPTED: &str = "interrupted";

/// How a workspace is opened.
#[derive(Clone)]
pub struct OpenOptions {
    /// Cuts secrets out of everything that is written.
    pub redactor: Arc<Redactor>,
    /// The clock.
    pub clock: Clock,
    /// How long an operation without a deadline of its own waits for the lock.
    pub lock_wait: Duration,
    /// When a segment of the journal is closed.
    pub rotation: Rotation,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            redactor: Arc::new(Redactor::patterns_only()),
            clock: Arc::new(system_time),
            lock_wait: DEFAULT_LOCK_WAIT,
            rotation: Rotation::default(),
        }
    }
}

impl fmt::Debug for OpenOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenOptions")
            .field("lock_wait", &self.lock_wait)
            .field("rotation", &self.rotation)
            .finish_non_exhaustive()
    }
}

/// A workspace opened for writing, in halves. The writer ends when the last of them is dropped.
#[derive(Debug)]
pub struct Halves {
    /// For whoever reads.
    pub reader: Reader,
    /// For the toolsets of task agents, with the reader.
    pub entries: EntryLog,
    /// For the engine.
    pub watch: Watch,
    /// For the repair desk.
    pub repair: RepairLog,
    /// For the validation desk.
    pub validation: ValidationLog,
    /// For the operator desk.
    pub operator: OperatorLog,
    /// For guards.
    pub guard: GuardLog,
    /// The assignment key; `None` where it is gone, then open trials end.
    pub key: Option<AssignmentKey>,
}

/// The opener.
#[derive(Clone, Copy, Debug)]
pub struct Workspace;

impl Workspace {
    /// Creates a workspace, or completes one that is not whole. Safe to repeat.
    ///
    /// # Errors
    /// The folders cannot be made or written, or were busy; a workspace of a newer version.
    pub fn init(paths: &WorkspacePaths, now: Timestamp) -> Result<(), StoreError> {
        Self::init_on(&(Arc::new(Kernel) as Arc<dyn Disk>), paths, now)
    }

    /// [`Workspace::init`] through `disk`.
    pub(crate) fn init_on(
        disk: &Arc<dyn Disk>,
        paths: &WorkspacePaths,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let root = Arc::new(Root::create_on(&paths.root, Arc::clone(disk))?);
        root.make_folder(layout::state_folder().as_str())?;
        let lock = LockFile::open(&root, layout::lock().as_str())?;
        let _held = lock.lock_within(DEFAULT_LOCK_WAIT)?;
        let identity = Identity::read_or_create(&root)?.writable(&root)?;
        make_folders(&root)?;
        let config = config_folder(disk, paths, &identity)?;
        AssignmentKey::create_if_missing(&config)?;
        let sink = Sink::new(Arc::new(Redactor::patterns_only()));
        let mut journal = Journal::open(root, &config, sink, Rotation::default(), now)?;
        if journal.is_unchained() {
            let reason = CleanText::new("created").unwrap_or_else(|_| CleanText::empty());
            let first = vec![
                Event::Config(Config {
                    workspace: identity.id.as_str().to_owned(),
                    version: u32::try_from(FORMAT_VERSION).unwrap_or(u32::MAX),
                }),
                Event::OperatorAction(OperatorAction {
                    action: OperatorAct::Init,
                    rule: None,
                    reason,
                }),
            ];
            journal.append(&[first], now)?;
        }
        journal.settle()
    }

    /// Opens a workspace for writing: repairs the journal's tail, does what a crash left undone,
    /// and starts the writer.
    ///
    /// # Errors
    /// No workspace there, one of a newer version, one that this process has open, one that stays
    /// busy, or one that cannot be written.
    pub fn open(paths: &WorkspacePaths, options: OpenOptions) -> Result<Halves, StoreError> {
        Self::open_on(&(Arc::new(Kernel) as Arc<dyn Disk>), paths, options)
    }

    /// [`Workspace::open`] through `disk`.
    pub(crate) fn open_on(
        disk: &Arc<dyn Disk>,
        paths: &WorkspacePaths,
        options: OpenOptions,
    ) -> Result<Halves, StoreError> {
        let root = Arc::new(Root::open_on(&paths.root, Arc::clone(disk))?);
        let identity = Identity::read(&root)?.writable(&root)?;
        let registration = Registration::enter(&root)?;
        make_folders(&root)?;
        let config = config_folder(disk, paths, &identity)?;
        let key = AssignmentKey::read(&config)?;
        let lock = Arc::new(LockFile::open(&root, layout::lock().as_str())?);
        let sink = Sink::new(options.redactor);
        let held = lock.lock_within(options.lock_wait)?;
        let now = (options.clock)();
        let journal = Journal::open(
            Arc::clone(&root),
            &config,
            sink.clone(),
            options.rotation,
            now,
        )?;
        sweep(&root, &config)?;
        let settled = settled::holds(&config, &root, journal.head())?;
        let config = Arc::new(config);
        let mut core = Core::new(
            Arc::clone(&root),
            Arc::clone(&config),
            sink,
            options.clock,
            Arc::clone(&lock),
            journal,
        );
        if settled {
            core.files_lag = false;
        } else {
            core.redo_files()?;
            end_interrupted(&mut core)?;
        }
        drop(held);
        let writer = Writer::start(core, options.lock_wait, registration)?;
        Ok(Halves {
            entries: EntryLog::new(Arc::clone(&writer)),
            watch: Watch::new(Arc::clone(&writer)),
            repair: RepairLog::new(Arc::clone(&writer), Arc::clone(&root)),
            validation: ValidationLog::new(Arc::clone(&writer), Arc::clone(&root)),
            guard: GuardLog::new(Arc::clone(&writer)),
            operator: OperatorLog::new(writer),
            reader: Reader::of(root, identity, Some(config)),
            key,
        })
    }
}

fn system_time() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// The workspace's folder outside the root.
fn config_folder(
    disk: &Arc<dyn Disk>,
    paths: &WorkspacePaths,
    identity: &Identity,
) -> Result<Root, StoreError> {
    if lies_beneath(&paths.config_dir, &paths.root) {
        return Err(StoreError::Misplaced {
            config: shown(&paths.config_dir),
            root: shown(&paths.root),
        });
    }
    let all = Root::create_on(&paths.config_dir, Arc::clone(disk))?;
    all.make_folder(identity.id.as_str())?;
    all.beneath(identity.id.as_str())
}

/// Whether `path`, or the nearest folder above it that exists, lies in `root`.
pub(crate) fn lies_beneath(path: &Path, root: &Path) -> bool {
    let existing = path
        .ancestors()
        .find_map(|folder| folder.canonicalize().ok());
    match (existing, root.canonicalize()) {
        (Some(existing), Ok(root)) => existing.starts_with(root),
        _ => path.starts_with(root),
    }
}

fn make_folders(root: &Root) -> Result<(), StoreError> {
    layout::folders()
        .iter()
        .try_for_each(|folder| root.make_folder(folder.as_str()))
}

fn sweep(root: &Root, config: &Root) -> Result<(), StoreError> {
    root.sweep(".")?;
    config.sweep(".")?;
    layout::folders()
        .iter()
        .try_for_each(|folder| root.sweep(folder.as_str()))
}

/// Ends the attempts of processes that are gone: with the status that their resolution has, or as
/// cancelled. While a repair runs somewhere, the ones without a resolution are left alone: one of
/// them is that one.
fn end_interrupted(core: &mut Core) -> Result<(), StoreError> {
    if core.refreshed()?.attempts.iter().next().is_none() {
        return Ok(());
    }
    let flight = LockFile::open(&core.root, layout::repair_lock().as_str())?.try_lock()?;
    let ends: Vec<Event> = core
        .state
        .get()
        .attempts
        .iter()
        .filter(|attempt| flight.is_some() || attempt.resolved.is_some())
        .map(|attempt| {
            let (status, rule) = match &attempt.resolved {
                Some((kind, rule)) => (RepairStatus::from(*kind), rule.clone()),
                None => (RepairStatus::Cancelled, None),
            };
            let end = RepairEnd {
                context: attempt.context.clone(),
                rule,
                category: Some(INTERRUPTED.to_owned()),
                turns: 0,
                tool_calls: 0,
                output_tokens: 0,
                elapsed_ms: 0,
            };
            ended(status, end)
        })
        .collect();
    for end in ends {
        core.commit(vec![end])?;
    }
    Ok(())
}
