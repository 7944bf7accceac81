//! The libraries that the examples are built into, and folders to put them in.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::OnceLock;

use harness_core::{Arguments, CleanText, Span, SpanKind, SpanStatus, Speaker, Trace, TraceId};
use harness_plugin::{LoadedPlugin, Pin, PinnedFile};
use harness_sanitize::{Gate, Intake, Redactor};

/// A plugin that is written with this crate.
pub(crate) const WITH_THE_TRAIT: &str = "keeps_to_the_point";
/// A plugin that is written by the ABI alone.
pub(crate) const BY_HAND: &str = "by_the_abi_alone";

/// The bytes of an example's library; it is built if nobody has.
pub(crate) fn bytes_of(example: &str) -> Vec<u8> {
    static BUILT: OnceLock<()> = OnceLock::new();
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    let path = |example: &str| profile.join(format!("examples/lib{example}.so"));
    BUILT.get_or_init(|| {
        if path(WITH_THE_TRAIT).exists() && path(BY_HAND).exists() {
            return;
        }
        let status = Command::new(env!("CARGO"))
            .args([
                "build",
                "--quiet",
                "--package",
                "harness-plugin",
                "--examples",
            ])
            .arg("--target-dir")
            .arg(profile.parent().unwrap())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .unwrap();
        assert!(status.success());
    });
    fs::read(path(example)).unwrap()
}

/// A folder of this user's alone, with files in it.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.mode("", 0o700);
        folder
    }

    /// As the workspace of a process.
    pub(crate) fn workspace(&self) -> harness_shell::Workspace {
        harness_shell::Workspace::open(self.0.path(), &[]).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file that only this user can write.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        self.mode(name, 0o600);
        path
    }

    pub(crate) fn mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
}

pub(crate) fn intake() -> Intake {
    Intake::new(Gate::default(), Redactor::patterns_only())
}

/// Loads a file as the one that it is.
pub(crate) async fn load(path: &Path, bytes: &[u8]) -> Arc<LoadedPlugin> {
    let file = PinnedFile::open(path, Pin::of(bytes)).unwrap();
    Arc::new(LoadedPlugin::load(file, intake()).await.unwrap())
}

/// A trace of one reply to `request`.
pub(crate) fn trace(request: &str) -> Trace {
    let clean = |text: &str| CleanText::new(text.to_owned()).unwrap();
    let reply = Span {
        kind: SpanKind::Llm,
        name: clean("m"),
        speaker: Speaker::Agent,
        arguments: Arguments::none(),
        output: clean("done"),
        status: SpanStatus::Ok,
        started_at: None,
        ended_at: None,
        tokens: None,
    };
    Trace::new(TraceId::parse("t").unwrap(), clean(request), vec![reply])
}
