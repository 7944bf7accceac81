//! A turn reported step by step leads to the same notice as the same turn read from a recording.

use harness_core::{Origin, SessionId, TurnPayload};
use harness_engine::Harness;
use harness_sanitize::{Gate, Intake};
use harness_traces::{Limits, Reader};
use serde_json::{Value, json};

use crate::world::{MISSING, REQUEST, World, begin, fail, succeed};

/// The turn of [`fail`], as an OpenAI host would have recorded it.
fn recording() -> Value {
    let call = |id: &str, name: &str, arguments: Value| {
        json!({"role": "assistant", "content": null, "tool_calls": [{
            "id": id, "type": "function",
            "function": {"name": name, "arguments": arguments.to_string()},
        }]})
    };
    let result =
        |id: &str, content: &str| json!({"role": "tool", "tool_call_id": id, "content": content});
    let mut messages = vec![
        json!({"role": "user", "content": REQUEST}),
        call("0", "list_files", json!({ "folder": "inbox" })),
        result("0", "a.txt b.txt"),
    ];
    for id in ["1", "2", "3"] {
        messages.push(call(id, "read_file", json!({ "path": "march.txt" })));
        let mut failed = result(id, MISSING);
        failed["is_error"] = true.into();
        messages.push(failed);
    }
    messages.push(json!({"role": "assistant", "content": "I could not find the report."}));
    json!({ "session_id": "s", "messages": messages })
}

/// The one notice of a workspace, without what no two notices share.
fn notice(world: &World) -> Value {
    let [mut notice] = <[Value; 1]>::try_from(world.events("notice")).unwrap();
    for key in [
        "seq",
        "prev",
        "ts",
        "id",
        "created_at",
        "turn_time",
        "dump_path",
    ] {
        assert!(
            notice.as_object_mut().unwrap().remove(key).is_some(),
            "{key}"
        );
    }
    notice
}

#[tokio::test(flavor = "multi_thread")]
async fn the_notices_are_alike() {
    let reported = World::new();
    let harness = reported.open().await;
    let session = begin(&harness, "s").await;
    let mut turn = session.turn(REQUEST);
    fail(&mut turn);
    let _ = session.record_turn(turn);
    let settled = session.settle().await;
    assert!(
        settled.complete && settled.failures.is_empty(),
        "{settled:?}"
    );
    assert_eq!((settled.notices.len(), settled.alerts), (1, 1));

    let read = World::new();
    assert!(read.open().await.close().await);
    let intake = Intake::new(Gate::default(), read.setup().redactor);
    let document = Reader::new(&intake, Limits::default())
        .read_document(recording().to_string().as_bytes(), |_| unreachable!());
    let id = SessionId::parse("s").unwrap();
    let trace = document.conversations[0].turns[0].clone();
    let harness = Harness::open(read.setup()).unwrap();
    let _ = harness.record_turn(TurnPayload::new(id.clone(), 0, Origin::Live, trace));
    assert_eq!(harness.settle(&id).await.notices.len(), 1);

    assert_eq!(notice(&reported), notice(&read));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_goes_well_leads_to_none() {
    let world = World::new();
    let harness = world.open().await;
    let session = begin(&harness, "s").await;
    let mut turn = session.turn(REQUEST);
    succeed(&mut turn);
    let _ = session.record_turn(turn);
    let settled = session.settle().await;
    assert_eq!((settled.recorded, settled.alerts), (1, 0));
    assert!(world.events("notice").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on_after_a_restart() {
    let world = World::new();
    for next_turn in 0..2 {
        let harness = world.open().await;
        let session = harness
            .start(harness_custom::Conversation {
                next_turn,
                ..harness_custom::Conversation::new("s", crate::world::PROMPT)
            })
            .await
            .unwrap();
        let mut turn = session.turn(REQUEST);
        succeed(&mut turn);
        let _ = session.record_turn(turn);
        assert_eq!(session.settle().await.recorded, 1);
        drop(session);
        assert!(harness.close().await);
    }
    assert!(world.events("skip").is_empty());
}
