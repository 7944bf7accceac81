//! The half that records tool calls is there for whoever guards them: once, beside everything else
//! that the engine writes.

use std::time::Duration;

use harness_engine::Harness;
use harness_store::wire::event::GuardAbort;
use harness_store::{GuardEvent, OpenOptions, Reader, Workspace};

use crate::world::{World, clean, events, session};

#[tokio::test(flavor = "multi_thread")]
async fn and_what_it_records_is_in_the_chain() {
    let world = World::new();
    let harness = Harness::open(world.setup()).unwrap();
    let log = harness.take_guard_log().unwrap();
    assert!(harness.take_guard_log().is_none());

    let abort = GuardAbort {
        session: session("s"),
        reason: clean("by hand"),
    };
    log.append(Duration::from_secs(600), vec![GuardEvent::Abort(abort)])
        .unwrap();
    assert_eq!(events(&world, "guard.session_abort").len(), 1);
    assert!(Reader::open(&world.paths()).unwrap().audit().unwrap().ok);
    assert!(harness.close().await);

    // Whoever guards still may: the workspace is closed when they are gone too.
    let open = || Workspace::open(&world.paths(), OpenOptions::default());
    assert!(open().is_err());
    drop(log);
    assert!(open().is_ok());
}
