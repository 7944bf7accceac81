//! A repair is no activity of the task's: it runs in a task of its own, its trace goes to its own
//! sink or nowhere, and what is kept of the task is the same either way.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use harness_core::{CleanString, Origin, RepairStatus, Timestamp};
use harness_engine::{
    Harness, ModelChoice, Repair, RepairModel, RepairTrace, Settled, Setup, TraceSink,
};
use harness_repair::{ModelError, ModelReply, ModelRequest};
use serde_json::Value;
use tokio::task::Id;

use crate::a_failure_becomes_a_candidate::LastCallWorked;
use crate::world::{World, clean, events, failing, session};

/// How long a test waits for what has to come.
const PATIENCE: Duration = Duration::from_secs(600);

#[derive(Default)]
struct Kept(Mutex<Vec<RepairTrace>>);

impl TraceSink for Kept {
    fn take(&self, trace: RepairTrace) {
        self.0.lock().unwrap().push(trace);
    }
}

async fn fail(world: &World, repair: Repair) -> Settled {
    let harness = Harness::open(Setup {
        verifier: Some(Arc::new(LastCallWorked)),
        repair,
        clock: Some(Arc::new(|| Timestamp::from_micros(1_900_000_000_000_000))),
        ..world.setup()
    })
    .unwrap();
    let name = session("s-1");
    harness.begin_session(&name, None).await.unwrap();
    let _ = harness.record_turn(failing("s-1", 0, Origin::Live));
    let settled = harness.settle(&name).await;
    assert!(harness.close().await);
    settled
}

/// What is kept of the task: each file of traces, and each score; a notice's id is made at random.
fn kept_of_the_task(world: &World) -> (BTreeMap<String, Value>, String) {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(world.file("traces")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let name = if name.starts_with("n-") {
            "notice"
        } else {
            name
        };
        let content = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        files.insert(name.to_owned(), content);
    }
    let scores = std::fs::read_to_string(world.file("state/scores/00000000.jsonl"));
    (files, scores.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn task_traces_are_the_same_with_it_and_without() {
    let without = World::new();
    let settled = fail(&without, Repair::With(ModelChoice::Builtin)).await;
    assert!(settled.repair.is_some());

    let with = World::new();
    let sink = Arc::new(Kept::default());
    let traced = Repair::Traced(ModelChoice::Builtin, sink.clone());
    let repair = fail(&with, traced).await.repair.unwrap();
    let traces = sink.0.lock().unwrap().clone();
    assert_eq!(traces.len(), 1);
    assert_eq!(traces[0].repair_session, repair.repair_session);
    assert_eq!(
        (traces[0].status, repair.status),
        (RepairStatus::CandidateAdded, repair.status)
    );
    assert_eq!(traces[0].turns.len(), repair.usage.turns as usize);
    let calls: usize = traces[0].turns.iter().map(|turn| turn.calls.len()).sum();
    assert_eq!(calls, repair.usage.tool_calls as usize);

    let kept = kept_of_the_task(&with);
    assert_eq!(kept, kept_of_the_task(&without));
    assert!(!kept.0.is_empty() && !kept.1.contains("repair-"));
    for world in [&with, &without] {
        assert_eq!(events(world, "session_opened").len(), 1);
    }
}

/// A model that notes which task it is asked in.
#[derive(Default)]
struct Noting(Mutex<Vec<Option<Id>>>);

#[async_trait]
impl RepairModel for Noting {
    fn name(&self) -> CleanString {
        clean("noting")
    }

    async fn reply(&self, _request: ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        self.0.lock().unwrap().push(tokio::task::try_id());
        Err(ModelError::Rejected)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_runs_in_a_task_of_its_own() {
    let world = World::new();
    let model = Arc::new(Noting::default());
    let repair = Repair::With(ModelChoice::Custom(model.clone()));
    let hosts = tokio::spawn(async move {
        let settled = fail(&world, repair).await;
        assert_eq!(settled.repair.unwrap().status, RepairStatus::Failed);
        tokio::task::id()
    })
    .await
    .unwrap();
    let asked = model.0.lock().unwrap().clone();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].is_some_and(|id| id != hosts), "{asked:?}");
}

/// A model that panics is the host's fault, and not the end of its loop.
struct Panicking;

#[async_trait]
impl RepairModel for Panicking {
    fn name(&self) -> CleanString {
        clean("panicking")
    }

    async fn reply(&self, _request: ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        panic!("a model of the host's")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_panics_ends_its_own_task_alone() {
    let world = World::new();
    let repair = Repair::With(ModelChoice::Custom(Arc::new(Panicking)));
    let settled = fail(&world, repair).await;
    assert!(settled.complete && settled.repair.is_none());
    assert_eq!((settled.failures.len(), settled.notices.len()), (1, 1));
    // The end of the attempt is written behind this.
    let written = async {
        while events(&world, "repair_cancelled").is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, written).await.unwrap();
}
