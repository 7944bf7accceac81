//! What earlier turns left behind is on disk: a stall that began before a restart is seen after it,
//! and a score that never came is missing whoever ends the session.

use std::sync::Arc;

use harness_core::Origin;
use harness_engine::{Evaluator, Harness, Setup};
use serde_json::{Value, json};

use crate::a_failure_becomes_a_candidate::LastCallWorked;
use crate::a_late_score_is_taken_up::Mute;
use crate::world::{World, events, failing, fine, session};

#[tokio::test(flavor = "multi_thread")]
async fn a_stall_is_seen_across_restarts() {
    let world = World::new();
    for index in 0..6 {
        assert!(events(&world, "notice").is_empty(), "before turn {index}");
        let harness = world.open(None);
        let _ = harness.record_turn(failing("s", index, Origin::Live));
        assert!(harness.settle(&session("s")).await.complete);
        assert!(harness.close().await);
    }
    let notices = events(&world, "notice");
    let signatures = notices[0]["signatures"].to_string();
    assert!(signatures.contains("stall:task_completion"), "{signatures}");
}

/// Runs a session of two turns with a restart between them, its first turn judged or not. The
/// causes of the outcomes that its end settles.
async fn outcome_of(name: &str, world: &World, judge: &Arc<Mute>, is_mute: bool) -> Vec<Value> {
    let open = || {
        Harness::open(Setup {
            evaluator: Arc::clone(judge) as Arc<dyn Evaluator>,
            verifier: Some(Arc::new(LastCallWorked)),
            ..world.setup()
        })
        .unwrap()
    };
    let (name, before) = (session(name), events(world, "trial_observed").len());
    let harness = open();
    let task = harness.begin_session(&name, None).await.unwrap();
    let query = json!({ "query": "read_file" });
    let _ = task.call("harness_rules_search", &query);
    drop(task);
    judge.is_mute(is_mute);
    let _ = harness.record_turn(fine(name.as_str(), 0, Origin::Live));
    assert!(harness.settle(&name).await.complete);
    judge.is_mute(false);
    assert!(harness.close().await);
    let harness = open();
    let _ = harness.record_turn(fine(name.as_str(), 1, Origin::Live));
    harness.end_session(&name);
    assert!(harness.settle(&name).await.complete);
    assert!(harness.close().await);
    let observed = events(world, "trial_observed").into_iter().skip(before);
    observed.map(|event| event["cause"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_score_that_never_came_counts_after_a_restart_too() {
    let (world, judge) = (World::new(), Arc::new(Mute::default()));
    let harness = world.open(Some(Arc::new(LastCallWorked)));
    let _ = harness.record_turn(failing("s", 0, Origin::Live));
    let repair = harness.settle(&session("s")).await.repair.unwrap();
    assert!(repair.new_rule.is_some());
    assert!(harness.close().await);
    for (is_mute, cause) in [(true, "missing"), (false, "closed")] {
        // A session of the null arm enters no trial; one in twenty is.
        let mut causes = Vec::new();
        for number in 0..40 {
            let name = format!("{cause}-{number}");
            causes = outcome_of(&name, &world, &judge, is_mute).await;
            if !causes.is_empty() {
                break;
            }
        }
        assert_eq!(causes, [cause]);
    }
}
