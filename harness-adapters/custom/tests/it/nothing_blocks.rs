//! What may wait for a disk or a judge does so elsewhere: on a runtime of one thread, the thread
//! stays the host's.

use std::fs::File;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Waker};

use async_trait::async_trait;
use harness_custom::{
    Config, Conversation, CustomHarness, EmbeddedEvaluator, EvaluationError, Evaluator,
    EvaluatorIdentity, MetricRegistry, Reading, Recorded, Setup, Tier, Trace,
};
use serde_json::json;

use crate::world::{PROMPT, REQUEST, World, begin, fail};

/// Sessions at most until one enters by a call that gave the thread back. A step elsewhere may be
/// over before its first look and a disk may be slow, but not this often in a row; a step on our own
/// thread never gives it back.
const TRIES: usize = 100;

/// Whether a future, looked at once, gives the thread back.
fn gives_way(future: &mut (impl Future + Unpin)) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    Pin::new(future).poll(&mut context).is_pending()
}

/// The lock of all writers, taken.
fn held(world: &World) -> File {
    let lock = File::options()
        .read(true)
        .write(true)
        .open(world.file("state/lock"))
        .unwrap();
    lock.lock().unwrap();
    lock
}

/// A judge that never answers.
struct Silent;

#[async_trait]
impl Evaluator for Silent {
    fn identity(&self) -> EvaluatorIdentity {
        EmbeddedEvaluator.identity()
    }

    fn registry(&self) -> MetricRegistry {
        EmbeddedEvaluator.registry()
    }

    async fn score(&self, _: &Trace, _: Tier) -> Result<Vec<Reading>, EvaluationError> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_turn_is_taken_while_the_judge_hangs_and_the_disk_is_taken() {
    let world = World::new();
    let harness = CustomHarness::open(Setup {
        evaluator: Arc::new(Silent),
        config: Config {
            eval_retries: 0,
            eval_timeout_s: 1,
            ..Config::default()
        },
        ..world.setup()
    })
    .await
    .unwrap();
    let session = begin(&harness, "s").await;
    let lock = held(&world);
    let mut turn = session.turn(REQUEST);
    fail(&mut turn);
    // No await: were anything of it to wait for the lock, this would not come back while it is held.
    assert_eq!(session.record_turn(turn), Recorded::Accepted);
    session.end();
    let mut start = pin!(harness.start(Conversation::new("t", PROMPT)));
    assert!(gives_way(&mut start));
    lock.unlock().unwrap();
    assert!(start.await.is_ok());
    let settled = session.settle().await;
    assert!(settled.complete, "{settled:?}");
    assert_eq!(settled.recorded, 1);
}

#[tokio::test]
async fn a_tool_call_that_enters_a_trial_waits_elsewhere() {
    let world = World::new();
    let harness = world.open().await;
    let first = begin(&harness, "first").await;
    let mut turn = first.turn(REQUEST);
    fail(&mut turn);
    let _ = first.record_turn(turn);
    let repair = first.settle().await.repair.unwrap();
    assert!(repair.new_rule.is_some(), "{repair:?}");

    // A later session enters the rule's trial by reading, which is written before it is answered;
    // one in twenty is in the null arm and enters none.
    for n in 0..TRIES {
        let tools = begin(&harness, &format!("later-{n}")).await.task_tools();
        let search = || tools.call("harness_rules_search", json!({ "query": "read_file" }));
        let lock = held(&world);
        let mut call = pin!(search());
        let waited = gives_way(&mut call);
        assert_eq!(call.await, json!({ "ok": true, "rules": [] }));
        lock.unlock().unwrap();
        let before = world.events("trial_assigned").len();
        // Free again, it enters, unless the disk is slow as well or the session enters none.
        let _ = search().await;
        if world.events("trial_assigned").len() > before && waited {
            return;
        }
    }
    panic!("no call that entered a trial gave the thread back first");
}
