//! More than five notices of one principal in ten minutes pause repair; evaluation goes on; an
//! operator resumes.

use std::sync::Arc;

use harness_core::{Origin, Principal, Timestamp};
use harness_sanitize::Redactor;
use harness_store::{OpenOptions, Workspace};

use crate::a_failure_becomes_a_candidate::LastCallWorked;
use crate::world::{World, clean, events, failing, session};

#[tokio::test(flavor = "multi_thread")]
async fn the_sixth_notice_trips_it_and_an_operator_resumes() {
    let world = World::new();
    let harness = world.open(Some(Arc::new(LastCallWorked)));
    let start = Timestamp::from_micros(1_800_000_000_000_000);
    for number in 0..8 {
        let name = format!("s-{number}");
        let mut turn = failing(&name, 0, Origin::Live);
        turn.principal = Some(Principal::parse("ann").unwrap());
        turn.ended_at = Some(start.plus_seconds(number));
        let _ = harness.record_turn(turn);
        let settled = harness.settle(&session(&name)).await;
        assert_eq!((settled.recorded, settled.alerts), (1, 1), "{settled:?}");
        // Repair goes on up to the notice that trips the breaker.
        assert_eq!(
            settled.repair.is_some(),
            number < 5,
            "{number}: {settled:?}"
        );
    }
    let states: Vec<String> = events(&world, "breaker")
        .iter()
        .map(|event| event["state"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(states, ["tripped", "suppressed", "suppressed"]);
    let needs_human = events(&world, "notice")
        .iter()
        .filter(|notice| notice["severity"] == "needs_human")
        .count();
    assert_eq!(needs_human, 1);
    assert!(harness.close().await);

    // The state survives; an operator clears it; then the notice that waited is repaired.
    let options = OpenOptions {
        redactor: Arc::new(Redactor::patterns_only()),
        ..OpenOptions::default()
    };
    let halves = Workspace::open(&world.paths(), options).unwrap();
    let desks = harness_rules::Desks::of(halves, Default::default(), Default::default());
    desks.operator.resume(clean("looked into it")).unwrap();
    drop(desks);
    let harness = world.open(Some(Arc::new(LastCallWorked)));
    let mut turn = failing("s-9", 0, Origin::Live);
    turn.principal = Some(Principal::parse("ann").unwrap());
    turn.ended_at = Some(start.plus_seconds(60));
    let _ = harness.record_turn(turn);
    assert!(harness.settle(&session("s-9")).await.repair.is_some());
}
