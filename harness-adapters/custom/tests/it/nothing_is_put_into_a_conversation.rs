//! What an agent hears is what its host says, also once its failures are notices and rules.

use async_trait::async_trait;
use harness_custom::{AgentError, HarnessSession, TaskAgent, TurnReport, drive};

use crate::world::{World, begin, fail};

/// Fails, and remembers what it heard.
struct Listening(Vec<String>);

#[async_trait]
impl TaskAgent for Listening {
    async fn turn(
        &mut self,
        _: &HarnessSession,
        user: &str,
        turn: &mut TurnReport,
    ) -> Result<(), AgentError> {
        self.0.push(HarnessSession::task_preamble().to_owned());
        self.0.push(user.to_owned());
        fail(turn);
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_hears_its_host_alone() {
    const REQUESTS: [&str; 2] = ["sum", "and again"];
    let world = World::new();
    let harness = world.open().await;
    let mut agent = Listening(Vec::new());
    for conversation in ["first", "second"] {
        let session = begin(&harness, conversation).await;
        let driven = drive(session, &mut agent, REQUESTS).await;
        assert!(driven.failure.is_none());
    }
    assert!(!world.events("notice").is_empty());
    assert_eq!(world.events("rule_add").len(), 1);
    let told: Vec<&str> = agent.0.iter().map(String::as_str).collect();
    let [first, second] = REQUESTS.map(|request| [HarnessSession::task_preamble(), request]);
    assert_eq!(told, [first, second, first, second].concat());
}
