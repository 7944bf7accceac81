//! The example works, offline: notice, episode, candidate, and a trial that opens.

use harness_core::RepairStatus;

use crate::example;
use crate::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn from_a_failure_to_a_trial() {
    let world = World::new();
    let settled = example::offline(&world.path("desk")).await.unwrap();
    assert!(settled.failures.is_empty(), "{settled:?}");
    assert_eq!(settled.notices.len(), 1, "{settled:?}");
    let repair = settled.repair.unwrap();
    assert_eq!(repair.status, RepairStatus::CandidateAdded);
    let journal = std::fs::read_to_string(world.path("desk/root/journal.jsonl")).unwrap();
    for kind in example::SHOWN {
        let events = journal.matches(&format!("\"type\":\"{kind}\"")).count();
        assert_eq!(events, 1, "{kind}");
    }
}
