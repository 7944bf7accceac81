//! Plugins that are processes: what they are started with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use harness_core::Tier;
use harness_engine::Evaluator as _;
use harness_plugin::{
    Patience, PluginEvaluator, ProcessError, ProcessFailure, ProcessPlugin, ProcessProgram,
};
use harness_shell::HostCommand;

use crate::library::{Folder, intake, trace};

/// A plugin that is written in another language as the README shows it.
pub(crate) fn as_in_the_readme() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/keeps_to_the_point.py")
}

/// A plugin that does as badly as it is told.
pub(crate) fn misbehaving() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/misbehaves.py")
}

/// More time than any machine takes, and no rest.
pub(crate) const PATIENT: Patience = Patience {
    describe: Duration::from_secs(300),
    call: Duration::from_secs(300),
    replay: Duration::from_secs(300),
    rest: Duration::ZERO,
    longest_rest: Duration::ZERO,
};

/// A script as a program in a folder that it may write.
pub(crate) fn program(folder: &Folder, script: &Path, manner: &str) -> ProcessProgram {
    folder.mode("", 0o777);
    let shown = script.display().to_string();
    let command = HostCommand::new("python3", &["-I", &shown, manner]);
    let mut program = ProcessProgram::new(command, folder.workspace());
    program.needs.reads = vec![script.to_owned()];
    program.patience = PATIENT;
    program
}

pub(crate) async fn start(program: ProcessProgram) -> Result<Arc<ProcessPlugin>, ProcessError> {
    let variables = [("SERVICE_KEY", "x"), ("OTHER_KEY", "y")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let (plugin, enforcement) = ProcessPlugin::start(program, variables, intake()).await?;
    assert!(!enforcement.refused.is_empty());
    Ok(Arc::new(plugin))
}

/// One that misbehaves when it is told so.
pub(crate) struct Told {
    pub(crate) plugin: Arc<ProcessPlugin>,
    evaluator: PluginEvaluator,
}

impl Told {
    pub(crate) async fn start(program: ProcessProgram) -> Self {
        let plugin = start(program).await.unwrap();
        Self {
            evaluator: PluginEvaluator::new(Arc::clone(&plugin)),
            plugin,
        }
    }

    pub(crate) async fn in_folder(folder: &Folder) -> Self {
        Self::start(program(folder, &misbehaving(), "")).await
    }

    /// What came of asking it to score a trace with this request: the reason, or the error.
    pub(crate) async fn told(&self, request: &str) -> Result<String, String> {
        let scored = self.evaluator.score(&trace(request), Tier::Progress).await;
        let readings = scored.map_err(|error| error.to_string())?;
        let reason = readings[0].reason.as_ref().unwrap();
        Ok(reason.as_str().to_owned())
    }

    /// The process that answers.
    pub(crate) async fn process(&self) -> String {
        self.told("who are you").await.unwrap()
    }

    pub(crate) async fn fails(&self, request: &str, failure: ProcessFailure) {
        let told = self.told(request).await.unwrap_err();
        assert_eq!(
            told,
            format!("the evaluator is unavailable: {failure}"),
            "{request}"
        );
    }
}

/// Whether any process of the machine has `needle` among its arguments.
pub(crate) fn is_running(needle: &str) -> bool {
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(Result::ok)
        .any(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line);
            line.split('\0').any(|word| word == needle)
        })
}
