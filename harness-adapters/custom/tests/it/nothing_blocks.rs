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

/// Looks or calls at most. A step that ends elsewhere may be over before its first look, and a
/// disk may be slow: neither happens this often in a row. A step on our own thread never gives way.
const TRIES: usize = 100;

/// Whether a future, looked at once, gives the thread back.
fn gives_way(future: &mut (impl Future + Unpin)) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    Pin::new(future).poll(&mut context).is_pending()
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
    let lock = File::options()
        .read(true)
        .write(true)
        .open(world.file("state/lock"))
        .unwrap();
    lock.lock().unwrap();
    let mut turn = session.turn(REQUEST);
    fail(&mut turn);
    // No await: were anything of it to wait for the lock, this would not come back while it is held.
    assert_eq!(session.record_turn(turn), Recorded::Accepted);
    session.end();
    let mut waits = 0;
    for n in 0..TRIES {
        let id = format!("t{n}");
        let mut start = pin!(harness.start(Conversation::new(&id, PROMPT)));
        if gives_way(&mut start) {
            waits += 1;
            lock.unlock().unwrap();
            assert!(start.await.is_ok());
            break;
        }
    }
    assert_eq!(waits, 1);
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

    // A later session enters the rule's trial by reading, which is written before it is answered.
    let tools = begin(&harness, "second").await.task_tools();
    let lock = File::options()
        .read(true)
        .write(true)
        .open(world.file("state/lock"))
        .unwrap();
    lock.lock().unwrap();
    let mut waits = 0;
    for _ in 0..TRIES {
        let mut call = pin!(tools.call("harness_rules_search", json!({ "query": "read_file" })));
        if gives_way(&mut call) {
            waits += 1;
            assert_eq!(call.await, json!({ "ok": true, "rules": [] }));
            break;
        }
    }
    lock.unlock().unwrap();
    assert_eq!(waits, 1);
    assert!(world.events("trial_assigned").is_empty());
    // Free again, it is entered, at the latest once the machine gives the disk 250 ms.
    for _ in 0..TRIES {
        if world.events("trial_assigned").is_empty() {
            let query = json!({ "query": "read_file" });
            let _ = tools.call("harness_rules_search", query).await;
        }
    }
    assert_eq!(world.events("trial_assigned").len(), 1);
}
