//! What the gate remembers is on disk: a stall that began before a restart is seen after it.

use harness_core::Origin;

use crate::world::{World, events, failing, session};

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
