//! A driven agent's turns are reported as they were, also the one in which it broke off.

use async_trait::async_trait;
use harness_custom::{AgentError, HarnessSession, TaskAgent, TurnReport, drive};

use crate::world::{World, begin, fail, succeed};

/// Does as it is told.
struct Obedient;

#[async_trait]
impl TaskAgent for Obedient {
    async fn turn(
        &mut self,
        _: &HarnessSession,
        user: &str,
        turn: &mut TurnReport,
    ) -> Result<(), AgentError> {
        match user {
            "break" => return Err("the model is out of reach".into()),
            "work and break" => {
                succeed(turn);
                return Err("the model is out of reach".into());
            }
            "fail" => fail(turn),
            _ => succeed(turn),
        }
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_turn_is_reported_and_the_session_ended() {
    let world = World::new();
    let harness = world.open().await;
    let session = begin(&harness, "s").await;
    let driven = drive(session, &mut Obedient, ["work", "fail"]).await;
    assert_eq!((driven.accepted, driven.refused), (2, 0));
    assert!(driven.failure.is_none());
    assert_eq!((driven.settled.recorded, driven.settled.alerts), (2, 1));
    assert!(driven.settled.repair.is_some());
    assert_eq!(world.events("session_closed").len(), 1);
    assert!(harness.close().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_breaks_off_ends_the_conversation() {
    for (requests, accepted) in [
        (["work", "break", "work"], 1),
        (["work", "work and break", "work"], 2),
    ] {
        let world = World::new();
        let harness = world.open().await;
        let session = begin(&harness, "s").await;
        let driven = drive(session, &mut Obedient, requests).await;
        assert_eq!(driven.accepted, accepted);
        assert_eq!(
            driven.failure.unwrap().to_string(),
            "the model is out of reach"
        );
        assert_eq!(driven.settled.recorded, accepted);
        assert_eq!(world.events("session_closed").len(), 1);
    }
}
