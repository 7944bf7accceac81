//! A workspace with something outside it, and commands that run in it.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use harness_sanitize::{Gate, Intake, Redactor};
use harness_shell::{
    Allowed, Backend, Confinement, Environment, Grammar, Limits, Operands, Outcome, Sandbox,
    ShellPolicy, Takes, Use, Workspace,
};
use tempfile::TempDir;

/// Where the tests run as root each workspace has a user of its own, for the kernel counts
/// processes by user. This is the first.
const FIRST_OWNER: u32 = 61_000;
static OWNERS: AtomicU32 = AtomicU32::new(0);

pub(crate) struct Stage {
    folder: TempDir,
}

impl Stage {
    /// `work/` with `notes.txt`, and beside it `outside/`, both of whose modes allow anything.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stage = Self { folder };
        open(stage.folder.path());
        for path in [stage.work(), stage.outside()] {
            fs::create_dir(&path).unwrap();
            open(&path);
        }
        fs::write(stage.work().join("notes.txt"), "notes\n").unwrap();
        fs::write(stage.outside().join("secret"), "outside\n").unwrap();
        if fs::metadata(stage.work()).unwrap().uid() == 0 {
            let owner = Some(FIRST_OWNER + OWNERS.fetch_add(1, Ordering::Relaxed));
            for path in [stage.work(), stage.work().join("notes.txt")] {
                chown(path, owner, owner).unwrap();
            }
        }
        stage
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    pub(crate) fn workspace(&self) -> Workspace {
        Workspace::open(&self.work(), &[]).unwrap()
    }

    pub(crate) fn confinement(&self, limits: Limits) -> Confinement {
        Confinement {
            limits,
            ..Confinement::of(self.workspace())
        }
    }

    /// The native backend, which every machine that runs the tests has.
    pub(crate) fn sandbox(&self, confinement: Confinement) -> Sandbox {
        let started = Sandbox::start_with(Backend::Native, confinement, intake());
        let (sandbox, enforcement) = started.unwrap();
        assert_eq!(enforcement.backend, Backend::Native);
        sandbox
    }

    /// A line of bash, as a policy allows it that lists bash.
    pub(crate) fn bash(&self, line: &str) -> Allowed {
        let bash = Grammar::new("bash", "what tests need", Operands::All(Use::Text))
            .flags(Takes::One(Use::Text), &["-c"])
            .allows(&["bash -c true"])
            .denies(&["bash -l"]);
        let policy = ShellPolicy::new(vec![bash]).unwrap();
        let command = ["bash", "-c", line].map(str::to_owned).to_vec();
        policy.load(self.workspace(), &[]).allow(command).unwrap()
    }

    pub(crate) fn run_in(&self, sandbox: &Sandbox, line: &str) -> Outcome {
        sandbox
            .run_blocking(&self.bash(line), &Environment::default())
            .unwrap()
    }

    /// Runs a line within `limits`; `OUT` in it is the folder outside.
    pub(crate) fn run_within(&self, limits: Limits, line: &str) -> Outcome {
        let line = line.replace("OUT", &self.outside().display().to_string());
        self.run_in(&self.sandbox(self.confinement(limits)), &line)
    }

    pub(crate) fn run(&self, line: &str) -> Outcome {
        self.run_within(Limits::default(), line)
    }
}

/// Whether any process of the machine has `needle` among its arguments.
pub(crate) fn is_running(needle: &str) -> bool {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(Result::ok)
        .any(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line);
            line.split('\0').any(|word| word == needle)
        })
}

pub(crate) fn intake() -> Intake {
    Intake::new(Gate::default(), Redactor::patterns_only())
}

pub(crate) fn works(outcome: &Outcome) {
    assert_eq!(outcome.exit_code(), 0, "{outcome:?}");
}

pub(crate) fn fails(outcome: &Outcome) {
    assert_ne!(outcome.exit_code(), 0, "{outcome:?}");
}

fn open(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
}
