//! `observe_only` scores and journals what it would have posted; the mailbox and the rules stay
//! as they are.

use std::sync::Arc;

use harness_core::Origin;
use harness_engine::{Config, Harness, Setup};

use crate::a_failure_becomes_a_candidate::LastCallWorked;
use crate::world::{World, events, failing, session};

#[tokio::test(flavor = "multi_thread")]
async fn what_would_have_been_posted_is_journaled_and_not_posted() {
    for observe_only in [true, false] {
        let world = World::new();
        let harness = Harness::open(Setup {
            verifier: Some(Arc::new(LastCallWorked)),
            config: Config {
                observe_only,
                ..Config::default()
            },
            ..world.setup()
        })
        .unwrap();
        let _ = harness.record_turn(failing("s", 0, Origin::Live));
        let settled = harness.settle(&session("s")).await;
        assert_eq!((settled.recorded, settled.alerts), (1, 1));
        let notices = events(&world, "notice");
        assert_eq!(notices.len(), 1);
        assert_eq!(notices[0]["observe_only"], observe_only);
        assert_eq!(settled.notices.is_empty(), observe_only);
        assert_eq!(settled.repair.is_none(), observe_only);
        assert_eq!(events(&world, "rule_add").is_empty(), observe_only);
        assert_eq!(world.file("rules.jsonl").exists(), !observe_only);
    }
}
