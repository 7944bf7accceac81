//! A place for a workspace, and turns to report.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use harness_custom::{
    CleanText, Config, Conversation, CustomHarness, EmbeddedEvaluator, ErrorClass, EvaluationError,
    HarnessSession, ModelChoice, Redactor, Repair, Score, Setup, SpanStatus, ToolOutcome,
    TurnPayload, TurnReport, Verified, Verifier, WorkspacePaths,
};
use serde_json::{Value, json};

pub(crate) const REQUEST: &str = "Sum the report of March.";
pub(crate) const PROMPT: &str = "You are a careful assistant. Be brief.";
/// A secret of the host's environment.
pub(crate) const SECRET: &str = "correct-horse-battery";

pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// A file of the workspace.
    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.path("root").join(path)
    }

    pub(crate) fn setup(&self) -> Setup {
        Setup {
            paths: WorkspacePaths {
                root: self.path("root"),
                config_dir: self.path("config"),
            },
            config: Config {
                eval_retry_s: 0,
                ..Config::default()
            },
            evaluator: Arc::new(EmbeddedEvaluator),
            verifier: Some(Arc::new(LastCallWorked)),
            repair: Repair::With(ModelChoice::Builtin),
            redactor: Redactor::with_values([("APP_TOKEN".to_owned(), SECRET.to_owned())]),
            clock: None,
        }
    }

    pub(crate) async fn open(&self) -> CustomHarness {
        CustomHarness::open(self.setup()).await.unwrap()
    }

    /// The events of one kind in the journal.
    pub(crate) fn events(&self, kind: &str) -> Vec<Value> {
        fs::read_to_string(self.file("journal.jsonl"))
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .filter(|event: &Value| event["type"] == kind)
            .collect()
    }

    /// Every file of the workspace, and what is in it.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.path("root"), &mut files);
        files
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

/// Right if the last call worked.
pub(crate) struct LastCallWorked;

#[async_trait]
impl Verifier for LastCallWorked {
    async fn verify(&self, turn: &TurnPayload) -> Result<Verified, EvaluationError> {
        let worked = turn
            .trace
            .tool_calls()
            .next_back()
            .is_some_and(|span| span.status == SpanStatus::Ok);
        Ok(Verified {
            score: if worked { Score::ONE } else { Score::ZERO },
            reason: CleanText::new("whether the last call worked").unwrap(),
        })
    }
}

pub(crate) async fn begin(harness: &CustomHarness, id: &str) -> HarnessSession {
    harness.start(Conversation::new(id, PROMPT)).await.unwrap()
}

/// What a failing turn's tool says when a file is not there.
pub(crate) const MISSING: &str = "no such file";

/// A turn in which a file is asked for by a guessed name, again and again.
pub(crate) fn fail(turn: &mut TurnReport) {
    turn.call(
        "list_files",
        &json!({ "folder": "inbox" }),
        ToolOutcome::Answered("a.txt b.txt"),
    );
    for _ in 0..3 {
        turn.call(
            "read_file",
            &json!({ "path": "march.txt" }),
            ToolOutcome::Failed(ErrorClass::NotFound, MISSING),
        );
    }
    turn.reply("I could not find the report.");
}

/// A turn in which everything goes well.
pub(crate) fn succeed(turn: &mut TurnReport) {
    turn.call(
        "read_file",
        &json!({ "path": "a.txt" }),
        ToolOutcome::Answered("12"),
    )
    .reply("The sum is 12.");
}
