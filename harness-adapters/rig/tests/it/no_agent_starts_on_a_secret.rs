//! An agent whose system prompt holds a secret does not start, and the error does not quote it. The
//! same prompt without it starts.

use harness_rig::{Conversation, HarnessAgent, HostHarness, Repair, StartError};

use crate::wire::{Format, Line, Server, says};
use crate::world::{PROMPT, SECRET, World, model};

#[tokio::test(flavor = "multi_thread")]
async fn by_value_and_by_shape() {
    let world = World::new();
    let harness = HostHarness::open(world.setup(Repair::Off)).await.unwrap();
    let server = Server::saying(vec![Line::Body(Format::OpenAi.body(&says("Good.")))]);
    let start = async |prompt: &str| {
        let model = model(Format::OpenAi, &server.url()).into_inner();
        HarnessAgent::start(&harness, Conversation::new("s", prompt), model).await
    };
    // Split, so that nobody mistakes it for one.
    let shaped = format!("{}{}", "AKIA", "QWERTZUIOPASDFGH");
    for secret in [SECRET, &shaped] {
        let refused = start(&format!("{PROMPT} Log in with {secret}."))
            .await
            .err()
            .unwrap();
        assert!(matches!(refused, StartError::Prompt(_)), "{refused:?}");
        assert!(!format!("{refused} {refused:?}").contains(secret));
    }
    assert!(server.heard().is_empty() && world.events("session_opened").is_empty());

    let mut agent = start(&format!("{PROMPT} Log in with the tool."))
        .await
        .unwrap()
        .build();
    assert_eq!(agent.prompt("Hello?").await.as_deref(), Ok("Good."));
    assert_eq!(world.events("session_opened").len(), 1);
}
