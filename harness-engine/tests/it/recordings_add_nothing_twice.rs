//! A recorded conversation read again posts, bills and adds nothing.

use harness_core::Origin;

use crate::world::{World, failing, session};

#[tokio::test(flavor = "multi_thread")]
async fn the_second_reading_changes_no_byte_of_the_journal() {
    let world = World::new();
    let name = session("rec-1");
    let mut journals = Vec::new();
    for _ in 0..2 {
        let harness = world.open(None);
        for index in 0..8 {
            let _ = harness.record_turn(failing("rec-1", index, Origin::Recorded));
            let settled = harness.settle(&name).await;
            assert!(
                settled.complete && settled.failures.is_empty(),
                "{settled:?}"
            );
        }
        harness.end_session(&name);
        assert!(harness.close().await);
        journals.push(std::fs::read(world.file("journal.jsonl")).unwrap());
    }
    assert_eq!(journals[0], journals[1]);
    let text = String::from_utf8(journals.remove(0)).unwrap();
    assert!(text.contains("\"type\":\"notice\""), "{text}");
    assert!(!text.contains("trial_assigned"));
}
