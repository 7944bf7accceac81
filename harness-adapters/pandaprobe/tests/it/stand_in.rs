//! A platform whose answers a test writes beforehand.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use harness_core::{CleanText, Tier, Trace, TraceId};
use harness_engine::{Evaluator as _, Reading, ReadingValue};
use harness_pandaprobe::{Memory, PandaprobeEvaluator, Platform, Settings};
use harness_sanitize::{Gate, Intake, Redactor};
use serde_json::{Value, json};

pub(crate) const TRACE: &str = "a1b2c3d4-0001-4000-8000-000000000001";
/// A key that must be seen nowhere.
pub(crate) const KEY: &str = "correct-horse-battery";

pub(crate) struct StandIn {
    folder: tempfile::TempDir,
}

impl StandIn {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand_in/pandaprobe");
        // Linked, not written: a file that was just written may not be run yet.
        symlink(script, folder.path().join("pandaprobe")).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What it answers from now on.
    pub(crate) fn set(&self, name: &str, content: &str) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn unset(&self, name: &str) {
        fs::remove_file(self.path(name)).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// What it was asked, without what the calls say of options.
    pub(crate) fn calls(&self) -> Vec<String> {
        let calls = self.read("calls");
        calls
            .lines()
            .map(|call| call.split(" --").next().unwrap().to_owned())
            .collect()
    }

    pub(crate) fn count(&self, call: &str) -> usize {
        self.calls()
            .iter()
            .filter(|known| known.starts_with(call))
            .count()
    }

    pub(crate) fn settings(&self) -> Settings {
        let variables = [
            ("PANDAPROBE_API_KEY", KEY),
            ("PANDAPROBE_PROJECT_NAME", "shelves"),
            ("DATABASE_URL", "postgres://u:p@h"),
            ("LD_PRELOAD", "/tmp/x.so"),
        ];
        let owned = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Settings {
            deadline: Duration::from_secs(60),
            polls: 6,
            interval: Duration::from_millis(1),
            health_holds: Duration::ZERO,
            ..Settings::new(self.path("pandaprobe"), owned)
        }
    }

    pub(crate) fn platform_with(&self, settings: Settings) -> Platform {
        let redactor = Redactor::with_values([("PANDAPROBE_API_KEY".to_owned(), KEY.to_owned())]);
        Platform::new(settings, Intake::new(Gate::default(), redactor))
    }

    pub(crate) fn platform(&self) -> Platform {
        self.platform_with(self.settings())
    }

    /// An evaluator with the memory that is on disk: what a restart leaves.
    pub(crate) fn evaluator(&self) -> PandaprobeEvaluator {
        PandaprobeEvaluator::new(self.platform(), self.memory())
    }

    pub(crate) fn memory(&self) -> Arc<Memory> {
        Arc::new(Memory::at(self.path("memory.json")))
    }
}

pub(crate) fn trace_of(id: &str) -> Trace {
    Trace::new(TraceId::parse(id).unwrap(), CleanText::empty(), Vec::new())
}

/// A list of scores of [`TRACE`] on one line, as the stand-in answers one at a time.
pub(crate) fn scores(of: &[(&str, Value)]) -> String {
    let list: Vec<Value> = of
        .iter()
        .map(|(name, value)| {
            json!({
                "trace_id": TRACE, "name": name, "value": value, "status": "SUCCESS",
                "source": "AUTOMATED", "reason": format!("why {name}"),
            })
        })
        .collect();
    json!(list).to_string()
}

pub(crate) fn both() -> String {
    scores(&[
        ("task_completion", json!("0.25")),
        ("coherence", json!(0.75)),
    ])
}

/// Each metric with its score, or with "pending".
pub(crate) fn told(readings: &[Reading]) -> Vec<String> {
    readings
        .iter()
        .map(|reading| match reading.value {
            ReadingValue::Scored(score) => format!("{} {score}", reading.metric),
            ReadingValue::Pending => format!("{} pending", reading.metric),
            ReadingValue::Silent => format!("{} silent", reading.metric),
        })
        .collect()
}

pub(crate) async fn progress(evaluator: &PandaprobeEvaluator) -> Vec<String> {
    told(
        &evaluator
            .score(&trace_of(TRACE), Tier::Progress)
            .await
            .unwrap(),
    )
}
