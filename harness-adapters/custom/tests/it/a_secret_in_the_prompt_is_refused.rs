//! No session starts on a system prompt with a secret in it; the error names the kind and the
//! place, never the value. The same prompt without it starts.

use harness_custom::{Conversation, StartError};

use crate::world::{PROMPT, SECRET, World};

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_refused_and_the_same_prompt_without_it_starts() {
    let world = World::new();
    let harness = world.open().await;
    // Split, so that nobody mistakes it for one.
    let shaped = format!("{}{}", "AKIA", "QWERTZUIOPASDFGH");
    for (secret, kind) in [(SECRET, "known-value"), (shaped.as_str(), "aws-access-key")] {
        let prompt = format!("{PROMPT} Use {secret} to log in.");
        let refused = harness.start(Conversation::new("s", &prompt)).await.err();
        let Some(StartError::Prompt(found)) = refused else {
            panic!("{kind}: {refused:?}");
        };
        assert_eq!((found.kind.name(), found.at), (kind, PROMPT.len() + 5));
        assert!(!format!("{found} {found:?}").contains(secret));
        assert!(found.to_string().contains(kind));
    }
    // Nothing of a refused start is in the journal.
    assert!(world.events("session_opened").is_empty());
    let prompt = format!("{PROMPT} Use the tool to log in.");
    assert!(harness.start(Conversation::new("s", &prompt)).await.is_ok());
    assert_eq!(world.events("session_opened").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_of_a_repair_session_is_refused_and_journaled() {
    let world = World::new();
    let harness = world.open().await;
    let start = async |id| harness.start(Conversation::new(id, PROMPT)).await;
    for id in ["repair-1", "a/b"] {
        assert!(matches!(start(id).await, Err(StartError::Id(_))), "{id}");
    }
    let skips = world.events("skip");
    assert_eq!(skips.len(), 1);
    assert_eq!(skips[0]["session_id"], "repair-1");
    assert!(start("repairs").await.is_ok());
}
