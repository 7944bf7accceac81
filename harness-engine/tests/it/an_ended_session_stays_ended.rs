//! A session ends when its host says so, after a silence or after twenty turns, and is not opened
//! again.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use harness_core::{Origin, Timestamp};
use harness_engine::{Harness, HarnessError, Setup};

use crate::world::{World, events, fine, session};

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_after_the_end_is_skipped_and_journaled_once() {
    let world = World::new();
    let harness = world.open(None);
    let name = session("s");
    let _ = harness.record_turn(fine("s", 0, Origin::Live));
    harness.end_session(&name);
    for _ in 0..2 {
        let _ = harness.record_turn(fine("s", 1, Origin::Live));
    }
    let settled = harness.settle(&name).await;
    assert_eq!(settled.recorded, 1);
    assert_eq!(events(&world, "session_closed").len(), 1);
    let skips = events(&world, "skip");
    assert_eq!(skips.len(), 1);
    assert_eq!(skips[0]["reason"], "session_closed");
    let again = harness.begin_session(&name, None).await;
    assert!(matches!(again, Err(HarnessError::SessionEnded)));
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_turns_end_a_session() {
    let world = World::new();
    let harness = world.open(None);
    for index in 0..20 {
        assert!(events(&world, "session_closed").is_empty());
        let _ = harness.record_turn(fine("s", index, Origin::Live));
        assert!(harness.settle(&session("s")).await.complete);
    }
    assert_eq!(events(&world, "session_closed")[0]["reason"], "turns");
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_ends_a_session_also_one_of_an_earlier_process() {
    let world = World::new();
    let micros = Arc::new(AtomicI64::new(1_800_000_000_000_000));
    let open = || {
        let micros = Arc::clone(&micros);
        let clock: harness_store::Clock =
            Arc::new(move || Timestamp::from_micros(micros.load(Ordering::Relaxed)));
        Harness::open(Setup {
            clock: Some(clock),
            ..world.setup()
        })
        .unwrap()
    };
    let wait = |seconds: i64| {
        micros.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    };
    let earlier = open();
    earlier.begin_session(&session("old"), None).await.unwrap();
    assert!(earlier.close().await);

    let harness = open();
    harness.begin_session(&session("new"), None).await.unwrap();
    wait(1799);
    harness.end_silent_sessions().await.unwrap();
    assert!(events(&world, "session_closed").is_empty());
    wait(1);
    harness.end_silent_sessions().await.unwrap();
    assert!(harness.settle(&session("new")).await.complete);
    let closed = events(&world, "session_closed");
    assert_eq!(closed.len(), 1, "{closed:?}");
    assert_eq!(closed[0]["session"], "new");
    // The old one was first looked for at 1799 s.
    wait(1799);
    harness.end_silent_sessions().await.unwrap();
    assert_eq!(events(&world, "session_closed").len(), 2);
}
