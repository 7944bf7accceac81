//! A place for a workspace, a conversation that fails in it, and a model on the wire that repairs.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use harness_core::{CleanText, ErrorClass, Score, SpanStatus, TurnPayload};
use harness_repair::RepairModel;
use harness_rig::{
    Config, Conversation, EmbeddedEvaluator, EvaluationError, HostHarness, ModelChoice, Redactor,
    Repair, RepairResult, RigRepairModel, Settled, Setup, ToolOutcome, Verified, Verifier,
    WorkspacePaths,
};
use serde_json::{Value, json};

use crate::wire::{Format, Server};

pub(crate) const PROMPT: &str = "You are a careful assistant. Be brief.";
/// A secret of the host's environment.
pub(crate) const SECRET: &str = "correct-horse-battery";
/// A rule that the failure of [`World::fail`] justifies.
pub(crate) const RULE: &str =
    "Before calling `read_file`, call `list_files` and use a name that it returned.";

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

    pub(crate) fn setup(&self, repair: Repair) -> Setup {
        Setup {
            paths: WorkspacePaths {
                root: self.path("root"),
                config_dir: self.path("config"),
            },
            config: Config {
                eval_retry_s: 0,
                // A machine that stalls is not a model that does.
                repair_timeout_s: 600,
                settle_budget_s: 1200,
                ..Config::default()
            },
            evaluator: Arc::new(EmbeddedEvaluator),
            verifier: Some(Arc::new(LastCallWorked)),
            repair,
            redactor: Redactor::with_values([("APP_TOKEN".to_owned(), SECRET.to_owned())]),
            clock: None,
        }
    }

    /// A harness whose failures this model repairs.
    pub(crate) fn repaired_by(&self, model: RigRepairModel) -> Setup {
        let model: Arc<dyn RepairModel> = Arc::new(model);
        self.setup(Repair::With(ModelChoice::Custom(model)))
    }

    /// The events of one kind in the journal.
    pub(crate) fn events(&self, kind: &str) -> Vec<Value> {
        fs::read_to_string(self.path("root/journal.jsonl"))
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .filter(|event: &Value| event["type"] == kind)
            .collect()
    }

    /// What the journal has of the repair, by kind, in order.
    pub(crate) fn repair_events(&self) -> Vec<String> {
        fs::read_to_string(self.path("root/journal.jsonl"))
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone())
            .filter_map(|kind| kind.as_str().map(str::to_owned))
            .filter(|kind| kind.starts_with("repair_"))
            .collect()
    }
}

/// A conversation that fails, and what came of it.
pub(crate) async fn fail(setup: Setup, said: &str) -> Settled {
    let harness = HostHarness::open(setup).await.unwrap();
    let session = harness
        .start(Conversation::new("s-1", PROMPT))
        .await
        .unwrap();
    let mut turn = session.turn("Sum the report of March.");
    turn.call(
        "list_files",
        &json!({ "folder": "inbox" }),
        ToolOutcome::Answered("a.txt"),
    );
    for _ in 0..3 {
        let failed = ToolOutcome::Failed(ErrorClass::NotFound, said);
        turn.call("read_file", &json!({ "path": "march.txt" }), failed);
    }
    turn.reply("I could not find the report.");
    let _ = session.record_turn(turn);
    let settled = session.settle().await;
    drop(session);
    assert!(harness.close().await);
    settled
}

/// One episode with a model on this server.
pub(crate) async fn episode(
    world: &World,
    format: Format,
    server: &Server,
    change: impl FnOnce(&mut Config),
) -> RepairResult {
    let mut setup = world.repaired_by(model(format, &server.url()));
    change(&mut setup.config);
    let settled = fail(setup, "no such file").await;
    assert!(settled.failures.is_empty(), "{settled:?}");
    settled.repair.unwrap()
}

pub(crate) fn model(format: Format, server: &str) -> RigRepairModel {
    let url = format.base_url(server);
    let variables = [(harness_rig::BASE_URL_VARIABLE.to_owned(), url)];
    RigRepairModel::from_spec(format.spec(), variables).unwrap()
}

/// Right if the last call worked.
pub(crate) struct LastCallWorked;

#[async_trait]
impl Verifier for LastCallWorked {
    async fn verify(&self, turn: &TurnPayload) -> Result<Verified, EvaluationError> {
        let last = turn.trace.tool_calls().next_back();
        let worked = last.is_some_and(|span| span.status == SpanStatus::Ok);
        Ok(Verified {
            score: if worked { Score::ONE } else { Score::ZERO },
            reason: CleanText::new("whether the last call worked").unwrap(),
        })
    }
}
